import { setTimeout } from "node:timers/promises";
import {
  IdempotencyConflictError,
  InvalidRequestError,
  type MerchantClient,
  SettlekitError,
} from "settlekit";
import type { Payouts } from "./payouts.ts";

interface PayOutOptions {
  readonly client: MerchantClient;
  readonly payouts: Payouts;
  /** How long a request of a killed run may take to arrive and to show up in the service's list. */
  readonly quietMs: number;
  /** Ends the run between two payouts, never within one. */
  readonly signal: AbortSignal;
}

/** Creates the withdrawal of every payout that has none. Any number of runs creates one each. */
export async function payOut({ client, payouts, quietMs, signal }: PayOutOptions): Promise<void> {
  // The run that left a payout as "sending" has ended, so its requests left before now.
  const quietAt = Date.now() + quietMs;
  for (const payout of payouts.inState("sending", "planned")) {
    const { orderId, amountInCents, chainId, recipientAddress, plannedAt, state } = payout;
    if (state === "sending") await until(quietAt, orderId);
    if (signal.aborted) return;
    payouts.sending(orderId);
    try {
      const withdrawal = await client.withdrawals.createOnce(
        { orderId, amountInCents, chainId, recipientAddress },
        // The withdrawal cannot be older than its plan, so the lookup need not read the whole list.
        { createdAfter: plannedAt },
      );
      payouts.keep(orderId, withdrawal);
      console.log(`${orderId}: withdrawal ${withdrawal.id} is ${withdrawal.status}`);
    } catch (error) {
      if (!SettlekitError.is(error)) throw error;
      console.error(`${orderId}: ${error.message}`);
      if (IdempotencyConflictError.is(error)) {
        // The order id has a withdrawal with other parameters, or several. Money may have moved.
        payouts.stop(orderId, "needs_decision", error.message);
      } else if (error.outcome === "unknown") {
        // The payout stays "sending": the next run looks for its withdrawal.
      } else if (InvalidRequestError.is(error)) {
        payouts.stop(orderId, "refused", error.message);
      } else {
        // No connection, a revoked key, a rate limit: the other payouts would fail, too.
        throw error;
      }
    }
  }
}

/** Updates the withdrawals that are on their way. */
export async function followUp({ client, payouts, signal }: PayOutOptions): Promise<void> {
  for (const { orderId, withdrawalId } of payouts.inState("sent")) {
    if (signal.aborted || withdrawalId === null) return;
    payouts.keep(orderId, await client.withdrawals.get(withdrawalId));
  }
}

/** A lookup proves nothing while a request to create the withdrawal may still be on its way. */
async function until(quietAt: number, orderId: string): Promise<void> {
  const remainingMs = quietAt - Date.now();
  if (remainingMs <= 0) return;
  console.log(`${orderId}: an earlier run ended while sending it. Waiting ${remainingMs} ms.`);
  await setTimeout(remainingMs);
}
