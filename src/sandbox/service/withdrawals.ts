import type { CreateWithdrawalBody, Withdrawal } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { NewChange } from "../event-bus.ts";
import { createRecords } from "../state/store.ts";
import type { Publish } from "../webhooks/deliveries.ts";

export type Withdrawals = ReturnType<typeof createWithdrawals>;

/** The withdrawals of a sandbox. Each is immutable, as payments are. */
export function createWithdrawals({ clock, random, store }: Core, publish: Publish) {
  const withdrawals = createRecords<Withdrawal>(store, "withdrawals");

  function create(merchantId: string, fields: CreateWithdrawalBody): Withdrawal {
    const { amountInCents, chainId, recipientAddress, currency = "USD", ...texts } = fields;
    const createdAt = clock.now().toISOString();
    const withdrawal: Withdrawal = {
      id: random.stream("withdrawals").uuid(),
      merchantId,
      amountInCents,
      chainId,
      recipientAddress,
      status: "pending",
      currency,
      ...texts,
      errorMessage: null,
      receipt: null,
      createdAt,
      updatedAt: createdAt,
    };
    withdrawals.put(withdrawal);
    publish("withdrawal.created", withdrawal, changeTo("withdrawal.created", withdrawal));
    return withdrawal;
  }

  /** Replaces a withdrawal by its next state, and sends a webhook. */
  function transition(withdrawal: Withdrawal, changes: Partial<Withdrawal>): Withdrawal {
    // Interface section 3.2, rule 3: it increases with every change, even while the clock is frozen.
    const updatedMs = Math.max(clock.nowMs(), Date.parse(withdrawal.updatedAt) + 1);
    const updatedAt = new Date(updatedMs).toISOString();
    const next = { ...withdrawal, ...changes, updatedAt };
    withdrawals.put(next);
    publish("withdrawal.updated", next, changeTo("withdrawal.moved", next));
    return next;
  }

  return { ...withdrawals, create, transition };
}

function changeTo(
  type: "withdrawal.created" | "withdrawal.moved",
  { id: withdrawalId, orderId = null, status }: Withdrawal,
): NewChange {
  return { type, withdrawalId, orderId, status };
}
