import fc from "fast-check";
import { expect, test } from "vitest";
import { readTolerantly, type Schema } from "../../src/wire/fields.ts";
import { operationTable } from "../../src/wire/operations.ts";
import { alter, oddValue, type Place, placesIn } from "./alterations.ts";
import { answers } from "./answers.ts";
import { createdPayment, withdrawal } from "./examples.ts";

const table = Object.entries(operationTable).map(([id, { name, response }]) => ({
  name,
  schema: response as Schema<unknown>,
  answer: asPublished(answers[id as keyof typeof answers]),
}));

/** The same response with chain ids and rates in the formats that must be converted. */
function asPublished<T>(answer: T): T {
  const text = JSON.stringify(answer)
    .replaceAll(/"chainId":(\d+)/g, '"chainId":"eip155:$1"')
    .replaceAll(/"rateUsdAsset":"([\d.]+)"/g, '"rateUsdAsset":$1');
  return JSON.parse(text);
}

/** The value at a path; undefined if part of the path is missing. */
function at(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((inner, step) => Object(inner)[step], value);
}

const isWithin = (place: Place, other: Place) =>
  other.every((step, index) => place[index] === step);

/** The path under which drift at a place is reported. */
const reported = (place: Place) =>
  place.map((step) => (Number.isInteger(Number(step)) ? "*" : step)).join(".");

test.each(table)(
  "one odd field of a response to $name changes no other field",
  ({ schema, answer }) => {
    const whole = readTolerantly(schema, answer);
    expect(whole.drift).toEqual([]);
    const places = placesIn(answer);
    let odd = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.oneof(oddValue, fc.jsonValue()),
        (changed, value) => {
          const copy = structuredClone(answer);
          alter(copy, changed, value);
          const before = structuredClone(copy);
          const { value: read, drift } = readTolerantly(schema, copy);
          expect(copy).toEqual(before);
          for (const place of places) {
            if (isWithin(place, changed) || isWithin(changed, place)) continue;
            expect(at(read, place), place.join(".")).toEqual(at(whole.value, place));
          }
          if (drift.length === 0) return;
          odd++;
          // Values that do not fit are returned as sent, and their path leads to them.
          const place = reported(changed).split(".");
          for (const path of drift) {
            expect(isWithin(path.split("."), place) || isWithin(place, path.split("."))).toBe(true);
          }
          if (drift.includes(reported(changed)))
            expect(at(read, changed)).toEqual(at(copy, changed));
        },
      ),
      { numRuns: 200 },
    );
    expect(odd).toBeGreaterThan(0);
  },
);

test("any JSON is read without throwing, and is returned unchanged where nothing fits", () => {
  const { response } = operationTable.listWithdrawals;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { value: read, drift } = readTolerantly(response, value);
      expect(drift).not.toEqual([]);
      if (typeof value !== "object" || value === null) expect(read).toBe(value);
    }),
  );
});

test("drift in one item of a list does not stop the conversion of chain ids", () => {
  const { response } = operationTable.listWithdrawals;
  const odd = { ...withdrawal, chainId: "eip155:8453", amountInCents: null };
  const fine = { ...withdrawal, chainId: "eip155:8453" };
  const page = { ...answers.listWithdrawals, data: [odd, fine] };
  const { value, drift } = readTolerantly(response, page);
  expect(value.data).toEqual([
    { ...odd, chainId: 8453 },
    { ...fine, chainId: 8453 },
  ]);
  expect(drift).toEqual(["data.*.amountInCents"]);
});

test("drift within a value that has several forms is reported by its own path", () => {
  const { response } = operationTable.getPayment;
  const [quote] = createdPayment.payment.quotes;
  const address = { ...createdPayment.payment.depositAddress, address: 7 };
  const payment = { ...answers.getPayment, quotes: [{ ...quote, depositAddress: address }] };
  const { value, drift } = readTolerantly(response, payment);
  expect(value.quotes[0]?.depositAddress).toEqual(address);
  expect(drift).toEqual(["quotes.*.depositAddress.address"]);
});

test("a page in which every field of every quote has drifted is still read, with one path for each field", () => {
  const quotes = Array.from({ length: 20 }, () =>
    Object.fromEntries(
      Object.keys(createdPayment.payment.quotes[0] ?? {}).map((name) => [name, []]),
    ),
  );
  const data = Array.from({ length: 800 }, (_, index) => ({ id: `payment ${index}`, quotes }));
  const page = { ...answers.listPayments, data };
  const { value, drift } = readTolerantly(operationTable.listPayments.response, page);
  expect(value.data).toEqual(data);
  expect(drift.filter((path) => path.endsWith(".chainId"))).toEqual(["data.*.quotes.*.chainId"]);
});

test.each([
  ["limit", 1, 1000],
  ["offset", 0, Number.MAX_SAFE_INTEGER],
])("the bounds of a list's %s are inclusive", (name, least, most) => {
  const { query } = operationTable.listWithdrawals;
  const accepted = [least - 1, least, most, most + 1].filter(
    (value) => query?.safeParse({ [name]: value }).success,
  );
  expect(accepted).toEqual([least, most]);
});

test("a filter that the operation does not have is refused", () => {
  const { query } = operationTable.listPayments;
  expect(query?.safeParse({ state: "pending" }).error?.issues).toMatchObject([
    { code: "unrecognized_keys", keys: ["state"] },
  ]);
});

test("a text of the maximum length fits, and one more character does not", () => {
  const { body } = operationTable.createPayment;
  const fits = (length: number) =>
    body?.safeParse({ currency: "USD", orderId: "x".repeat(length) }).success;
  expect([0, 1, 255, 256].map(fits)).toEqual([false, true, true, false]);
});

test("a field named like an inherited property is read as a field, and changes no prototype", () => {
  const answer = JSON.parse('{"id":"p","status":"pending","__proto__":{"id":1},"toString":2}');
  const { value, drift } = readTolerantly(operationTable.getCheckoutStatus.response, answer);
  expect(drift).toEqual([]);
  expect(value).toMatchObject({ id: "p", status: "pending", toString: 2 });
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("reading compiles no code, which a page's content security policy would report", () => {
  const built = globalThis.Function;
  const refuse = () => {
    throw new Error("Code was built from text.");
  };
  try {
    globalThis.Function = refuse as unknown as FunctionConstructor;
    const { response } = operationTable.createPayment;
    expect(readTolerantly(response, createdPayment)).toEqual({ value: createdPayment, drift: [] });
    expect(readTolerantly(response, {}).drift).toHaveLength(4);
  } finally {
    globalThis.Function = built;
  }
});
