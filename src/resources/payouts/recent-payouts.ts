import type { Time } from "../../http/time.ts";

/** Long enough for a list to show what was created. */
const rememberedMs = 600_000;
/** The longest that a request without an answer is expected to be under way. */
const longestQuietMs = 120_000;

/** The knowledge of this process about an order, independent of the service's list. */
interface Recollection {
  /** The withdrawal that a call made or found. */
  readonly withdrawalId?: string | undefined;
  /** Until when a request without an answer may still take effect. */
  readonly quietUntil: number;
  readonly forgetAt: number;
}

/**
 * What `createOnce` did in this process, remembered for ten minutes. Lists lag behind creations, and an abandoned request
 * may still arrive: both would look as if nothing had been created.
 */
const payouts = /* @__PURE__ */ new Map<string, Recollection>();

export function recall(key: string, { now }: Time): Recollection | undefined {
  const payout = payouts.get(key);
  return payout !== undefined && payout.forgetAt > now() ? payout : undefined;
}

/** A request leaves now. It is given four times the limit of an attempt to take effect, or two minutes. */
export function rememberSent(key: string, { now }: Time, timeoutMs: number): void {
  keep(key, now(), { quietUntil: now() + Math.min(longestQuietMs, 4 * timeoutMs) });
}

export function rememberWithdrawal(key: string, { now }: Time, withdrawalId: string): void {
  keep(key, now(), { withdrawalId, quietUntil: now() });
}

/** For a request that the service refused. */
export function forget(key: string): void {
  payouts.delete(key);
}

function keep(key: string, now: number, payout: Omit<Recollection, "forgetAt">): void {
  // The oldest come first, as what is kept anew goes to the end.
  payouts.delete(key);
  for (const [other, { forgetAt }] of payouts) {
    if (forgetAt > now) break;
    payouts.delete(other);
  }
  payouts.set(key, { ...payout, forgetAt: now + rememberedMs });
}
