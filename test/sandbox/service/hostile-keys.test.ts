import { createSandbox } from "settlekit/sandbox";
import { afterEach, describe, expect, it } from "vitest";
import {
  create,
  order,
  origin,
  paymentsPath,
  payout,
  read,
  send,
  withdrawalsPath,
} from "../merchant.ts";

const hostile = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
const poison = { polluted: true, type: "deposit", status: 500 };

afterEach(() => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.prototype).not.toHaveProperty("polluted");
});

/** JSON text with the key added, even one that an object literal would take for its prototype. */
function withKey(body: object, key: string): string {
  return `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(poison)}}`;
}

describe.each(hostile)("the key %s", (key) => {
  it("in a body is just an unknown field", async () => {
    const sandbox = createSandbox();
    const paid = await send(sandbox, paymentsPath, { body: withKey(order, key) });
    const sent = await send(sandbox, withdrawalsPath, { body: withKey(payout, key) });
    expect([paid.status, sent.status]).toEqual([201, 201]);
    expect(await paid.json()).toMatchObject({ payment: { type: "payment", status: "pending" } });
    expect(JSON.stringify(sandbox.payments.all())).not.toContain("polluted");
  });

  it("adds no fields to a body", async () => {
    const body = `{${JSON.stringify(key)}:${JSON.stringify(order)}}`;
    expect((await send(createSandbox(), paymentsPath, { body })).status).toBe(400);
  });

  it("may be an order id, an idempotency key, a path and a query parameter", async () => {
    const sandbox = createSandbox();
    const headers = { "Idempotency-Key": key };
    const { paymentId } = await create(
      sandbox,
      { orderId: key, customMetadata: `{"${key}":1}` },
      headers,
    );
    expect(
      (await create(sandbox, { orderId: key, customMetadata: `{"${key}":1}` }, headers)).paymentId,
    ).toBe(paymentId);
    expect((await read(sandbox, paymentId)).orderId).toBe(key);
    expect((await send(sandbox, `${paymentsPath}/${key}`)).status).toBe(404);
    expect((await send(sandbox, `${paymentsPath}?${key}=1`)).status).toBe(200);
  });

  it("may be the name of a header", async () => {
    const sandbox = createSandbox();
    const headers = new Headers([[key, "seen"]]);
    await sandbox.fetch(new Request(origin, { headers }));
    const recorded = Object.entries(sandbox.requests()[0]?.headers ?? {});
    expect(recorded).toEqual([[key.toLowerCase(), "seen"]]);
  });
});
