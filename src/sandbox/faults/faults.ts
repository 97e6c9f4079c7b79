import type { HonoRequest } from "hono";
import { checkOptionNames } from "../../values.ts";
import { credentialHeaderNames } from "../../wire/credential.ts";
import { checkRule, isWholeWithin } from "../checks.ts";
import type { Core } from "../core.ts";
import type { FaultMet } from "../events.ts";
import type { RandomStream } from "../random.ts";
import type { Table } from "../state/store.ts";
import {
  checkedRate,
  checkFault,
  checkRoute,
  type Fault,
  type FaultRoute,
  type Frequency,
  isOnRoute,
  type RateLimit,
  type ResetFault,
} from "./fault.ts";

interface Waiting<Item> {
  readonly item: Item;
  /** How many more times it will happen; null for always, because JSON has no Infinity. */
  readonly times: number | null;
  readonly probability: number;
}

/**
 * Faults or disorders waiting for a matching request or webhook, in the order added.
 *
 * @param chance The stream that probabilities are drawn from. Not called for items without one.
 */
export function createWaitingList<Item extends object>(
  table: Table<Waiting<Item>>,
  chance: () => RandomStream,
  code: "invalid_fault" | "invalid_disorder",
) {
  /** @throws {InvalidRequestError} For an invalid frequency. */
  function add(item: Item, frequency: Frequency): void {
    const { probability = 1, times } = frequency;
    const isLikely = Number.isFinite(probability) && probability > 0 && probability <= 1;
    checkRule(isLikely, "probability", "a number above 0 and up to 1", probability, code);
    const count = times ?? (probability < 1 ? Number.POSITIVE_INFINITY : 1);
    const isCount =
      count === Number.POSITIVE_INFINITY || isWholeWithin(count, 1, Number.MAX_SAFE_INTEGER);
    checkRule(isCount, "times", "a positive whole number, or Infinity", count, code);
    const key = String(Number(table.entries().at(-1)?.[0] ?? 0) + 1);
    table.set(key, { item, times: Number.isFinite(count) ? count : null, probability });
  }

  /** Returns the first item that matches and passes its probability, and counts down its `times`. */
  function take(fits: (item: Item) => boolean): Item | undefined {
    for (const [key, { item, times, probability }] of table.entries()) {
      if (!fits(item)) continue;
      if (probability < 1 && chance().fraction() >= probability) continue;
      if (times === 1) table.delete(key);
      else if (times !== null) table.set(key, { item, times: times - 1, probability });
      return item;
    }
    return undefined;
  }

  return {
    add,
    take,
    /** In the order in which they apply. */
    waiting: () =>
      table.values().map(({ item, times, probability }) => ({
        ...structuredClone(item),
        times: times ?? Number.POSITIVE_INFINITY,
        probability,
      })),
    clear() {
      for (const [key] of table.entries()) table.delete(key);
    },
  };
}

/**
 * Makes requests fail on purpose. At most one fault applies to a request: the first one waiting for its route, which is
 * then used up. None applies to preflights.
 */
export interface SandboxFaults {
  /**
   * Queues a fault for the next requests of a route.
   *
   * @param route A method and a path prefix after the group of routes, such as `POST /payments`. `{…}` matches any
   * segment; a path that starts with `/v1` matches only one group; `*` matches every request.
   * @throws {InvalidRequestError} code `unknown_route` or `invalid_fault`.
   * @throws {ConfigurationError} code `unknown_option`: the fault has a field that its kind does not take.
   * @example
   * ```ts
   * // The withdrawal is created, but the response is a 503.
   * sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });
   * // The response is a 503, three seconds late, and nothing is created.
   * sandbox.faults.next("POST /payments", { status: 503, when: "before", latencyMs: 3000 });
   * // From now on, reads of payments are slow.
   * sandbox.faults.next("GET /payments", { latencyMs: 800, when: "before" }, { times: Infinity });
   * // One request in five loses its response: the same ones in every run with the same seed.
   * sandbox.faults.next("*", { connection: "reset", when: "after" }, { probability: 0.2 });
   * ```
   */
  next(route: FaultRoute, fault: Fault, options?: Frequency): void;
  /** `next` with a `LatencyFault`. By default the request takes effect immediately (`after`). */
  latency(
    route: FaultRoute,
    latencyMs: number,
    options?: Frequency & { readonly when?: "before" | "after" | undefined },
  ): void;
  /** `next` with a `ResetFault`. */
  reset(route: FaultRoute, options: Frequency & Pick<ResetFault, "when">): void;
  /** `next` with a `TruncationFault`. */
  truncate(route: FaultRoute, options?: Frequency): void;
  /**
   * Responds with 429 to requests over the limit, in fixed windows of one second of real time. Each secret key, payment
   * secret and bearer token has its own limit. Requests over the limit do not use up a fault. `null` removes the limit.
   *
   * @throws {InvalidRequestError} code `invalid_fault`.
   */
  rateLimit(limit: RateLimit | null): void;
  /** The current limit, if any. */
  limit(): Required<RateLimit> | null;
  /** A copy of the waiting faults, in the order in which they apply. */
  waiting(): WaitingFault[];
  /** Removes the limit and all waiting faults. */
  clear(): void;
}

