import {
  createSandbox,
  type PaymentScenario,
  type Sandbox,
  type ScenarioSteps,
} from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Payment } from "../../../src/wire/payment.ts";
import type { Withdrawal } from "../../../src/wire/withdrawal.ts";
import { create, newYear, read, told, withdraw } from "../merchant.ts";

const byHand = { steps: "by-hand" } as const;
const onClock = { steps: "on-clock" } as const;

/** Takes every step by hand, checking what the service answers each time. */
async function stepThrough(sandbox: Sandbox, paymentId: string) {
  const seen: unknown[] = [];
  while (sandbox.payments.upcoming(paymentId).length > 0) {
    const payment = await sandbox.payments.step(paymentId);
    expect(await read(sandbox, paymentId)).toEqual(payment);
    seen.push([payment.status, payment.receipt?.confirmations ?? null]);
  }
  return seen;
}

const confirming = [
  ["processing", 1],
  ["processing", 4],
  ["processing", 7],
];

describe("a payment that is played by hand", () => {
  it.each([
    ["success", [...confirming, ["completed", 10]]],
    ["underpayment", [...confirming, ["failed", 10]]],
    ["overpayment", [...confirming, ["completed", 10]]],
    ["timeout", [["expired", null]]],
    ["late", [["expired", null], ...confirming, ["completed", 10]]],
  ] as const)("goes through every step of %s", async (scenario, expected) => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const before = await sandbox.payments.simulate(paymentId, scenario, byHand);
    expect(before.status).toBe("pending");
    expect(sandbox.payments.upcoming(paymentId).map((it) => [it.status, it.confirmations])).toEqual(
      expected,
    );
    expect(await stepThrough(sandbox, paymentId)).toEqual(expected);
  });

  it("sends webhooks for status changes only", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "late", byHand);
    await stepThrough(sandbox, paymentId);
    expect(told(sandbox)).toEqual([
      "payment.created pending",
      "payment.updated expired",
      "payment.updated processing",
      "payment.updated completed",
    ]);
  });

  it("ends in the same state as at-once, receipt and quotes included", async () => {
    const ends = async (scenario: PaymentScenario, steps: ScenarioSteps) => {
      const sandbox = createSandbox({ seed: scenario, now: newYear });
      const { paymentId } = await create(sandbox, { type: "deposit" });
      await sandbox.payments.simulate(paymentId, scenario, { steps, amountInCents: 4200 });
      await stepThrough(sandbox, paymentId);
      return read(sandbox, paymentId);
    };
    for (const scenario of ["success", "underpayment", "overpayment", "timeout"] as const) {
      expect(await ends(scenario, "by-hand")).toEqual(await ends(scenario, "at-once"));
    }
  });

  it("uses its quote when the money arrives, and keeps the transaction from then on", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", byHand);
    const first = await sandbox.payments.step(paymentId);
    expect(first.quotes.filter(({ status }) => status === "used")).toHaveLength(1);
    await sandbox.clock.advance("1m");
    const second = await sandbox.payments.step(paymentId);
    expect(second.receipt).toEqual({ ...first.receipt, confirmations: 4 });
  });

  it("does not expire while its transaction is being confirmed", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", byHand);
    await sandbox.payments.step(paymentId);
    await sandbox.clock.advance("1h");
    expect((await read(sandbox, paymentId)).status).toBe("processing");
  });

  it("expires before the money is sent, and is then paid late", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "late", byHand);
    await sandbox.clock.advance("15m");
    expect(sandbox.payments.upcoming(paymentId)).toHaveLength(4);
    expect(await stepThrough(sandbox, paymentId)).toEqual([...confirming, ["completed", 10]]);
    expect(told(sandbox).filter((it) => it.endsWith("expired"))).toHaveLength(1);
  });
});

