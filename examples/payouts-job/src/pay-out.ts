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
  /** How long a request of a run that was killed may still be on its way. */
  readonly quietMs: number;
  /** Between two payouts the run may end; within one it should not. */
  readonly signal: AbortSignal;
}

/** Clocks of this machine and the service may differ by this much. */
const clockDifferenceMs = 5 * 60_000;

/** Makes the withdrawal of every payout that has none. Any number of runs makes one for each. */
export async function payOut({ client, payouts, quietMs, signal }: PayOutOptions): Promise<void> {
  // Whichever run left a payout as "sending" has ended, so its requests left before now.
  const quietAt = Date.now() + quietMs;
  for (const payout of payouts.inState("sending", "planned")) {
    const { orderId, amountInCents, chainId, recipientAddress, plannedAt, state } = payout;
    if (state === "sending") await until(quietAt, orderId);
    if (signal.aborted) return;
    payouts.sending(orderId);
    try {
      const withdrawal = await client.withdrawals.createOnce(
        { orderId, amountInCents, chainId, recipientAddress },
        // It cannot be older than its plan, so the list need not be read to its end.
        { createdAfter: new Date(Date.parse(plannedAt) - clockDifferenceMs) },
      );
      payouts.keep(orderId, withdrawal);
      console.log(`${orderId}: withdrawal ${withdrawal.id} is ${withdrawal.status}`);
    } catch (error) {
      if (InvalidRequestError.is(error) || IdempotencyConflictError.is(error)) {
        payouts.refuse(orderId, error.message);
        console.error(`${orderId}: ${error.message}`);
      } else if (SettlekitError.is(error) && error.outcome === "unknown") {
        // Stays "sending": the next run looks for its withdrawal.
        console.error(`${orderId}: ${error.message}`);
      } else {
        // No connection, a wrong key, too many requests: the others would fare no better.
        throw error;
      }
    }
  }
}

/** Asks how the withdrawals that are on their way have ended. */
export async function followUp({ client, payouts, signal }: PayOutOptions): Promise<void> {
  for (const { orderId, withdrawalId } of payouts.inState("sent")) {
    if (signal.aborted || withdrawalId === null) return;
    payouts.keep(orderId, await client.withdrawals.get(withdrawalId));
  }
}

/** Looking for a withdrawal proves nothing while a request to create it may still be on its way. */
async function until(quietAt: number, orderId: string): Promise<void> {
  const remainingMs = quietAt - Date.now();
  if (remainingMs <= 0) return;
  console.log(`${orderId}: an earlier run ended while sending it. Waiting ${remainingMs} ms.`);
  await setTimeout(remainingMs);
}
