import fc from "fast-check";
import { expect } from "vitest";
import type { Payment } from "../../src/wire/payment.ts";
import {
  isOver,
  moveWithdrawal,
  paymentSteps,
  scheduleStep,
  takePaymentStep,
  withdrawalSteps,
} from "./changes.ts";
import { type Command, choice, chosen, chosenWith, command } from "./command.ts";
import { sendAll } from "./deliveries.ts";
import type { Model, ModelPayment } from "./model.ts";
import { checkPayment } from "./payment-checks.ts";
import { checkWithdrawal } from "./withdrawal-commands.ts";
import { expectWebhooks, paidQuote, saw, type World } from "./world.ts";

const steps = fc.constantFrom("at-once", "at-once", "by-hand", "on-clock");
type Steps = "at-once" | "by-hand" | "on-clock";

const paymentScenarios = [
  "success",
  "success",
  "underpayment",
  "overpayment",
  "timeout",
  "late",
  "cancel",
];

/** Plays the customer, and the service when it cancels a payment. */
export const payPayment = playing(
  "pay",
  "pending",
  paymentScenarios,
  (model) => model.payments.length > 0,
);

export const refundPayment = playing("refund", "completed", ["refund", "partial-refund"], (model) =>
  model.payments.some(({ status }) => status === "completed"),
);

/** Plays a scenario, mostly for a payment with the status that it needs. */
function playing(
  name: string,
  wanted: string,
  scenarios: readonly string[],
  check: (model: Readonly<Model>) => boolean,
): fc.Arbitrary<Command> {
  const inputs = fc.record({
    choice,
    scenario: fc.constantFrom(...scenarios),
    depositInCents: fc.option(fc.constantFrom(1, 4_200), { nil: undefined }),
    steps,
  });
  return inputs.map((input) =>
    command(
      name,
      input,
      async (model, world) => {
        const { payments } = world.sandbox;
        const { scenario } = input;
        const modelled = chosenWith(wanted, model.payments, input.choice);
        const chosenInCents = modelled.type === "deposit" ? input.depositInCents : undefined;
        const paying = payments.simulate(modelled.id, scenario as "success", {
          amountInCents: chosenInCents,
          steps: input.steps as Steps,
        });
        const refusal = refusalOf(modelled, scenario);
        if (refusal !== undefined) {
          saw(world, refusal);
          await expect(paying).rejects.toMatchObject({ code: refusal });
          return expectWebhooks(world, []);
        }

        const payment = await paying;
        saw(world, `${modelled.type} with ${scenario} ${input.steps}`);
        const amountInCents = chosenInCents ?? (modelled.amountInCents || 2500);
        const isOnClock = input.steps === "on-clock";
        const all = paymentSteps(model, modelled, { scenario, amountInCents, isOnClock });
        if (input.steps === "at-once") {
          modelled.ahead = [];
          for (const step of all.filter(({ status }) => status !== "processing")) {
            takePaymentStep(model, modelled, step, paidQuote(payment));
          }
          if (["success", "underpayment", "overpayment", "late"].includes(scenario)) {
            checkReceipt(payment, scenario);
          }
        } else {
          modelled.ahead = all;
          scheduleStep(model, "payment step", modelled);
        }
        checkPayment(payment, modelled);
        return expectWebhooks(world, sendAll(model));
      },
      check,
    ),
  );
}

/** The sandbox's code for a scenario that cannot be played. */
function refusalOf(payment: ModelPayment, scenario: string): string | undefined {
  if (payment.ahead.some((step) => !isOver(payment, step))) return "scenario_in_progress";
  if (scenario.endsWith("refund")) {
    const isPaid = payment.status === "completed";
    const isRest = payment.status === "partially_refunded" && scenario === "refund";
    return isPaid || isRest ? undefined : "payment_not_paid";
  }
  const isPlayable =
    payment.status === "pending" || (payment.status === "expired" && scenario === "late");
  return isPlayable ? undefined : "payment_not_pending";
}

function checkReceipt(payment: Payment, scenario: string): void {
  const { receipt } = payment;
  const paid = paidQuote(payment);
  const received = BigInt(receipt?.settledAmountAsset ?? -1);
  const due = BigInt(paid?.expectedAmountAsset ?? -1);
  const difference = received === due ? "success" : received < due ? "underpayment" : "overpayment";
  expect(difference).toBe(scenario === "late" ? "success" : scenario);
  expect(receipt).toMatchObject({ selectedQuote: { id: paid?.id } });
}

/** The records with remaining steps, or all if there are none. */
function withSteps<Item extends { readonly ahead: readonly unknown[] }>(items: readonly Item[]) {
  const some = items.filter(({ ahead }) => ahead.length > 0);
  return some.length > 0 ? some : items;
}