describe("a payment that is played on the clock", () => {
  it("takes its steps during advance, which returns them", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", onClock);
    expect(sandbox.payments.upcoming(paymentId)).toEqual([
      { status: "processing", confirmations: 1, dueAt: "2026-01-01T00:00:02.000Z" },
      { status: "processing", confirmations: 4, dueAt: "2026-01-01T00:00:08.000Z" },
      { status: "processing", confirmations: 7, dueAt: "2026-01-01T00:00:14.000Z" },
      { status: "completed", confirmations: 10, dueAt: "2026-01-01T00:00:20.000Z" },
    ]);
    const happened = await sandbox.clock.advance("10s");
    const facts = { type: "payment.moved", paymentId, orderId: "order_1", status: "processing" };
    expect(happened).toMatchObject([
      { ...facts, at: "2026-01-01T00:00:02.000Z", confirmations: 1 },
      { ...facts, at: "2026-01-01T00:00:08.000Z", confirmations: 4 },
    ]);
    expect((await read(sandbox, paymentId)).receipt?.confirmations).toBe(4);
    await sandbox.clock.advance("10s");
    expect(await read(sandbox, paymentId)).toMatchObject({
      status: "completed",
      receipt: { confirmations: 10, requiredConfirmations: 10 },
    });
  });

  it("expires once before late money arrives", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "late", onClock);
    const happened = await sandbox.clock.advance("1d");
    const moves = happened.flatMap((it) =>
      it.type === "payment.expired" || it.type === "payment.moved" ? [[it.type, it.at]] : [],
    );
    expect(moves).toEqual([
      ["payment.expired", "2026-01-01T00:15:00.000Z"],
      ["payment.moved", "2026-01-01T00:15:02.000Z"],
      ["payment.moved", "2026-01-01T00:15:08.000Z"],
      ["payment.moved", "2026-01-01T00:15:14.000Z"],
      ["payment.moved", "2026-01-01T00:15:20.000Z"],
    ]);
    expect((await read(sandbox, paymentId)).status).toBe("completed");
  });

  it("can be stepped by hand, and the clock continues from there", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", onClock);
    await sandbox.payments.step(paymentId);
    await sandbox.clock.advance("7s");
    expect((await read(sandbox, paymentId)).receipt?.confirmations).toBe(1);
    await sandbox.clock.advance("13s");
    expect((await read(sandbox, paymentId)).status).toBe("completed");
  });

  it("expires on the clock when nothing arrives", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "timeout", onClock);
    const happened = await sandbox.clock.advance("15m");
    expect(happened.map(({ type }) => type)).toEqual(["quotes.expired", "payment.expired"]);
    expect(sandbox.payments.upcoming(paymentId)).toEqual([]);
  });

  it("is restored by a snapshot, remaining steps included", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "success", onClock);
    await sandbox.clock.advance("8s");
    const snapshot = sandbox.snapshot();
    const first = await sandbox.clock.advance("1m");
    sandbox.restore(snapshot);
    const unnumbered = first.map(({ sequence: _, ...event }) => ({
      ...event,
      clockSequence: expect.any(Number),
    }));
    expect(await sandbox.clock.advance("1m")).toMatchObject(unnumbered);
    sandbox.reset();
    expect(await sandbox.clock.advance("1m")).toEqual([]);
  });
});

