import pLimit from "p-limit";
import TinyQueue from "tinyqueue";
import { type Duration, durationInMs, maxTimerMs } from "../../duration.ts";
import { invalidArgument } from "../../values.ts";
import { endOfTimeMs, isWholeWithin } from "../checks.ts";
import { createEvents } from "../event-bus.ts";
import type { DueEvent, SandboxEvent } from "../events.ts";
import type { Store } from "../state/store.ts";

/** Work that is due at a certain time. */
export interface DueEntry {
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly kind: string;
  /** Key of its subject, unique within its kind. */
  readonly subject: string;
}

/** An entry and its key in the store, which is the insertion order. */
type Keyed = [key: string, entry: DueEntry];

const byTime = ([a, { dueMs }]: Keyed, [b, other]: Keyed) =>
  dueMs - other.dueMs || Number(a) - Number(b);

/** Pending entries, earliest first; entries due at the same time stay in insertion order. */
export function createDueQueue(store: Store) {
  const table = store.table<DueEntry>("due");
  let queue = new TinyQueue<Keyed>([], byTime);
  let nextKey = 0;

  store.onReplaced(() => {
    const entries = table.entries();
    nextKey = Number(entries.at(-1)?.[0] ?? -1) + 1;
    queue = new TinyQueue(entries, byTime);
  });

  return {
    add(entry: DueEntry): void {
      const key = String(nextKey++);
      table.set(key, entry);
      queue.push([key, entry]);
    },
    first: () => queue.peek()?.[1],
    removeFirst(): DueEntry | undefined {
      const [key = "", entry] = queue.pop() ?? [];
      table.delete(key);
      return entry;
    },
  };
}

/** The clock of one sandbox. Everything that expires or is retried follows it. */
export interface SandboxClock {
  /** The sandbox's time. It never goes back, except by `restore` and `load`. */
  now(): Date;
  /** Whether only `advance` moves the clock: the sandbox, or its data file, was created with `now`. */
  isFrozen(): boolean;
  /**
   * Moves the time forward and runs everything that falls due, in order: quotes and payments expire, failed webhooks
   * are retried. Each event happens at its due time, and the time moves on once its webhooks are answered, so do not
   * await this inside a webhook receiver. A `reset`, `restore` or `load` in the meantime stops it.
   *
   * @param duration Milliseconds, or text such as `"90s"`, `"15m"`, `"24h"` or `"2d"`.
   * @returns The events caused by the passing of time, in order.
   * @throws {InvalidRequestError} code `invalid_duration`.
   * @example
   * ```ts
   * await sandbox.clock.advance("15m");
   * // [{ at: "2026-01-01T00:10:00.000Z", type: "quotes.expired", ... },
   * //  { at: "2026-01-01T00:15:00.000Z", type: "payment.expired", ... }]
   * ```
   */
  advance(duration: Duration): Promise<DueEvent[]>;
}

/**
 * @param frozenAt The time at which the clock is frozen; undefined for real time.
 * @param idle Resolves when no webhook is in flight; `advance` waits for it.
 */
