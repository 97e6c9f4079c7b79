import type { Operation } from "../wire/operations.ts";
import { checkFault, type Fault, invalidFault, isWholeWithin, type ResetFault } from "./fault.ts";
import { type FaultRoute, faultRoute, type RouteMatcher } from "./fault-route.ts";
import { createLimiter, type Limiter, type RateLimit } from "./rate-limit.ts";
import type { Store } from "./store.ts";

/** To whom a fault happens. */
export interface FaultOptions {
  /** How many requests it happens to; `Infinity` for all until `clear`. Default 1. */
  readonly times?: number | undefined;
}

/**
 * What goes wrong, on purpose. A request meets at most one fault: of those that are waiting for its
 * route, the one that was queued first, which is then used up. Preflights meet none.
 */
export interface SandboxFaults {
  /**
   * Queues a fault for the next requests of a route.
   *
   * @param route A method and the beginning of a path after the group of routes, such as
   * `POST /payments`; `{…}` stands for any segment, and a path from `/v1` on for one group only. `*` is
   * every request.
   * @throws {InvalidRequestError} code `unknown_route` or `invalid_fault`.
   * @example
   * ```ts
   * // The withdrawal is created, but the answer says 503.
   * sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });
   * // Every read is slow from here on.
   * sandbox.faults.next("GET /payments", { latencyMs: 800, when: "before" }, { times: Infinity });
   * ```
   */
  next(route: FaultRoute, fault: Fault, options?: FaultOptions): void;
  /** `next` with a `LatencyFault`. By default the request takes effect at once (`after`). */
  latency(
    route: FaultRoute,
    latencyMs: number,
    options?: FaultOptions & { readonly when?: "before" | "after" | undefined },
  ): void;
  /** `next` with a `ResetFault`. */
  reset(route: FaultRoute, options: FaultOptions & Pick<ResetFault, "when">): void;
  /** `next` with a `TruncationFault`. */
  truncate(route: FaultRoute, options?: FaultOptions): void;
  /**
   * Answers 429 to what is over the limit, in fixed windows of one second of real time, until the limit
   * is `null`. What is refused uses up no fault.
   *
   * @throws {InvalidRequestError} code `invalid_fault`.
   */
  rateLimit(limit: RateLimit | null): void;
  /** What is still waiting, in the order in which it is met. A copy. */
  waiting(): WaitingFault[];
  /** Takes back the limit and whatever is still waiting. */
  clear(): void;
}

/** A fault and the requests that it waits for. */
export interface WaitingFault {
  readonly route: FaultRoute;
  readonly fault: Fault;
  /** How many requests it will still happen to. */
  readonly times: number;
}

/** The faults as requests meet them. */
export interface Faults extends SandboxFaults {
  /** The fault that a request meets; uses it up. */
  take(method: string, pathname: string): Fault | undefined;
}

/** A fault as it is kept. */
interface Waiting {
  readonly route: FaultRoute;
  readonly fault: Fault;
  /** Null for all requests: JSON has no Infinity. */
  readonly times: number | null;
}

export interface FaultsOptions {
  readonly operations: readonly Operation<unknown>[];
  /** Real time, in milliseconds. */
  readonly realNowMs: () => number;
  readonly store: Store;
}

export function createFaults({ operations, realNowMs, store }: FaultsOptions): Faults {
  const waiting = store.table<Waiting>("faults");
  let lastKey = 0;
  const matchers = new Map<FaultRoute, RouteMatcher>();
  const limit = store.cell<Required<RateLimit> | null>("rate limit", null);
  let isWithin: Limiter = () => true;

  function startLimiter(): void {
    const rate = limit.get();
    isWithin = rate === null ? () => true : createLimiter(rate.requestsPerSecond, realNowMs);
  }

  store.onReplaced(() => {
    for (const [key] of waiting.entries()) lastKey = Math.max(lastKey, Number(key));
    startLimiter();
  });

  function matcherOf(route: FaultRoute): RouteMatcher {
    const known = matchers.get(route);
    if (known !== undefined) return known;
    const matcher = faultRoute(route, operations);
    matchers.set(route, matcher);
    return matcher;
  }

  function next(route: FaultRoute, fault: Fault, { times = 1 }: FaultOptions = {}): void {
    if (times !== Number.POSITIVE_INFINITY && !isWholeWithin(times, 1, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("times", "must be a whole number from 1, or Infinity");
    }
    matcherOf(route);
    const kept = { route, fault: checkFault(fault), times: Number.isFinite(times) ? times : null };
    waiting.set(String(++lastKey), kept);
  }

  function take(method: string, pathname: string): Fault | undefined {
    const rate = limit.get();
    if (rate !== null && !isWithin()) {
      return { status: 429, when: "before", retryAfter: rate.retryAfterSeconds };
    }
    if (waiting.size() === 0) return undefined;
    const met = waiting.entries().find(([, { route }]) => matcherOf(route)(method, pathname));
    if (met === undefined) return undefined;
    const [key, { times, ...rest }] = met;
    if (times === 1) waiting.delete(key);
    else if (times !== null) waiting.set(key, { ...rest, times: times - 1 });
    return rest.fault;
  }

  function rateLimit(rate: RateLimit | null): void {
    if (rate === null) {
      limit.set(null);
      startLimiter();
      return;
    }
    const { requestsPerSecond, retryAfterSeconds = 1 } = rate;
    if (!isWholeWithin(requestsPerSecond, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("requestsPerSecond", "must be a whole number from 0");
    }
    if (!isWholeWithin(retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("retryAfterSeconds", "must be a whole number from 0");
    }
    limit.set({ requestsPerSecond, retryAfterSeconds });
    startLimiter();
  }

  return {
    next,
    take,
    rateLimit,
    latency: (route, latencyMs, { when = "after", ...options } = {}) =>
      next(route, { latencyMs, when }, options),
    reset: (route, { when, ...options }) => next(route, { connection: "reset", when }, options),
    truncate: (route, options) => next(route, { connection: "truncated" }, options),
    waiting: () =>
      waiting.values().map(({ route, fault, times }) => {
        return { route, fault: { ...fault }, times: times ?? Number.POSITIVE_INFINITY };
      }),
    clear() {
      for (const [key] of waiting.entries()) waiting.delete(key);
      rateLimit(null);
    },
  };
}
