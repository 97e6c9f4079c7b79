import type { LimitFunction } from "p-limit";
import { leastRetryAfterMs } from "./policy.ts";
import type { Time } from "./time.ts";

/** Factor that keeps an estimate below the limit rather than on it. */
const stepBack = 0.96;
/** The lowest first estimate: fewer accepted requests may simply mean that there were no more to send. */
const leastFirstRate = 10;
/** The share of 429s among roughly the last 50 responses that shows a limit. A lower share has other causes. */
const limitingShare = 0.1;
const answerWeight = 0.02;
/** A 429 this soon after a pause is no coincidence. */
const soonMs = 2_500;
/** The assumed pause after a 429 without Retry-After. */
const usualPauseMs = 1_000;
/** The longest pause that one response can cause. */
const longestPauseMs = 300_000;
/** Requests accepted longer than this before a 429 say nothing about the limit. */
const longestWindowMs = 10_000;

interface State {
  /** Requests per second at `since`; Infinity while no limit is known. */
  readonly rate: number;
  /** Whether the rate is more than a guess. */
  readonly isKnown: boolean;
  /** The end of the last pause, from which the rate rises. */
  readonly since: number;
  /** When the next request may go out. */
  readonly nextSlot: number;
}

/**
 * Paces the calls of one account. After a 429, all calls wait as long as the service asks, or until it accepts a
 * request sent after the refused one. A rate applies only once 429s show a limit: many responses are 429, or one
 * arrives soon after a pause or while calls wait for their slots. The rate starts at what the service accepted before,
 * then rises: slowly near a known limit, quickly from a guess, and ever faster while no 429 arrives, because limits
 * change.
 */