/** A fault, and the requests it is waiting for. */
export interface WaitingFault extends Required<Frequency> {
  readonly route: FaultRoute;
  readonly fault: Fault;
}

export type Faults = ReturnType<typeof createFaults>;

const frequencyNames = ["probability", "times"];

export function createFaults({ store, random, headerPrefix }: Core) {
  const waiting = createWaitingList<Pick<WaitingFault, "route" | "fault">>(
    store.table("faults"),
    () => random.stream("faults"),
    "invalid_fault",
  );
  const limit = store.cell<Required<RateLimit> | null>("rate limit", null);
  /** Each caller's requests in the current second. It is in real time, because clients wait in real time. */
  const counts = new Map<string, number>();
  let windowEndMs = 0;
  store.onReplaced(() => {
    windowEndMs = 0;
  });

  /** Counts a request, and returns the number of its caller's requests in this window. */
  function count(caller: string): number {
    const now = performance.now();
    if (now >= windowEndMs) {
      windowEndMs = now + 1_000;
      counts.clear();
    }
    const sent = (counts.get(caller) ?? 0) + 1;
    counts.set(caller, sent);
    return sent;
  }

  function next(route: FaultRoute, fault: Fault, frequency: Frequency = {}): void {
    checkOptionNames(frequency, frequencyNames);
    checkRoute(route);
    waiting.add({ route, fault: checkFault(fault) }, frequency);
  }

  /** Takes the fault that applies to a request, if any. */
  function take({ method, path, raw }: HonoRequest): Pick<FaultMet, "route" | "fault"> | undefined {
    const rate = limit.get();
    if (rate !== null && count(callerOf(raw.headers, headerPrefix)) > rate.requestsPerSecond) {
      const fault = { status: 429, when: "before", retryAfter: rate.retryAfterSeconds } as const;
      return { route: null, fault };
    }
    return waiting.take(({ route }) => isOnRoute(route, method, path));
  }

  function rateLimit(rate: RateLimit | null): void {
    limit.set(rate === null ? null : checkedRate(rate));
    windowEndMs = 0;
  }

  return {
    next,
    take,
    rateLimit,
    latency(route, latencyMs, options = {}) {
      checkOptionNames(options, ["when", ...frequencyNames]);
      const { when = "after", ...frequency } = options;
      next(route, { latencyMs, when }, frequency);
    },
    reset(route, options = {} as Pick<ResetFault, "when">) {
      checkOptionNames(options, ["when", ...frequencyNames]);
      const { when, ...frequency } = options;
      next(route, { connection: "reset", when }, frequency);
    },
    truncate: (route, options) => next(route, { connection: "truncated" }, options),
    limit: () => structuredClone(limit.get()),
    waiting: waiting.waiting,
    clear() {
      waiting.clear();
      rateLimit(null);
    },
  } satisfies SandboxFaults & Record<"take", unknown>;
}

/** The credential of a request. Requests without one count as one caller. */
export function callerOf(headers: Headers, headerPrefix: string): string {
  const credentials = credentialHeaderNames(headerPrefix).map((name) => headers.get(name));
  return credentials.find((credential) => credential !== null) ?? "";
}
