import type { Time } from "../../http/time.ts";
import { processWide } from "../../runtime.ts";

/** Names that identify an account's order within this process, without revealing what they are made from. */
export interface OrderNames {
  /** Equal for the same merchant id or the same credential, so for one merchant only. */
  readonly own: string;
  /** Equal for credentials from one function: they may be one merchant's, whose key rotates, or several merchants'. */
  readonly shared: string;
}

/** Long enough for a list to show what was created. */
const rememberedMs = 600_000;
/** The longest time that an unanswered request is expected to take to arrive. */
export const quietMs = 120_000;

/** This process's own record of an order, independent of the service's list. */
export interface Recollection extends OrderNames {
  /** The withdrawal that a call made or found; undefined if a request has not been answered. */
  readonly withdrawalId: string | undefined;
  readonly at: number;
}

/**
 * The requests and results of `createOnce` in this process by the order's own name, oldest first. Lists lag behind
 * creations, and an abandoned request may still arrive: both would look as if nothing had been created.
 */
const payouts = () => processWide("payouts.1", () => new Map<string, Recollection>());

/** The order's records that still matter: its own credential's, then those of others from the same function, latest first. */
export function recall({ own, shared }: OrderNames, { now }: Time): Recollection[] {
  for (const payout of payouts().values()) {
    const mattersMs = payout.withdrawalId === undefined ? quietMs : rememberedMs;
    if (now() - payout.at >= mattersMs) forget(payout);
  }
  const mine = payouts().get(own);
  const others = [...payouts().values()].filter((it) => it !== mine && it.shared === shared);
  return [...(mine ? [mine] : []), ...others.reverse()];
}

/** Records a request that is about to leave, or the withdrawal that the order turned out to have. */
export function remember(order: OrderNames, { now }: Time, withdrawalId?: string): void {
  // So that the order becomes the latest.
  forget(order);
  payouts().set(order.own, { ...order, withdrawalId, at: now() });
}

/** Called when the service refused the request. */
export function forget({ own }: OrderNames): void {
  payouts().delete(own);
}
