import type { Operation } from "../wire/operations.ts";
import { checkFault, type Fault, invalidFault, isWholeWithin, type ResetFault } from "./fault.ts";
import { type FaultRoute, faultRoute, type RouteMatcher } from "./fault-route.ts";
import { createLimiter, type Limiter, type RateLimit } from "./rate-limit.ts";
import type { StatePart } from "./state.ts";

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
export interface Faults extends SandboxFaults, StatePart {
  /** The fault that a request meets; uses it up. */
  take(method: string, pathname: string): Fault | undefined;
}

interface Waiting {
  readonly route: FaultRoute;
  readonly matches: RouteMatcher;
  readonly fault: Fault;
  times: number;
}

export interface FaultsOptions {
  readonly operations: readonly Operation<unknown>[];
  /** Real time, in milliseconds. */
  readonly realNowMs: () => number;
}

export function createFaults({ operations, realNowMs }: FaultsOptions): Faults {
  let waiting: Waiting[] = [];
  let limit: { readonly isWithin: Limiter; readonly fault: Fault } | undefined;

  function next(route: FaultRoute, fault: Fault, { times = 1 }: FaultOptions = {}): void {
    if (times !== Number.POSITIVE_INFINITY && !isWholeWithin(times, 1, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("times", "must be a whole number from 1, or Infinity");
    }
    const matches = faultRoute(route, operations);
    waiting.push({ route, matches, fault: checkFault(fault), times });
  }

  function take(method: string, pathname: string): Fault | undefined {
    if (limit && !limit.isWithin()) return limit.fault;
    const met = waiting.find(({ matches }) => matches(method, pathname));
    if (met === undefined) return undefined;
    met.times--;
    if (met.times === 0) waiting = waiting.filter((other) => other !== met);
    return met.fault;
  }

  function rateLimit(rate: RateLimit | null): void {
    if (rate === null) {
      limit = undefined;
      return;
    }
    const { requestsPerSecond, retryAfterSeconds = 1 } = rate;
    if (!isWholeWithin(requestsPerSecond, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("requestsPerSecond", "must be a whole number from 0");
    }
    if (!isWholeWithin(retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault("retryAfterSeconds", "must be a whole number from 0");
    }
    limit = {
      isWithin: createLimiter(requestsPerSecond, realNowMs),
      fault: { status: 429, when: "before", retryAfter: retryAfterSeconds },
    };
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
      waiting.map(({ route, fault, times }) => ({ route, fault: { ...fault }, times })),
    clear() {
      waiting = [];
      limit = undefined;
    },
    capture() {
      const captured = waiting.map((entry) => ({ ...entry }));
      const capturedLimit = limit;
      return () => {
        waiting = captured.map((entry) => ({ ...entry }));
        limit = capturedLimit;
      };
    },
  };
}
