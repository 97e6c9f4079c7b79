import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { errorOf, paymentsPath, payout, send, withdraw, withdrawalsPath } from "../merchant.ts";

describe("a repeated Idempotency-Key on withdrawals", () => {
  const keyed = { "Idempotency-Key": "key-1" };
  const repeat = (sandbox: Sandbox, fields = {}) =>
    send(sandbox, withdrawalsPath, { body: { ...payout, ...fields }, headers: keyed });

  it("creates a second withdrawal by default", async () => {
    const sandbox = createSandbox();
    expect(sandbox.withdrawalIdempotency).toBe("ignored");
    await withdraw(sandbox, {}, keyed);
    expect((await repeat(sandbox)).status).toBe(201);
    expect(sandbox.withdrawals.all()).toHaveLength(2);
  });

  it("returns the original answer when honoured, even after the withdrawal has changed", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "honoured";
    const first = await withdraw(sandbox, {}, keyed);
    await sandbox.withdrawals.simulate(first.id, "complete");
    const second = await repeat(sandbox);
    expect([second.status, await second.json()]).toEqual([201, first]);
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("with another body is a conflict when honoured", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "honoured";
    await withdraw(sandbox, {}, keyed);
    const second = await repeat(sandbox, { amountInCents: 1_000 });
    expect(second.status).toBe(409);
    expect((await errorOf(second)).code).toBe("idempotency_conflict");
  });

  it("is refused with the setting conflict, even for the same body", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "conflict";
    await withdraw(sandbox, {}, keyed);
    const second = await repeat(sandbox);
    expect(second.status).toBe(409);
    expect(await errorOf(second)).toMatchObject({
      code: "idempotency_conflict",
      message: expect.stringContaining("in progress or complete"),
    });
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("follows the setting at the time of the repetition", async () => {
    const sandbox = createSandbox();
    const first = await withdraw(sandbox, {}, keyed);
    sandbox.withdrawalIdempotency = "honoured";
    expect(await (await repeat(sandbox)).json()).toEqual(first);
    sandbox.withdrawalIdempotency = "ignored";
    expect((await withdraw(sandbox, {}, keyed)).id).not.toBe(first.id);
  });

  it("may be reused after an error, and for a payment", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "conflict";
    expect((await repeat(sandbox, { chainId: 1 })).status).toBe(422);
    expect((await repeat(sandbox)).status).toBe(201);
    const body = { amount: 2500, currency: "USD", orderId: "order_1" };
    expect((await send(sandbox, paymentsPath, { body, headers: keyed })).status).toBe(201);
  });

  it("is ignored again after a reset, and unknown settings are refused", () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "conflict";
    sandbox.reset();
    expect(sandbox.withdrawalIdempotency).toBe("ignored");
    expect(() => {
      sandbox.withdrawalIdempotency = "sometimes" as "ignored";
    }).toThrow(expect.objectContaining({ param: "withdrawalIdempotency" }));
  });
});
