import { createSandbox, type PaymentScenario } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { isAddress } from "../../../src/evm/address.ts";
import { create, newYear, read, told } from "../merchant.ts";

const scenarios = ["success", "underpayment", "overpayment", "timeout"] as const;

describe("a simulated customer", () => {
  it("pays exactly: the payment completes", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.clock.advance("3m");
    const payment = await sandbox.payments.simulate(paymentId, "success");

    expect(payment.status).toBe("completed");
    expect(payment.receipt).toMatchObject({
      paymentId,
      settledToken: { symbol: "USDC", decimals: 6, assetType: "erc20", chain: { chainId: 84532 } },
      settledChain: { chainId: 84532, name: "Base Sepolia", nativeSymbol: "ETH" },
      settledAmountAsset: "25000000",
      settledAmountUsd: "25.00",
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      txBlockNumber: expect.any(Number),
      txTimestamp: "2026-01-01T00:03:00.000Z",
      txIsSponsored: false,
      createdAt: "2026-01-01T00:03:00.000Z",
    });
    expect(isAddress(payment.receipt?.txSenderAddress)).toBe(true);
  });

  it("pays too little: the payment fails, and the receipt shows what arrived", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const payment = await sandbox.payments.simulate(paymentId, "underpayment");
    expect(payment.status).toBe("failed");
    expect(payment.receipt).toMatchObject({
      settledAmountAsset: "22500000",
      settledAmountUsd: "22.50",
    });
  });

  it("pays too much: the payment completes, and the receipt shows the excess", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const payment = await sandbox.payments.simulate(paymentId, "overpayment");
    expect(payment).toMatchObject({ status: "completed", amountInCents: 2500 });
    expect(payment.receipt).toMatchObject({
      settledAmountAsset: "27500000",
      settledAmountUsd: "27.50",
    });
  });

  it("never pays: the payment expires", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const payment = await sandbox.payments.simulate(paymentId, "timeout");
    expect(payment).toMatchObject({ status: "expired", receipt: null });
    expect(payment.quotes.map(({ status }) => status)).toEqual(Array(6).fill("expired"));
  });

  it.each([250, 251, 99_999_999])(
    "sends less than, exactly or more than %d cents",
    async (amount) => {
      const sandbox = createSandbox();
      const settled: bigint[] = [];
      for (const scenario of ["underpayment", "success", "overpayment"] as const) {
        const { paymentId } = await create(sandbox, { amount });
        const { receipt } = await sandbox.payments.simulate(paymentId, scenario);
        settled.push(BigInt(receipt?.settledAmountAsset ?? 0));
      }
      const [less, exact, more] = settled as [bigint, bigint, bigint];
      expect(exact).toBe(BigInt(amount) * 10_000n);
      expect(less < exact && exact < more).toBe(true);
    },
  );

  it("uses one quote and lets the others expire", async () => {
    const sandbox = createSandbox();
    const { payment: created } = await create(sandbox);
    const payment = await sandbox.payments.simulate(created.id, "success");

    const used = payment.quotes.filter(({ status }) => status === "used");
    expect(used).toHaveLength(1);
    expect(payment.receipt?.selectedQuote).toEqual(used[0]);
    expect(payment.quotes.map(({ id }) => id)).toEqual(created.quotes.map(({ id }) => id));
    expect(payment.quotes.filter(({ status }) => status === "expired")).toHaveLength(5);
  });

  it("can still pay when the quotes have expired but the payment has not", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.clock.advance("14m");
    expect((await sandbox.payments.simulate(paymentId, "success")).status).toBe("completed");
  });

  it("deposits 25 dollars, or the amount that the test gives", async () => {
    const sandbox = createSandbox();
    for (const [options, amountInCents, units] of [
      [undefined, 2500, "25000000"],
      [{ amountInCents: 1 }, 1, "10000"],
      [{ amountInCents: 12_345 }, 12_345, "123450000"],
    ] as const) {
      const { paymentId } = await create(sandbox, { type: "deposit" });
      const payment = await sandbox.payments.simulate(paymentId, "success", options);
      expect(payment).toMatchObject({ status: "completed", amountInCents });
      expect(payment.receipt?.settledAmountAsset).toBe(units);
      const used = payment.quotes.filter(({ status }) => status === "used");
      expect(used).toMatchObject([{ chainId: 84532, expectedAmountAsset: units }]);
    }
  });

  it("returns the payment as the service answers it", async () => {
    const sandbox = createSandbox();
    for (const scenario of scenarios) {
      const { paymentId } = await create(sandbox);
      const payment = await sandbox.payments.simulate(paymentId, scenario);
      expect(await read(sandbox, paymentId)).toEqual(payment);
    }
  });

  it("returns a copy: changing it does not change the sandbox", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const payment = await sandbox.payments.simulate(paymentId, "success");
    payment.status = "pending";
    for (const quote of payment.quotes) quote.token.symbol = "DOGE";

    const kept = await read(sandbox, paymentId);
    expect(kept.status).toBe("completed");
    const { payment: next } = await create(sandbox);
    for (const quote of [...kept.quotes, ...next.quotes]) {
      expect(quote.token.symbol).not.toBe("DOGE");
    }
  });
});