describe("upcoming steps", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("happen by themselves on a running clock", async () => {
    vi.useFakeTimers({ now: newYear, toFake: ["setTimeout", "clearTimeout", "Date"] });
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    await sandbox.payments.simulate(paymentId, "success", onClock);
    await sandbox.withdrawals.simulate(id, "complete", onClock);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sandbox.payments.all()).toMatchObject([{ receipt: { confirmations: 4 } }]);
    expect(sandbox.withdrawals.all()).toMatchObject([{ status: "processing" }]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sandbox.payments.all()).toMatchObject([{ status: "completed" }]);
    expect(sandbox.withdrawals.all()).toMatchObject([{ status: "completed" }]);
  });

  it("are saved, and happen in the sandbox that loads them", async () => {
    const saved = createSandbox({ now: newYear });
    const { paymentId } = await create(saved);
    const { id } = await withdraw(saved);
    await saved.payments.simulate(paymentId, "late", onClock);
    await saved.withdrawals.simulate(id, "fail", byHand);
    saved.webhooks.disorder("delay", { times: Number.POSITIVE_INFINITY });
    saved.faults.next("GET /payments", { status: 503, when: "before" }, { probability: 0.5 });

    const sandbox = createSandbox({ now: newYear });
    sandbox.load(JSON.parse(JSON.stringify(saved.save())));
    expect(sandbox.payments.upcoming(paymentId)).toEqual(saved.payments.upcoming(paymentId));
    expect(sandbox.webhooks.disorders()).toEqual(saved.webhooks.disorders());
    expect(sandbox.faults.waiting()).toEqual(saved.faults.waiting());
    expect((await sandbox.withdrawals.step(id)).status).toBe("processing");
    await sandbox.clock.advance("16m");
    expect(sandbox.payments.all()).toMatchObject([{ status: "completed" }]);
  });
});

describe("a step that cannot be taken", () => {
  it("is refused when no scenario was started, or it has ended", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    const refused = { name: "InvalidRequestError", code: "no_steps_ahead" };
    await expect(sandbox.payments.step(paymentId)).rejects.toMatchObject(refused);
    await expect(sandbox.withdrawals.step(id)).rejects.toMatchObject(refused);
    await sandbox.payments.simulate(paymentId, "timeout", byHand);
    await sandbox.payments.step(paymentId);
    await expect(sandbox.payments.step(paymentId)).rejects.toMatchObject(refused);
  });

  it("is refused when its payment expired by itself and was paid late: a paid payment cannot expire", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "timeout", byHand);
    await sandbox.clock.advance("1h");
    await sandbox.payments.simulate(paymentId, "late");
    expect(sandbox.payments.upcoming(paymentId)).toEqual([]);
    await expect(sandbox.payments.step(paymentId)).rejects.toMatchObject({
      code: "no_steps_ahead",
    });
    expect(sandbox.payments.all()).toMatchObject([{ status: "completed" }]);
  });

  it("is refused for an unknown id", async () => {
    const { payments, withdrawals } = createSandbox();
    const refused = { name: "NotFoundError", code: "not_found" };
    await expect(payments.step("nobody")).rejects.toMatchObject(refused);
    await expect(withdrawals.step("nobody")).rejects.toMatchObject(refused);
    expect(() => payments.upcoming("nobody")).toThrow(expect.objectContaining(refused));
    expect(() => withdrawals.upcoming("nobody")).toThrow(expect.objectContaining(refused));
  });

  it("is not replaced by a second scenario, which is refused until the first has ended", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    await sandbox.payments.simulate(paymentId, "success", byHand);
    await sandbox.withdrawals.simulate(id, "complete", onClock);
    const refused = { code: "scenario_in_progress", message: expect.stringContaining("steps") };
    await expect(sandbox.payments.simulate(paymentId, "timeout")).rejects.toMatchObject(refused);
    await expect(sandbox.withdrawals.simulate(id, "fail")).rejects.toMatchObject(refused);
    await stepThrough(sandbox, paymentId);
    expect((await read(sandbox, paymentId)).status).toBe("completed");
  });

  it("is refused with an unknown value of steps, and changes nothing", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    const steps = "slowly" as ScenarioSteps;
    const refused = { code: "unknown_steps", param: "steps" };
    await expect(sandbox.payments.simulate(paymentId, "success", { steps })).rejects.toMatchObject(
      refused,
    );
    await expect(sandbox.withdrawals.simulate(id, "complete", { steps })).rejects.toMatchObject(
      refused,
    );
    const status = ({ status }: Payment | Withdrawal) => status;
    expect(sandbox.payments.all().map(status)).toEqual(["pending"]);
    expect(sandbox.withdrawals.all().map(status)).toEqual(["pending"]);
  });
});
