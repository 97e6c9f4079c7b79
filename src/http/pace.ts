import type { LimitFunction } from "p-limit";
import { leastRetryAfterMs } from "./policy.ts";
import type { Time } from "./time.ts";

/** Factor that keeps an estimate below the limit rather than on it. */
const stepBack = 0.96;
/** The least that a first estimate can be: so few requests may have been all there was to send. */
const leastFirstRate = 10;
/** An estimate that is this close to the one before confirms it. */
const agreement = 0.8;
/** The share of 429s that is taken for a limit; fewer also come from overload, or another client's limit. */
const limitingShare = 0.1;
/** How much one answer weighs in that share, so that it is about the last 50 that count. */
const answerWeight = 0.02;
/** A 429 this soon after a pause is no accident. */
const soonMs = 2_500;
/** A 429 without Retry-After is taken to mean about a second. */
const usualPauseMs = 1_000;
/** The longest pause that one answer can cause. */
const longestPauseMs = 300_000;
/** How long before a 429 accepted requests still show the limit. */
const shortestWindowMs = 1_000;
const longestWindowMs = 10_000;

interface Limit {
  /** Requests per second at `since`; Infinity while nothing limits them. */
  readonly rate: number;
  /** Whether it is more than a guess. */
  readonly isKnown: boolean;
  /** When the last pause ends: from then on the rate rises. */
  readonly since: number;
}

/**
 * How fast the calls with one credential may send. After a 429 all calls wait as long as the service asks, unless the service
 * accepts what was sent after the refused request. The rate is limited only once the 429s show a limit: many of the answers,
 * one soon after a pause, or one while calls wait for their slots. Then calls continue at the rate that the service accepted
 * before, and the rate rises: slowly near a known limit, fast from a guess, and ever faster while no 429 comes.
 */
export class Pace {
  readonly #time: Time;
  /** When the next request may go out. */
  #nextSlot = 0;
  #limit: Limit = {
    rate: Number.POSITIVE_INFINITY,
    isKnown: false,
    since: Number.NEGATIVE_INFINITY,
  };
  /** What a pause goes back to when it turns out to be unfounded. */
  #beforePause = { limit: this.#limit, nextSlot: 0 };
  /** When requests were accepted, the latest ones. */
  #accepted: number[] = [];
  /** The share of 429s among the latest answers, a moving average. */
  #refusedShare = 0;
  /** When the latest of the refused requests went out. */
  #refusedSentAt = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** How long a new request would have to wait. */
  get waitMs(): number {
    return Math.max(0, this.#nextSlot - this.#time.now());
  }

  /** Takes the next free slot. Returns how long to wait for it. */
  reserve(): number {
    const now = this.#time.now();
    const slot = Math.max(now, this.#nextSlot);
    this.#nextSlot = slot + 1000 / rateAt(slot, this.#limit);
    return slot - now;
  }

  /** Whether all calls wait. Slots that were taken for a time within the pause are void. */
  get isPaused(): boolean {
    return this.#limit.since > this.#time.now();
  }

  /** The service accepted a request: any answer but 429. */
  accepted(sentAt: number): void {
    const now = this.#time.now();
    this.#accepted.push(now);
    if ((this.#accepted[0] ?? now) < now - 2 * longestWindowMs) this.#forget(now - longestWindowMs);
    this.#refusedShare -= answerWeight * this.#refusedShare;
    const isUnfounded = sentAt >= this.#refusedSentAt && this.#refusedShare < limitingShare;
    if (!this.isPaused || !isUnfounded) return;
    this.#limit = this.#beforePause.limit;
    this.#nextSlot = this.#beforePause.nextSlot;
  }

  /**
   * The service answered 429.
   *
   * @param sentAt When the request went out: one sent before an earlier pause says nothing about the pace.
   */
  limited(sentAt: number, retryAfterMs: number | undefined): void {
    const now = this.#time.now();
    const isTelling = retryAfterMs !== undefined && retryAfterMs >= leastRetryAfterMs;
    const pauseMs = Math.min(isTelling ? retryAfterMs : usualPauseMs, longestPauseMs);
    this.#refusedShare += answerWeight * (1 - this.#refusedShare);
    this.#refusedSentAt = Math.max(this.#refusedSentAt, sentAt);
    if (!this.isPaused) this.#beforePause = { limit: this.#limit, nextSlot: this.#nextSlot };
    const since = Math.max(this.#limit.since, now + pauseMs);
    const { limit, nextSlot } = this.#beforePause;
    const showsLimit =
      this.#refusedShare >= limitingShare || now - limit.since < soonMs || nextSlot > now;
    // One pause slows down once, however many 429s it has.
    const isSlower = this.#limit.rate < limit.rate;
    if (showsLimit && !isSlower && sentAt >= limit.since) this.#slowDown(now, pauseMs);
    this.#limit = { ...this.#limit, since };
    // Slots after the pause that calls already wait for stay theirs.
    this.#nextSlot = Math.max(this.#nextSlot, since);
  }

  #slowDown(now: number, pauseMs: number): void {
    const { limit } = this.#beforePause;
    const isFirst = limit.rate === Number.POSITIVE_INFINITY;
    const windowMs = Math.min(Math.max(pauseMs, shortestWindowMs), longestWindowMs);
    this.#forget(now - windowMs);
    const [oldest = now] = this.#accepted;
    const estimate = (1000 * this.#accepted.length) / windowMs;
    // A short time since the last pause shows less than the limit.
    const least = isFirst ? leastFirstRate : limit.rate / 2;
    const rate = stepBack * Math.min(Math.max(estimate, least), rateAt(now, limit));
    // More than twice the estimate was asked for, so that it is not just what there was to send.
    const wasExceeded = estimate > leastFirstRate && now - oldest < windowMs / 2;
    const isKnown = isFirst ? wasExceeded : estimate > agreement * limit.rate;
    this.#limit = { ...this.#limit, rate: Math.max(1, rate), isKnown };
  }

  #forget(before: number): void {
    this.#accepted = this.#accepted.filter((at) => at >= before);
  }
}

function rateAt(at: number, { rate, isKnown, since }: Limit): number {
  const seconds = Math.max(0, at - since) / 1000;
  return rate * (isKnown ? probing(seconds) : searching(seconds));
}

/** Hardly rises for a quarter of a minute, by a third in half a minute, twice as fast after 40 s. */
function probing(seconds: number): number {
  return 1 + 0.0005 * seconds + 0.02 * (seconds / 15) ** 4;
}

/** Twice as fast after 3 s, forty times after 10 s. */
function searching(seconds: number): number {
  return 1 + (seconds / 3) ** 3;
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
