import fc from "fast-check";
import { expect, test } from "vitest";
import { misfitsIn } from "../../src/wire/misfits.ts";
import { operationTable } from "../../src/wire/operations.ts";
import { misfit, type Schema } from "../../src/wire/schema.ts";
import { alter, oddValue, type Place, placesIn } from "./alterations.ts";
import { answers } from "./answers.ts";
import { asZod } from "./as-zod.ts";
import { createdPayment, withdrawal } from "./examples.ts";

/** What fits each operation's body and query. */
const requests: [string, Schema<unknown> | undefined, object][] = [
  [
    "payments.create",
    operationTable.createPayment.body,
    { type: "deposit", amount: 1, currency: "USD", orderId: "a", redirectUrl: "https://a" },
  ],
  [
    "withdrawals.create",
    operationTable.createWithdrawal.body,
    { amountInCents: 1, chainId: 1, recipientAddress: "0x", currency: "USD", orderId: "a" },
  ],
  [
    "checkout.quotes.create",
    operationTable.createQuote.body,
    { chainId: 1, contractAddress: "0x", forceDepositAmount: 1 },
  ],
  ["payments.list", operationTable.listPayments.query, { status: "a", limit: 1, offset: 0 }],
];

/** The same judgement twice: fits or not, what is read, and every place that does not fit. */
function expectZodAgrees(schema: Schema<unknown>, zod: ReturnType<typeof asZod>, value: unknown) {
  const before = structuredClone(value);
  const read = schema.read(value);
  const judged = zod.safeParse(value);
  expect(read !== misfit).toBe(judged.success);
  if (judged.success) expect(read).toEqual(judged.data);
  const paths = judged.error?.issues.map(({ path }) => path.join(".")) ?? [];
  expect(misfitsIn(schema, value).map(({ path }) => path.join("."))).toEqual([...new Set(paths)]);
  expect(value).toEqual(before);
  return judged.success;
}

/** Up to four places of a value and what to put there; places of what was replaced are left alone. */
function alterations(sample: object) {
  const unknown = Array.isArray(sample) ? [] : [["loyaltyPoints"]];
  const place = fc.constantFrom(...placesIn(sample), ...unknown);
  return fc.array(fc.tuple(place, fc.oneof(oddValue, fc.jsonValue())), {
    minLength: 1,
    maxLength: 4,
  });
}

function altered(sample: object, changes: readonly [Place, unknown][]): object {
  const copy = structuredClone(sample);
  for (const [place, value] of changes.toSorted(([a], [b]) => b.length - a.length)) {
    alter(copy, place, value);
  }
  return copy;
}

const cases: [string, Schema<unknown>, object][] = [
  ...Object.entries(operationTable).map(
    ([id, { name, response }]): [string, Schema<unknown>, object] => [
      `an answer to ${name}`,
      response,
      answers[id as keyof typeof operationTable],
    ],
  ),
  ...requests.flatMap(([name, schema, sample]): [string, Schema<unknown>, object][] =>
    schema ? [[`a request of ${name}`, schema, sample]] : [],
  ),
];

test.each(cases)("%s is read as zod would, wherever it is odd", (_, schema, sample) => {
  const zod = asZod(schema);
  expect(expectZodAgrees(schema, zod, sample)).toBe(true);
  let refused = 0;
  fc.assert(
    fc.property(alterations(sample), (changes) => {
      if (!expectZodAgrees(schema, zod, altered(sample, changes))) refused++;
    }),
    { numRuns: 200 },
  );
  expect(refused).toBeGreaterThan(0);
});

test("any JSON at all is read as zod would", () => {
  const { response } = operationTable.listWithdrawals;
  const zod = asZod(response);
  fc.assert(fc.property(fc.jsonValue(), (value) => void expectZodAgrees(response, zod, value)));
});

test.each([
  ["limit", 1, 1000],
  ["offset", 0, Number.MAX_SAFE_INTEGER],
])("the bounds of a list's %s belong to it", (name, least, most) => {
  const { query } = operationTable.listWithdrawals;
  const accepted = [least - 1, least, most, most + 1].filter(
    (value) => query?.read({ [name]: value }) !== misfit,
  );
  expect(accepted).toEqual([least, most]);
});

test("a text as long as it may be fits, and one character more does not", () => {
  const { body } = operationTable.createPayment;
  const reads = (length: number) =>
    body?.read({ currency: "USD", orderId: "x".repeat(length) }) !== misfit;
  expect([0, 1, 255, 256].map(reads)).toEqual([false, true, true, false]);
});

test("a page with something to convert shares what needs no conversion", () => {
  const { response } = operationTable.listWithdrawals;
  const other = { ...withdrawal, chainId: "eip155:8453" };
  const page = { ...answers.listWithdrawals, data: [withdrawal, other] };
  const read = response.read(page);
  if (read === misfit) throw new Error("The page fits.");
  expect(read.data[1]).toEqual({ ...withdrawal, chainId: 8453 });
  expect(read.data[0]).toBe(withdrawal);
  expect(read.pagination).toBe(page.pagination);
  expect(other.chainId).toBe("eip155:8453");
});

test("a field of an answer that is named like a member of every object is left as it came", () => {
  const answer = JSON.parse('{"id":"p","status":"pending","__proto__":{"id":1},"toString":2}');
  expect(operationTable.getCheckoutStatus.response.read(answer)).toBe(answer);
});

test("reading builds no code, which a page's content security policy would report", () => {
  const built = globalThis.Function;
  const refuse = () => {
    throw new Error("Code was built from text.");
  };
  try {
    globalThis.Function = refuse as unknown as FunctionConstructor;
    expect(operationTable.createPayment.response.read(createdPayment)).toBe(createdPayment);
    expect(misfitsIn(operationTable.createPayment.response, {})).toHaveLength(4);
  } finally {
    globalThis.Function = built;
  }
});
