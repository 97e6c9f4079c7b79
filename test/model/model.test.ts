import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command } from "./command.ts";
import { createQuote, lookAsCustomer } from "./customer-commands.ts";
import { type Model, newModel } from "./model.ts";
import { checkPayment } from "./payment-checks.ts";
import { createPayment, listPayments, readPayment } from "./payment-commands.ts";
import {
  payPayment,
  refundPayment,
  simulateWithdrawal,
  stepPayment,
  stepWithdrawal,
} from "./scenario-commands.ts";
import {
  advanceClock,
  changeReceiver,
  disorderWebhooks,
  replayWebhook,
  snapshotOrRestore,
} from "./time-commands.ts";
import {
  changeIdempotency,
  checkWithdrawal,
  createWithdrawal,
  readWithdrawals,
} from "./withdrawal-commands.ts";
import { newWorld, startOfTime, type World } from "./world.ts";

const likelihoods: [fc.Arbitrary<Command>, number][] = [
  [createPayment, 3],
  [payPayment, 2],
  [refundPayment, 2],
  [stepPayment, 2],
  [readPayment, 1],
  [listPayments, 1],
  [createQuote, 2],
  [lookAsCustomer, 1],
  [createWithdrawal, 2],
  [simulateWithdrawal, 2],
  [stepWithdrawal, 1],
  [readWithdrawals, 1],
  [changeIdempotency, 1],
  [advanceClock, 2],
  [changeReceiver, 1],
  [disorderWebhooks, 1],
  [replayWebhook, 1],
  [snapshotOrRestore, 1],
];

/** States and events that 1,000 sequences must reach; otherwise they would prove little. */
const milestones = [
  ...["payment created", "deposit created", "creation refused"],
  ...["creation repeated", "creation in conflict", "payment's key reused a day later"],
  ...["creation whose answer is lost", "lost answer returned again", "fault that hides nothing"],
  ...["fault met by chance", "fault spared by chance"],
  ...["success", "underpayment", "overpayment", "timeout", "late", "cancel", "refund"]
    .concat("partial-refund")
    .flatMap((scenario) =>
      ["at-once", "by-hand", "on-clock"].map((steps) => `payment with ${scenario} ${steps}`),
    ),
  ...["payment_not_paid", "payment stepped to refunded", "payment stepped to cancelled"],
  ...["deposit with success at-once", "deposit with late on-clock", "payment_not_pending"],
  ...["scenario_in_progress", "payment without steps", "payment stepped to processing"],
  ...["payment stepped to completed", "payment stepped to failed", "payment stepped to expired"],
  ...["confirmations rise", "payment.moved", "withdrawal.moved"],
  ...["quote created", "quote given again", "quote updated", "quote refused", "quote too late"],
  ...["withdrawal created", "withdrawal refused", "withdrawal repeated", "withdrawal in conflict"],
  ...["withdrawal's key reused a day later", "withdrawal with a fault after"],
  ...["processing", "completed", "failed", "cancelled"].flatMap((status) =>
    ["at-once", "by-hand", "on-clock"].map((steps) => `withdrawal ${status} ${steps}`),
  ),
  ...["withdrawal that cannot move", "withdrawal in progress", "withdrawal without steps"],
  ...["withdrawal stepped to processing", "withdrawal stepped to completed"],
  ...["quotes.expired", "payment.expired", "webhook.attempted"],
  ...["webhook's last attempt", "snapshot restored", "page with payments"],
  ...[
    "no disorder",
    "duplicate",
    "reorder",
    "delay",
    "tamper",
    "stale-timestamp",
    "wrong-secret",
  ].map((disorder) => `webhook replayed with ${disorder}`),
];

// A sample on every run of the tests; `npm run check:model` runs 1,000 from a random seed.
const { SETTLEKIT_MODEL_RUNS: runs = "40", SETTLEKIT_TEST_SEED: seed } = process.env;

test(`after each of ${runs} sequences of steps, seed ${seed}, the sandbox matches the interface's model`, async () => {
  const seen: World["seen"] = new Set();
  const steps = likelihoods.flatMap(([step, times]) => Array.from({ length: times }, () => step));
  const sequences = fc.commands(steps, { maxCommands: 60, size: "+1" });
  const leavesAllAsModelled = fc.asyncProperty(sequences, fc.nat(), async (sequence, worldSeed) => {
    const model = newModel(startOfTime);
    const world = newWorld(model, worldSeed, seen);
    await fc.asyncModelRun(() => ({ model, real: world }), sequence);
    checkEverything(model, world);
  });
  // A failure prints the shortest sequence that was found.
  await fc.assert(leavesAllAsModelled, { numRuns: Number(runs) });
  // A sample need not reach all of them.
  if (Number(runs) < 1000) return;
  expect(milestones.filter((milestone) => !seen.has(milestone))).toEqual([]);
});

function checkEverything(model: Model, { sandbox }: World): void {
  const payments = sandbox.payments.all();
  expect(payments.map(({ id }) => id)).toEqual(model.payments.map(({ id }) => id));
  for (const [index, modelled] of model.payments.entries()) {
    const payment = payments[index];
    if (payment) checkPayment(payment, modelled);
  }
  const withdrawals = sandbox.withdrawals.all();
  expect(withdrawals.map(({ id }) => id)).toEqual(model.withdrawals.map(({ id }) => id));
  for (const [index, modelled] of model.withdrawals.entries()) {
    const withdrawal = withdrawals[index];
    if (withdrawal) checkWithdrawal(withdrawal, modelled);
  }
  expect(
    sandbox.webhooks.deliveries().map(({ event, data, status, attempts, ...waiting }) => ({
      event,
      subject: data.id,
      subjectStatus: data.status,
      attempts: attempts.length,
      duplicates: attempts.filter(({ disorder }) => disorder === "duplicate").length,
      status,
      disorder: waiting.disorder?.kind,
      nextMs: waiting.nextAttemptAt === null ? undefined : Date.parse(waiting.nextAttemptAt),
    })),
  ).toEqual(model.deliveries.map(({ isHeldBack: _, ...delivery }) => delivery));
}
