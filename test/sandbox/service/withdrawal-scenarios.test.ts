import { createSandbox, type WithdrawalScenario } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { newYear, readWithdrawal, told, withdraw } from "../merchant.ts";

const byHand = { steps: "by-hand" } as const;
const onClock = { steps: "on-clock" } as const;

describe("simulating a withdrawal", () => {
  it("completes it with a receipt of what was sent", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { id } = await withdraw(sandbox);
    await sandbox.clock.advance("3m");
    const withdrawal = await sandbox.withdrawals.simulate(id, "complete");
    expect(withdrawal).toMatchObject({
      status: "completed",
      errorMessage: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:03:00.000Z",
    });
    expect(withdrawal.receipt).toEqual({
      withdrawalId: id,
      settledToken: {
        symbol: "USDC",
        decimals: 6,
        contractAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      },
      settledChain: { chainId: 84_532, name: "Base Sepolia" },
      settledAmountAsset: "125000000",
      settledAmountUsd: "125.00",
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      txBlockNumber: expect.any(Number),
      txTimestamp: "2026-01-01T00:03:00.000Z",
      txSenderAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      txGasUsed: 65_000,
      txTotalCost: "65000000000000",
      txTotalCostUsdFractions: expect.any(Number),
      txIsSponsored: true,
      processedBy: "cron",
      createdAt: "2026-01-01T00:03:00.000Z",
    });
    expect(await readWithdrawal(sandbox, id)).toEqual(withdrawal);
  });

  it("sends on the withdrawal's own chain", async () => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox, { chainId: 11_155_111 });
    const { receipt } = await sandbox.withdrawals.simulate(id, "complete");
    expect(receipt?.settledChain).toEqual({ chainId: 11_155_111, name: "Ethereum Sepolia" });
  });

  it("fails it with a message and no receipt", async () => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    expect(await sandbox.withdrawals.simulate(id, "fail")).toMatchObject({
      status: "failed",
      errorMessage: expect.stringMatching(/\w/),
      receipt: null,
    });
  });

  it("changes updatedAt with every change, even while the clock is frozen", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { id, updatedAt } = await withdraw(sandbox);
    const processing = await sandbox.withdrawals.simulate(id, "process");
    const completed = await sandbox.withdrawals.simulate(id, "complete");
    const times = [updatedAt, processing.updatedAt, completed.updatedAt];
    expect(new Set(times).size).toBe(3);
    expect(times.toSorted()).toEqual(times);
  });

  const allowed = {
    process: ["pending"],
    complete: ["pending", "processing"],
    fail: ["pending", "processing"],
    cancel: ["pending"],
  } as const;
  const reached = {
    pending: undefined,
    processing: "process",
    completed: "complete",
    failed: "fail",
    cancelled: "cancel",
  } as const;
  const cases = Object.entries(reached).flatMap(([status, by]) =>
    Object.entries(allowed).map(([scenario, from]) => ({
      status,
      by,
      scenario: scenario as WithdrawalScenario,
      verdict: (from as readonly string[]).includes(status) ? "works" : "is refused",
    })),
  );
  it.each(cases)("$scenario $verdict when it is $status", async ({ by, scenario, verdict }) => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    if (by !== undefined) await sandbox.withdrawals.simulate(id, by);
    const before = await readWithdrawal(sandbox, id);
    const simulated = sandbox.withdrawals.simulate(id, scenario);
    if (verdict === "works") {
      expect((await simulated).status).not.toBe(before.status);
      return;
    }
    await expect(simulated).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "withdrawal_not_pending",
      param: "withdrawalId",
      message: expect.stringContaining(before.status),
    });
    expect(await readWithdrawal(sandbox, id)).toEqual(before);
  });

  it("refuses an unknown id and an unknown scenario", async () => {
    const sandbox = createSandbox();
    await expect(sandbox.withdrawals.simulate("nobody", "complete")).rejects.toMatchObject({
      name: "NotFoundError",
      param: "withdrawalId",
    });
    const { id } = await withdraw(sandbox);
    const unknown = "refund" as WithdrawalScenario;
    await expect(sandbox.withdrawals.simulate(id, unknown)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "scenario",
    });
  });

  it("sends the merchant one webhook for each change", async () => {
    const webhooks: unknown[] = [];
    const sandbox = createSandbox({
      now: newYear,
      deliver: async (request) => {
        webhooks.push(await request.json());
        return new Response();
      },
    });
    const { id } = await withdraw(sandbox, { orderId: "payout_1" });
    await sandbox.withdrawals.simulate(id, "process");
    await sandbox.withdrawals.simulate(id, "complete");
    await sandbox.webhooks.idle();
    const data = {
      id,
      merchantId: sandbox.merchantId,
      amountInCents: 12_500,
      currency: "USD",
      orderId: "payout_1",
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    expect(webhooks).toEqual([
      { event: "withdrawal.created", data: { ...data, status: "pending" } },
      { event: "withdrawal.updated", data: { ...data, status: "processing" } },
      { event: "withdrawal.updated", data: { ...data, status: "completed" } },
    ]);
  });

  it("sends orderId as null in the webhook when there is none", async () => {
    const sandbox = createSandbox();
    await withdraw(sandbox);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ data: { orderId: null } }]);
  });
});

describe("a withdrawal that is played step by step", () => {
  it.each([
    ["complete", ["processing", "completed"]],
    ["fail", ["processing", "failed"]],
    ["cancel", ["cancelled"]],
    ["process", ["processing"]],
  ] as const)("goes through every step of %s", async (scenario, expected) => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    await sandbox.withdrawals.simulate(id, scenario, byHand);
    const seen: string[] = [];
    while (sandbox.withdrawals.upcoming(id).length > 0) {
      const withdrawal = await sandbox.withdrawals.step(id);
      expect(await readWithdrawal(sandbox, id)).toEqual(withdrawal);
      seen.push(withdrawal.status);
    }
    expect(seen).toEqual(expected);
    expect(told(sandbox)).toEqual([
      "withdrawal.created pending",
      ...expected.map((status) => `withdrawal.updated ${status}`),
    ]);
  });

  it("takes its steps on the clock, after 10 and 30 seconds", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { id } = await withdraw(sandbox, { orderId: "payout_1" });
    await sandbox.withdrawals.simulate(id, "complete", onClock);
    const facts = { type: "withdrawal.moved", withdrawalId: id, orderId: "payout_1" };
    expect(await sandbox.clock.advance("1m")).toMatchObject([
      { ...facts, at: "2026-01-01T00:00:10.000Z", status: "processing" },
      { ...facts, at: "2026-01-01T00:00:30.000Z", status: "completed" },
    ]);
  });

  it("continues from processing when it is already there", async () => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    await sandbox.withdrawals.simulate(id, "process");
    await sandbox.withdrawals.simulate(id, "fail", byHand);
    expect(sandbox.withdrawals.upcoming(id)).toEqual([
      { status: "failed", confirmations: null, dueAt: null },
    ]);
  });
});