export function createClock(frozenAt: Date | undefined, idle: () => Promise<void>, store: Store) {
  const now = () => new Date(nowMs());
  const events = createEvents(store, now);
  /** In milliseconds since 1970; unless frozen, the clock runs with real time. */
  const base = store.cell(
    "time",
    { frozenAtMs: frozenAt?.getTime() ?? null, advancedMs: 0 },
    { survivesReset: true },
  );
  const due = createDueQueue(store);
  const handlers = new Map<string, (subject: string) => void>();
  let latestMs = 0;
  /** The time that a running `advance` has reached. */
  let reachedMs: number | undefined;
  const inTurn = pLimit(1);
  /** How often everything was replaced, which stops every `advance` that was called before. */
  let replacements = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  function baseMs(): number {
    const { frozenAtMs, advancedMs } = base.get();
    return (frozenAtMs ?? Date.now()) + advancedMs;
  }

  function nowMs(): number {
    latestMs = Math.max(latestMs, reachedMs ?? baseMs());
    return latestMs;
  }

  const isFrozen = () => base.get().frozenAtMs !== null;

  /**
   * Registers the handler for a kind of entry. `advance`, the timer or the next request calls it when a subject is due.
   *
   * @returns A function that schedules a subject.
   */
  function onDue(kind: string, handle: (subject: string) => void) {
    handlers.set(kind, handle);
    return (subject: string, dueMs: number): void => {
      const entry = { dueMs, kind, subject };
      due.add(entry);
      if (due.first() === entry) setTimer();
    };
  }

  /** A frozen clock needs no timer, and `advance` sets one at its end. */
  function setTimer(): void {
    clearTimeout(timer);
    const next = due.first();
    if (next === undefined || isFrozen() || isStopped || reachedMs !== undefined) return;
    const fire = () => {
      catchUp();
      // The timer may fire early, or after a request has already run the entry.
      setTimer();
    };
    timer = setTimeout(fire, Math.min(Math.max(next.dueMs - nowMs(), 0), maxTimerMs));
    // In Workers, timers are numbers, and keep nothing alive.
    timer.unref?.();
  }

  /** Runs everything that fell due since the last call. */
  function catchUp(): void {
    // `advance` runs everything in order itself.
    if (reachedMs !== undefined) return;
    const untilMs = nowMs();
    while ((due.first()?.dueMs ?? Number.POSITIVE_INFINITY) <= untilMs) runFirst();
  }

  function runFirst(): void {
    const first = due.removeFirst();
    if (first) handlers.get(first.kind)?.(first.subject);
  }

  async function travelFor(durationMs: number, calledAt: number): Promise<DueEvent[]> {
    const startMs = nowMs();
    const targetMs = startMs + durationMs;
    if (targetMs > endOfTimeMs) {
      const message =
        "The clock cannot go beyond the year 5138, where webhook timestamps end. Advance it by less.";
      throw invalidArgument("duration", message, "invalid_duration");
    }

    const happened: DueEvent[] = [];
    if (calledAt !== replacements) return happened;
    reachedMs = startMs;
    const until = new Date(targetMs).toISOString();
    const clockSequence = events.emit({ type: "clock.advanced", until });
    let unsubscribe = () => {};
    try {
      await idle();
      unsubscribe = events.subscribe((event) => {
        if (isCausedBy(event, clockSequence)) happened.push(event);
      });
      for (let next = due.first(); next && next.dueMs <= targetMs; next = due.first()) {
        if (reachedMs === undefined) break;
        travelTo(Math.max(next.dueMs, reachedMs));
        events.during({ clockSequence }, runFirst);
        await idle();
      }
    } finally {
      if (reachedMs !== undefined) travelTo(targetMs);
      unsubscribe();
      reachedMs = undefined;
      setTimer();
    }
    return happened;
  }

  /** Stored at every step, so that an interrupted `advance` keeps the time it has reached. */
  function travelTo(pointMs: number): void {
    const { frozenAtMs, advancedMs } = base.get();
    base.set({ frozenAtMs, advancedMs: advancedMs + pointMs - (reachedMs ?? pointMs) });
    reachedMs = pointMs;
  }

  store.onReplaced(() => {
    if (!isWholeWithin(baseMs(), 0, endOfTimeMs)) throw new Error("The saved time is invalid.");
    replacements++;
    // Nothing else turns the time back. It also ends a running `advance`.
    reachedMs = undefined;
    latestMs = Math.min(latestMs, baseMs());
    setTimer();
  });

  return {
    now,
    advance: async (duration: Duration) => inTurn(travelFor, durationInMs(duration), replacements),
    isFrozen,
    /** In milliseconds since 1970. */
    nowMs,
    /** The time on receivers' clocks: real time, however far this clock was advanced, or the frozen time. */
    receiversNowMs: () => (isFrozen() ? nowMs() : Date.now()),
    onDue,
    catchUp,
    /** Ends the timer: then only `advance` and requests run what falls due. */
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
    /** The event bus, whose events happen at the clock's time. */
    events,
  };
}

/** Deliveries have no cause, but `advance` waits for those created while it runs. */
function isCausedBy(event: SandboxEvent, clockSequence: number): event is DueEvent {
  if (event.type === "webhook.attempted") return true;
  return "clockSequence" in event && event.clockSequence === clockSequence;
}
