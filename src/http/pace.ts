import type { LimitFunction } from "p-limit";
import { leastRetryAfterMs } from "./policy.ts";
import type { Time } from "./time.ts";

/** Factor that keeps an estimate below the limit rather than on it. */
const stepBack = 0.96;
/** Factor for a pace that met the limit soon. */
const retreat = 0.8;
/** A 429 without Retry-After is taken to mean about a second. */
const usualPauseMs = 1_000;
/** How long before a 429 accepted requests still show the limit. */
const shortestWindowMs = 1_000;
const longestWindowMs = 10_000;
/** The fewest of them for an estimate, and for a good one. */
const fewestAccepted = 3;
const enoughAccepted = 10;
/** The longest pause that one answer can cause. */
const longestPauseMs = 300_000;
/** A limit met again within this time was estimated too high, or fell. */
const soonMs = 2_500;

/**
 * How fast the calls with one credential may send. Unlimited until the first 429. Then all calls wait as long as the service
 * asks, and continue at the pace that it accepted before. From there the pace rises: slowly near a known limit, and ever
 * faster while no 429 comes, because limits change.
 */
export class Pace {
  readonly #time: Time;
  /** When the next request may go out. */
  #nextSlot = 0;
  /** Requests per second at `#since`; undefined while nothing limits it. */
  #base: number | undefined;
  /** Whether `#base` is known to be just below the limit. */
  #isKnown = false;
  /** Start of the current stretch without a 429: the end of the pause after the last one. */
  #since: number;
  /** When requests were accepted in this stretch, the latest ones. */
  #accepted: number[] = [];

  constructor(time: Time) {
    this.#time = time;
    this.#since = time.now();
  }

  /** How long a new request would have to wait. */
  get waitMs(): number {
    return Math.max(0, this.#nextSlot - this.#time.now());
  }

  /** Takes the next free slot. Returns how long to wait for it. */
  reserve(): number {
    const now = this.#time.now();
    const slot = Math.max(now, this.#nextSlot);
    const rate = this.#rateAt(slot);
    if (rate !== undefined) this.#nextSlot = slot + 1000 / rate;
    return slot - now;
  }

  /** Whether all calls wait. Slots that were taken before the pause are void. */
  get isPaused(): boolean {
    return this.#since > this.#time.now();
  }

  /** The service accepted a request: any answer but 429. */
  accepted(): void {
    const now = this.#time.now();
    this.#accepted.push(now);
    if ((this.#accepted[0] ?? now) < now - 2 * longestWindowMs) this.#forget(now - longestWindowMs);
  }

  /**
   * The service answered 429.
   *
   * @param sentAt When the request went out: one sent before the pause says nothing about the pace.
   */
  limited(sentAt: number, retryAfterMs: number | undefined): void {
    const now = this.#time.now();
    const isTelling = retryAfterMs !== undefined && retryAfterMs >= leastRetryAfterMs;
    const pauseMs = Math.min(isTelling ? retryAfterMs : usualPauseMs, longestPauseMs);
    if (sentAt >= this.#since) this.#slowDown(now, pauseMs);
    this.#since = Math.max(this.#since, now + pauseMs);
    this.#nextSlot = this.#since;
    this.#accepted = [];
  }

  #slowDown(now: number, pauseMs: number): void {
    const rate = this.#rateAt(now);
    if (rate !== undefined && now - this.#since > soonMs) {
      this.#base = Math.max(1, rate * stepBack);
      this.#isKnown = true;
      return;
    }
    const windowMs = Math.min(Math.max(pauseMs, shortestWindowMs), longestWindowMs);
    this.#forget(now - windowMs);
    if (rate === undefined && this.#accepted.length < fewestAccepted) return;
    const estimate = ((1000 * this.#accepted.length) / windowMs) * stepBack;
    this.#base = Math.max(1, Math.min(estimate, (rate ?? Number.POSITIVE_INFINITY) * retreat));
    this.#isKnown = rate === undefined && this.#accepted.length >= enoughAccepted;
  }

  #forget(before: number): void {
    this.#accepted = this.#accepted.filter((at) => at >= before);
  }

  #rateAt(at: number): number | undefined {
    if (this.#base === undefined) return undefined;
    const seconds = Math.max(0, at - this.#since) / 1000;
    return this.#base * (this.#isKnown ? probing(seconds) : searching(seconds));
  }
}

/** Hardly rises for a quarter of a minute, by a third in half a minute, twice as fast after 40 s. */
function probing(seconds: number): number {
  return 1 + 0.0005 * seconds + 0.02 * (seconds / 15) ** 4;
}

/** Twice as fast after 11 s, forty times after a minute. */
function searching(seconds: number): number {
  return 1 + 0.06 * seconds + 0.02 * (seconds / 5) ** 3;
}

/** How many credentials have their own pace at once; on a server, each checkout has one. */
const mostPaces = 1_000;

/** The pace of each credential, because a 429 for one says nothing about the others. */
export class Paces {
  readonly #time: Time;
  readonly #paces = new Map<string, Pace>();

  constructor(time: Time) {
    this.#time = time;
  }

  of(credential: string): Pace {
    const pace = this.#paces.get(credential) ?? new Pace(this.#time);
    // Set again each time, so that the least recently used comes first.
    this.#paces.delete(credential);
    this.#paces.set(credential, pace);
    const [oldest] = this.#paces.keys();
    if (oldest !== undefined && this.#paces.size > mostPaces) this.#paces.delete(oldest);
    return pace;
  }
}

/**
 * Takes a place among the requests under way, or in the queue for one.
 *
 * @returns `turn` resolves when it is this request's turn; undefined when that is now. `leave` gives up the place.
 */
export function enter(limit: LimitFunction) {
  const isFree = limit.activeCount < limit.concurrency;
  const { promise: over, resolve: leave } = Promise.withResolvers<void>();
  const turn = new Promise<void>((begin) => {
    limit(() => {
      begin();
      return over;
    });
  });
  return { turn: isFree ? undefined : turn, leave };
}

// In tenths of a retry, so that ten successes make a whole one.
const capacity = 1_000;
const cost = 10;
const refillPerSecond = 10;
const refillPerSuccess = 1;

/**
 * A token bucket that all calls of a client draw retries from. In an outage it runs dry, and calls
 * fail after their first attempt instead of multiplying the load; successes and time fill it again.
 */
export class RetryBudget {
  readonly #time: Time;
  #tokens = capacity;
  #filledAt: number;

  constructor(time: Time) {
    this.#time = time;
    this.#filledAt = time.now();
  }

  get hasRetry(): boolean {
    const now = this.#time.now();
    this.#fill(((now - this.#filledAt) / 1000) * refillPerSecond);
    this.#filledAt = now;
    return this.#tokens >= cost;
  }

  spend(): void {
    this.#tokens -= cost;
  }

  succeeded(): void {
    this.#fill(refillPerSuccess);
  }

  #fill(tokens: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + tokens);
  }
}