/** How many steps to take; if none remains, one is still tried. */
const stepping = fc.record({ choice, count: fc.constantFrom(1, 1, 3, 5) });

/** Takes a payment's next steps by hand. */
export const stepPayment: fc.Arbitrary<Command> = stepping.map(({ choice, count }) =>
  command(
    "step payment",
    { choice, count },
    async (model, world) => {
      const modelled = chosen(withSteps(model.payments), choice);
      for (let index = 0; index < count; index++) {
        const isTaken = await takeStep(model, world, modelled);
        if (!isTaken) return;
      }
    },
    ({ payments }) => payments.length > 0,
  ),
);

async function takeStep(model: Model, world: World, modelled: ModelPayment): Promise<boolean> {
  const { payments } = world.sandbox;
  const ahead = modelled.ahead.filter((step) => !isOver(modelled, step));
  expect(payments.upcoming(modelled.id)).toEqual(
    ahead.map(({ status, confirmations, dueMs }) => ({
      status,
      confirmations,
      dueAt: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    })),
  );
  const stepping = payments.step(modelled.id);
  const next = ahead.shift();
  modelled.ahead = ahead;
  scheduleStep(model, "payment step", modelled);
  if (next === undefined) {
    saw(world, "payment without steps");
    await expect(stepping).rejects.toMatchObject({ code: "no_steps_ahead" });
    await expectWebhooks(world, []);
    return false;
  }
  const payment = await stepping;
  saw(world, `payment stepped to ${next.status}`);
  if (modelled.isReceived && next.status === "processing") saw(world, "confirmations rise");
  takePaymentStep(model, modelled, next, paidQuote(payment));
  checkPayment(payment, modelled);
  await expectWebhooks(world, sendAll(model));
  return true;
}

const moves = {
  process: { to: "processing", from: ["pending"] },
  complete: { to: "completed", from: ["pending", "processing"] },
  fail: { to: "failed", from: ["pending", "processing"] },
  cancel: { to: "cancelled", from: ["pending"] },
} as const;

/** Plays the service's part in a withdrawal. */
export const simulateWithdrawal: fc.Arbitrary<Command> = fc
  .record({ choice, scenario: fc.constantFrom("process", "complete", "fail", "cancel"), steps })
  .map(({ choice, scenario, steps }) =>
    command(
      "move",
      { choice, scenario, steps },
      async (model, world) => {
        const modelled = chosenWith("pending", model.withdrawals, choice);
        const { to, from } = moves[scenario as keyof typeof moves];
        const moving = world.sandbox.withdrawals.simulate(
          modelled.id,
          scenario as keyof typeof moves,
          { steps: steps as Steps },
        );
        if (modelled.ahead.length > 0) {
          saw(world, "withdrawal in progress");
          await expect(moving).rejects.toMatchObject({ code: "scenario_in_progress" });
          return expectWebhooks(world, []);
        }
        if (!(from as readonly string[]).includes(modelled.status)) {
          saw(world, "withdrawal that cannot move");
          await expect(moving).rejects.toMatchObject({ code: "withdrawal_not_pending" });
          return expectWebhooks(world, []);
        }
        const withdrawal = await moving;
        saw(world, `withdrawal ${to} ${steps}`);
        if (steps === "at-once") moveWithdrawal(model, modelled, to);
        else {
          const isOnClock = steps === "on-clock";
          modelled.ahead = withdrawalSteps(model, modelled, { to, isOnClock });
          scheduleStep(model, "withdrawal step", modelled);
        }
        checkWithdrawal(withdrawal, modelled);
        return expectWebhooks(world, sendAll(model));
      },
      ({ withdrawals }) => withdrawals.length > 0,
    ),
  );

/** Takes a withdrawal's next steps by hand. */
export const stepWithdrawal: fc.Arbitrary<Command> = stepping.map(({ choice, count }) =>
  command(
    "step withdrawal",
    { choice, count },
    async (model, world) => {
      const modelled = chosen(withSteps(model.withdrawals), choice);
      for (let index = 0; index < count; index++) {
        const stepping = world.sandbox.withdrawals.step(modelled.id);
        const next = modelled.ahead.shift();
        scheduleStep(model, "withdrawal step", modelled);
        if (next === undefined) {
          saw(world, "withdrawal without steps");
          await expect(stepping).rejects.toMatchObject({ code: "no_steps_ahead" });
          return expectWebhooks(world, []);
        }
        const withdrawal = await stepping;
        saw(world, `withdrawal stepped to ${next.status}`);
        moveWithdrawal(model, modelled, next.status);
        checkWithdrawal(withdrawal, modelled);
        await expectWebhooks(world, sendAll(model));
      }
    },
    ({ withdrawals }) => withdrawals.length > 0,
  ),
);
