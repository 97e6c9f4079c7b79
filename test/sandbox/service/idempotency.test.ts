import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, errorOf, list, newYear, order, paymentsPath, read, send } from "../merchant.ts";

const keyed = { "Idempotency-Key": "key-1" };

describe("a creation with an Idempotency-Key", () => {
  it("returns the original answer when it is repeated, and creates nothing", async () => {
    const sandbox = createSandbox();
    const first = await send(sandbox, paymentsPath, { body: order, headers: keyed });
    const second = await send(sandbox, paymentsPath, { body: order, headers: keyed });

    expect(second.status).toBe(first.status);
    expect(await second.text()).toBe(await first.text());
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it("returns the original answer even after the payment has changed", async () => {
    const sandbox = createSandbox({ now: newYear });
    const first = await create(sandbox, {}, keyed);
    await sandbox.payments.simulate(first.paymentId, "success");
    await sandbox.clock.advance("1h");

    expect(await create(sandbox, {}, keyed)).toEqual(first);
    expect((await read(sandbox, first.paymentId)).status).toBe("completed");
  });

  it("is the same if only the order of fields and the whitespace differ", async () => {
    const sandbox = createSandbox();
    const bodies = [
      '{"amount":2500,"currency":"USD","orderId":"order_1","extra":{"a":1,"b":[2,null]}}',
      '{ "extra": {"b": [2, null], "a": 1}, "orderId": "order_1", "currency": "USD", "amount": 2.5e3 }',
    ];
    const answers: string[] = [];
    for (const body of bodies) {
      answers.push(await (await send(sandbox, paymentsPath, { body, headers: keyed })).text());
    }
    expect(answers[1]).toBe(answers[0]);
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it.each([
    ["another amount", { ...order, amount: 2501 }],
    ["another orderId", { ...order, orderId: "order_2" }],
    ["an extra field", { ...order, type: "payment" }],
    ["a nested difference", { ...order, extra: [{ a: 1 }] }],
    ["an invalid body", { ...order, currency: "EUR" }],
  ])("answers 409 to %s", async (_title, body) => {
    const sandbox = createSandbox();
    await create(sandbox, {}, keyed);
    const response = await send(sandbox, paymentsPath, { body, headers: keyed });

    expect(response.status).toBe(409);
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code: "idempotency_conflict",
    });
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it("creates one payment when many requests race", async () => {
    const sandbox = createSandbox();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await send(sandbox, paymentsPath, { body: order, headers: keyed });
        return response.text();
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it("is remembered for exactly 24 hours of the sandbox's time", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox, {}, keyed);
    await sandbox.clock.advance(24 * 3_600_000 - 1);
    expect((await create(sandbox, {}, keyed)).paymentId).toBe(paymentId);
    await sandbox.clock.advance(1);
    expect((await create(sandbox, {}, keyed)).paymentId).not.toBe(paymentId);
  });

  it("is remembered for 24 hours after it was dropped and used again", async () => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox, {}, keyed);
    const saved = sandbox.save();
    const [first = ["", {}]] = saved.tables["idempotency keys"] ?? [];
    const others = Array.from({ length: 99_999 }, (_, index) => [`${index}`, first[1]] as const);
    const tables = { ...saved.tables, "idempotency keys": [first, ...others] };
    sandbox.load({ ...saved, tables });
    await create(sandbox, {}, { "Idempotency-Key": "key-2" });
    expect(sandbox.dropped().idempotencyKeys).toBe(1);
    await sandbox.clock.advance("1h");
    const { paymentId } = await create(sandbox, {}, keyed);
    await sandbox.clock.advance("23h");
    expect((await create(sandbox, {}, keyed)).paymentId).toBe(paymentId);
  });

  it("does not store errors: the corrected request may reuse the key", async () => {
    const sandbox = createSandbox();
    const wrong = { ...order, amount: 1 };
    const refused = await send(sandbox, paymentsPath, { body: wrong, headers: keyed });
    expect(refused.status).toBe(422);
    await expect(create(sandbox, {}, keyed)).resolves.toHaveProperty("paymentId");
  });

  it("does not affect other keys or requests without a key", async () => {
    const sandbox = createSandbox();
    await create(sandbox, {}, keyed);
    await create(sandbox, {}, { "Idempotency-Key": "key-2" });
    await create(sandbox);
    await create(sandbox);
    await create(sandbox, {}, { "Idempotency-Key": "" });
    expect((await list(sandbox)).data).toHaveLength(5);
  });

  it("is unknown in another sandbox and after a reset", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox, {}, keyed);
    expect((await create(createSandbox(), {}, keyed)).paymentId).not.toBe(paymentId);
    sandbox.reset();
    expect((await create(sandbox, {}, keyed)).paymentId).not.toBe(paymentId);
  });
});
