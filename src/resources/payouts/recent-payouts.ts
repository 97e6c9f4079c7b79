import type { Time } from "../../http/time.ts";

/** Long enough for a list to show what was created. */
const rememberedMs = 600_000;
/** The longest that a request without an answer is expected to be under way. */
const longestQuietMs = 120_000;

/** The knowledge of this process about an order, independent of the service's list. */
export interface Recollection {
  /** The withdrawal that a call made or found. */
  readonly withdrawalId?: string | undefined;
  /** Until when a request without an answer may still take effect. */
  readonly quietUntil: number;
  readonly forgetAt: number;
}

/**
 * Remembers for ten minutes what `createOnce` did in this process. Lists lag behind creations, and an abandoned request may
 * still arrive: both would look as if nothing had been created.
 */
export class RecentPayouts {
  readonly #payouts = new Map<string, Recollection>();

  recall(key: string, { now }: Time): Recollection | undefined {
    const payout = this.#payouts.get(key);
    return payout !== undefined && payout.forgetAt > now() ? payout : undefined;
  }

  /** A request leaves now. It is given four times the limit of an attempt to take effect, or two minutes. */
  sent(key: string, { now }: Time, timeoutMs: number): void {
    this.#keep(key, now(), { quietUntil: now() + Math.min(longestQuietMs, 4 * timeoutMs) });
  }

  exists(key: string, { now }: Time, withdrawalId: string): void {
    this.#keep(key, now(), { withdrawalId, quietUntil: now() });
  }

  /** The service refused the request. */
  refused(key: string): void {
    this.#payouts.delete(key);
  }

  #keep(key: string, now: number, payout: Omit<Recollection, "forgetAt">): void {
    // The oldest come first, as what is kept anew goes to the end.
    this.#payouts.delete(key);
    for (const [other, { forgetAt }] of this.#payouts) {
      if (forgetAt > now) break;
      this.#payouts.delete(other);
    }
    this.#payouts.set(key, { ...payout, forgetAt: now + rememberedMs });
  }
}