export class Pace {
  readonly #time: Time;
  #state: State = { rate: Number.POSITIVE_INFINITY, isKnown: false, since: -soonMs, nextSlot: 0 };
  /** The state to return to if a pause turns out to be unfounded. */
  #beforePause = this.#state;
  /** When recent requests were accepted. */
  readonly #accepted: number[] = [];
  #refusedShare = 0;
  /** When the latest refused request was sent. */
  #refusedSentAt = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** How long a new request would have to wait. */
  get waitMs(): number {
    return Math.max(0, this.#state.nextSlot - this.#time.now());
  }

  /** Takes the next free slot. Returns how long to wait for it. */
  reserve(): number {
    const { waitMs } = this;
    const slot = this.#time.now() + waitMs;
    this.#state = { ...this.#state, nextSlot: slot + 1000 / rateAt(slot, this.#state) };
    return waitMs;
  }

  /** Gives back a slot that is not used. */
  release(): void {
    const { nextSlot, since } = this.#state;
    const freed = nextSlot - 1000 / rateAt(nextSlot, this.#state);
    this.#state = { ...this.#state, nextSlot: Math.max(since, freed) };
  }

  /** Whether all calls are paused. A pause voids the slots within it. */
  get isPaused(): boolean {
    return this.#state.since > this.#time.now();
  }

  /** The service accepted a request: it sent any response but a 429. */
  accepted(sentAt: number): void {
    const now = this.#time.now();
    this.#accepted.push(now);
    // In bulk, because shift() moves all the others, which takes a tenth of the time at thousands of calls a second.
    if ((this.#accepted[0] ?? now) < now - 2 * longestWindowMs) {
      const recent = this.#accepted.findIndex((at) => at >= now - longestWindowMs);
      this.#accepted.splice(0, recent);
    }
    this.#refusedShare *= 1 - answerWeight;
    const isUnfounded = sentAt > this.#refusedSentAt && this.#refusedShare < limitingShare;
    if (this.isPaused && isUnfounded) this.#state = this.#beforePause;
  }

  /** The service answered 429. If the request was sent before an earlier pause, this says nothing about the pace. */
  limited(sentAt: number, retryAfterMs: number | undefined): void {
    const now = this.#time.now();
    const isTelling = retryAfterMs !== undefined && retryAfterMs >= leastRetryAfterMs;
    const pauseMs = Math.min(isTelling ? retryAfterMs : usualPauseMs, longestPauseMs);
    this.#refusedShare += answerWeight * (1 - this.#refusedShare);
    this.#refusedSentAt = Math.max(this.#refusedSentAt, sentAt);
    if (!this.isPaused) this.#beforePause = this.#state;
    const before = this.#beforePause;
    const isMany = this.#refusedShare >= limitingShare;
    const showsLimit = isMany || now - before.since < soonMs || before.nextSlot > now;
    // Slow down once per pause, however many 429s arrive.
    const isSlower = this.#state.rate < before.rate;
    const slower = showsLimit && !isSlower && sentAt >= before.since && this.#slower(now, pauseMs);
    const since = Math.max(this.#state.since, now + pauseMs);
    // Slots after the pause stay with the calls already waiting for them.
    const nextSlot = Math.max(this.#state.nextSlot, since);
    this.#state = { ...this.#state, ...slower, since, nextSlot };
  }

  #slower(now: number, pauseMs: number): Pick<State, "rate" | "isKnown"> {
    const before = this.#beforePause;
    const isFirst = before.rate === Number.POSITIVE_INFINITY;
    const windowMs = Math.min(Math.max(pauseMs, usualPauseMs), longestWindowMs);
    const accepted = this.#accepted.filter((at) => at >= now - windowMs);
    const [oldest = now] = accepted;
    const estimate = (1000 * accepted.length) / windowMs;
    // Soon after the previous pause, the estimate is below the limit.
    const least = isFirst ? leastFirstRate : before.rate / 2;
    const rate = stepBack * Math.min(Math.max(estimate, least), rateAt(now, before));
    // Demand was more than twice the estimate, so the estimate measures the limit, not the demand.
    const wasExceeded = estimate > leastFirstRate && now - oldest < windowMs / 2;
    const isKnown = isFirst ? wasExceeded : estimate > 0.8 * before.rate;
    return { rate: Math.max(1, rate), isKnown };
  }
}

/** A known limit's rate hardly rises for 15 s, and doubles in 40 s. A guess doubles in 3 s. */
function rateAt(at: number, { rate, isKnown, since }: State): number {
  const seconds = Math.max(0, at - since) / 1000;
  return rate * (1 + (isKnown ? (seconds / 40) ** 4 : (seconds / 3) ** 3));
}

/** How many accounts are tracked at once; on a server, each checkout is one. */
const mostPaces = 1_000;

/** The pace of each account: a credential, or a dashboard's merchant. A 429 for one says nothing about the others. */
export class Paces {
  readonly #time: Time;
  readonly #paces = new Map<string, Pace>();

  constructor(time: Time) {
    this.#time = time;
  }

  of(account: string): Pace {
    const pace = this.#paces.get(account) ?? new Pace(this.#time);
    // Reinsert, so that the least recently used comes first.
    this.#paces.delete(account);
    this.#paces.set(account, pace);
    const [oldest] = this.#paces.keys();
    if (oldest !== undefined && this.#paces.size > mostPaces) this.#paces.delete(oldest);
    return pace;
  }
}

/**
 * Takes a concurrency slot, or queues for one.
 *
 * @returns `turn` resolves when this request gets its slot; undefined if one was free, or there is no limit. `leave`
 * releases the slot.
 */
export function enter(limit: LimitFunction | undefined) {
  if (limit === undefined) return { turn: undefined, leave() {} };
  const isFree = limit.activeCount < limit.concurrency;
  const [turn, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  limit(() => {
    turn.resolve();
    return end.promise;
  });
  return { turn: isFree ? undefined : turn.promise, leave: end.resolve };
}

// In tenths of a retry: ten successes earn one.
const capacity = 1_000;
const cost = 10;
const refillPerSecond = 10;
const refillPerSuccess = 1;

/**
 * A token bucket from which all calls of a client draw retries. In an outage it runs dry, and calls fail after their
 * first attempt instead of multiplying the load; successes and time refill it.
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
