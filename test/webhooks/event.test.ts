import { describe, expect, it, vi } from "vitest";
import { delivery, receiver, refusal } from "./deliveries.ts";

const webhook = (body: unknown) =>
  receiver().verifySync(delivery({ body: typeof body === "string" ? body : JSON.stringify(body) }));
const refused = (body: string) => refusal(receiver(), delivery({ body }));

describe("a body in any known format", () => {
  const payment = { id: "p", status: "completed", orderId: "order_1" };

  it.each([
    ["the documented format", { event: "payment.updated", data: payment }],
    ["a payment nested in data", { type: "payment.updated", data: { payment }, timestamp: "t" }],
    ["a type and plain data", { type: "payment.updated", data: payment }],
    ["both event and type", { event: "payment.updated", type: "other", data: payment }],
  ])("is read as { event, data }: %s", (_, body) => {
    expect(webhook(body)).toMatchObject({ event: "payment.updated" });
    expect(webhook(body).data).toEqual(payment);
  });

  it("is read as { event, data }: a withdrawal nested in data", () => {
    const withdrawal = { id: "w", status: "processing" };
    const body = { type: "withdrawal.updated", data: { withdrawal } };
    expect(webhook(body)).toMatchObject({ event: "withdrawal.updated", data: withdrawal });
  });

  it.each<[string, object, object?]>([
    ["payment.failed", { payment }, payment],
    ["payout.completed", { payout: { id: "w" } }, { id: "w" }],
    ["payout.completed", { withdrawal: { id: "w" } }],
    ["payout.completed", { payout: "w" }],
    ["payout.completed", { payout: { id: "w" }, status: "completed" }],
    ["payout", { payout: { id: "w" } }],
  ])("is read for %s, an event seen in logs, with %j", (event, data, expected = data) => {
    expect(webhook({ event, data }).data).toEqual(expected);
  });

  it("is read in the published format with data nested under the name of its object", () => {
    const type = "payout.completed";
    expect(webhook({ type, data: { payout: { id: "w" } } }).data).toEqual({ id: "w" });
    expect(webhook({ type, data: { withdrawal: { id: "w" } } }).data).toEqual({ id: "w" });
  });

  it.each<[string, object, object?]>([
    ["payment.updated", { payment, withdrawal: { status: "failed" } }, payment],
    ["payment.updated", { withdrawal: { status: "failed" }, payment }, payment],
    ["withdrawal.updated", { payment, withdrawal: { status: "failed" } }, { status: "failed" }],
    ["withdrawal.updated", { payment }],
    ["payment.updated", { withdrawal: { status: "failed" } }],
    ["payout.completed", { payment, payout: { id: "w" } }, { id: "w" }],
    ["payout.completed", { payment, withdrawal: null }, payment],
  ])(
    "is read in the published format for %s as the object of that name in %j",
    (type, data, expected = data) => {
      expect(webhook({ type, data }).data).toEqual(expected);
    },
  );

  it("keeps its data unchanged in the documented format", () => {
    const data = { payment: { id: "inner" }, status: "pending" };
    expect(webhook({ event: "payment.created", data }).data).toEqual(data);
  });
});

describe("an authentic event", () => {
  it("is accepted with an unknown name", () => {
    expect(webhook({ event: "payment.confirmed", data: { a: 1 } })).toMatchObject({
      event: "payment.confirmed",
      data: { a: 1 },
    });
  });

  it("is accepted without data, like a dashboard's test delivery", () => {
    expect(webhook({ event: "payment.updated" })).toMatchObject({ data: {} });
    expect(webhook({ type: "test", timestamp: "t" })).toMatchObject({ event: "test", data: {} });
    expect(webhook({ event: "test", data: null })).toMatchObject({ event: "test", data: {} });
  });

  it("is accepted with odd fields", () => {
    expect(webhook({ event: "payment.updated", data: { status: 7 } }).data).toEqual({ status: 7 });
    expect(webhook({ event: "payment.updated", data: {} }).data).toEqual({});
  });
});

describe("a signed body that is not an event", () => {
  it.each([
    "",
    " ",
    "{",
    "undefined",
    "{'event':'a'}",
    '{"event":"a","data":{}} x',
    "\u0000",
    "\uFEFF",
    "\uFEFF\uFEFF{}",
    "[".repeat(100_000),
  ])("is invalid JSON: %.30j", (body) => {
    expect(refused(body)).toBe("invalid_json");
  });

  it.each([
    "null",
    "true",
    "42",
    '"payment.updated"',
    "[]",
    '[{"event":"a","data":{}}]',
    "{}",
    '{"data":{}}',
    '{"event":"","data":{}}',
    '{"event":1,"data":{}}',
    '{"event":null,"type":"a","data":{}}',
    '{"event":"a","data":[]}',
    '{"event":"a","data":"{}"}',
    '{"__proto__":{"event":"a","data":{}}}',
  ])("is an invalid event: %j", (body) => {
    expect(refused(body)).toBe("invalid_event");
  });

  it("is not quoted in the message or in a cause", () => {
    for (const [body, expected] of [
      ["top secret", "JSON in UTF-8"],
      ['{"top":"secret"}', "an object with an event name and a `data` object"],
    ] as const) {
      const verify = () => receiver().verifySync(delivery({ body }));
      expect(verify).toThrow(`The signature is valid, but the body is not ${expected}. Check what`);
      expect(verify).not.toThrow(/top/);
      expect(verify).toThrow(expect.not.objectContaining({ cause: expect.anything() }));
    }
  });
});

describe("keys such as __proto__", () => {
  it("do not pollute prototypes", () => {
    const body =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"event":"a",' +
      '"data":{"__proto__":{"polluted":1},"payment":{"__proto__":{"polluted":1}}}}';
    const { data } = webhook(body);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((data as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.keys(data)).toEqual(["__proto__", "payment"]);
  });

  it("as header names do not pollute prototypes either", () => {
    const { body, headers } = delivery();
    const hostile = JSON.parse(`{"__proto__":{"x-service-id":"a"},"constructor":"b"}`);
    const { hints } = receiver().verifySync({ body, headers: { ...headers, ...hostile } });
    expect(hints).toEqual({});
    expect(({} as { endpointId?: string }).endpointId).toBeUndefined();
  });

  it("as event names find no handler", async () => {
    for (const event of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const { body, headers } = delivery({ body: JSON.stringify({ event, data: {} }) });
      const request = new Request("https://shop.example", { method: "POST", body, headers });
      const logger = { warn: vi.fn(), error: vi.fn() };
      expect((await receiver({ logger }).fetchHandler()(request)).status).toBe(200);
      expect(logger.warn.mock.lastCall?.[0]).toContain(`no handler for the event "${event}"`);
    }
  });
});