describe("a scenario that cannot be played", () => {
  it.each(scenarios)("is refused for a final payment: %s", async (scenario) => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const before = await sandbox.payments.simulate(paymentId, "success");
    await expect(sandbox.payments.simulate(paymentId, scenario)).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "payment_not_pending",
      param: "paymentId",
      message: expect.stringContaining("completed"),
    });
    expect(await read(sandbox, paymentId)).toEqual(before);
  });

  it("is refused for an unknown payment", async () => {
    await expect(createSandbox().payments.simulate("nobody", "success")).rejects.toMatchObject({
      name: "NotFoundError",
      param: "paymentId",
    });
  });

  it("is refused under an unknown name, and changes nothing", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const unknown = "chargeback" as PaymentScenario;
    await expect(sandbox.payments.simulate(paymentId, unknown)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "scenario",
    });
    expect((await read(sandbox, paymentId)).status).toBe("pending");
  });

  it.each([0, -1, 1.5, Number.NaN, 100_000_001])(
    "is refused with a deposit of %d cents",
    async (amountInCents) => {
      const sandbox = createSandbox();
      const { paymentId } = await create(sandbox, { type: "deposit" });
      const simulated = sandbox.payments.simulate(paymentId, "success", { amountInCents });
      await expect(simulated).rejects.toMatchObject({ param: "amountInCents" });
    },
  );

  it("is refused with an amount for a payment with a fixed amount", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const simulated = sandbox.payments.simulate(paymentId, "success", { amountInCents: 2500 });
    await expect(simulated).rejects.toMatchObject({ param: "amountInCents" });
  });
});

describe("late money", () => {
  it("completes an expired payment whose quotes have expired", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.clock.advance("1h");
    const payment = await sandbox.payments.simulate(paymentId, "late");
    expect(payment).toMatchObject({
      status: "completed",
      receipt: { settledAmountAsset: "25000000", txTimestamp: "2026-01-01T01:00:00.000Z" },
    });
    expect(payment.quotes.filter(({ status }) => status === "used")).toHaveLength(1);
  });

  it("lets a pending payment expire first, and both changes send a webhook", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "late");
    expect(told(sandbox)).toEqual([
      "payment.created pending",
      "payment.updated expired",
      "payment.updated completed",
    ]);
  });

  it("is the only scenario for an expired payment, and refused for other final ones", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "timeout");
    await expect(sandbox.payments.simulate(paymentId, "success")).rejects.toMatchObject({
      code: "payment_not_pending",
      message: expect.stringContaining('"late"'),
    });
    await sandbox.payments.simulate(paymentId, "late");
    await expect(sandbox.payments.simulate(paymentId, "late")).rejects.toMatchObject({
      code: "payment_not_pending",
    });
  });
});

describe("a cancelled payment", () => {
  it("expires its quotes, sends one webhook, and can no longer be paid", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const payment = await sandbox.payments.simulate(paymentId, "cancel");
    expect(payment).toMatchObject({ status: "cancelled", receipt: null });
    expect(payment.quotes.map(({ status }) => status)).toEqual(Array(6).fill("expired"));
    expect(told(sandbox)).toEqual(["payment.created pending", "payment.updated cancelled"]);
    await expect(sandbox.payments.simulate(paymentId, "late")).rejects.toMatchObject({
      code: "payment_not_pending",
      message: expect.stringContaining("is cancelled, but must be pending or expired"),
    });
  });
});

describe("a refund", () => {
  it("keeps the receipt, and can be partial before it is full", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const paid = await sandbox.payments.simulate(paymentId, "success");
    const partly = await sandbox.payments.simulate(paymentId, "partial-refund");
    expect(partly).toEqual({ ...paid, status: "partially_refunded" });
    const refunded = await sandbox.payments.simulate(paymentId, "refund");
    expect(refunded).toEqual({ ...paid, status: "refunded" });
    expect(told(sandbox).slice(1)).toEqual([
      "payment.updated completed",
      "payment.updated partially_refunded",
      "payment.updated refunded",
    ]);
  });

  it.each(["refund", "partial-refund"] as const)(
    "is refused for a payment that is unpaid or refunded: %s",
    async (scenario) => {
      const sandbox = createSandbox();
      const { paymentId } = await create(sandbox);
      const refusal = {
        code: "payment_not_paid",
        message: expect.stringContaining('Simulate "success"'),
      };
      await expect(sandbox.payments.simulate(paymentId, scenario)).rejects.toMatchObject(refusal);
      await sandbox.payments.simulate(paymentId, "success");
      await sandbox.payments.simulate(paymentId, "refund");
      await expect(sandbox.payments.simulate(paymentId, scenario)).rejects.toMatchObject(refusal);
    },
  );

  it("can be left to the clock, one block later", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.payments.simulate(paymentId, "refund", { steps: "on-clock" });
    const dueAt = "2026-01-01T00:00:02.000Z";
    const upcoming = [{ status: "refunded", confirmations: null, dueAt }];
    expect(sandbox.payments.upcoming(paymentId)).toEqual(upcoming);
    await sandbox.clock.advance("2s");
    expect(await read(sandbox, paymentId)).toMatchObject({ status: "refunded" });
  });
});
