import TinyQueue from "tinyqueue";
import { ConfigurationError, InvalidRequestError } from "../../errors.ts";
import type { Events } from "../event-bus.ts";
import type { DueEvent, SandboxEvent } from "../events.ts";
import type { Store } from "../state/store.ts";
import { type Duration, durationInMs } from "./duration.ts";

/** Kinds of things that fall due. */
export type DueKind =
  | "quotes"
  | "payment"
  | "payment step"
  | "withdrawal step"
  | "delivery"
  | "idempotency key";

/** Something that happens at a certain time. */
export interface DueEntry {
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly kind: DueKind;
  /** Key of what it happens to, unique within its kind. */
  readonly subject: string;
}

/** What is due later, earliest first; entries due at the same time keep their order of insertion. */
interface DueQueue {
  add(entry: DueEntry): void;
  first(): DueEntry | undefined;
  removeFirst(): DueEntry | undefined;
}

interface Ranked {
  readonly entry: DueEntry;
  /** Order of insertion, and the key in the store. */
  readonly rank: number;
}

const byTime = (a: Ranked, b: Ranked) => a.entry.dueMs - b.entry.dueMs || a.rank - b.rank;

export function createDueQueue(store: Store): DueQueue {
  const table = store.table<DueEntry>("due");
  let queue = new TinyQueue<Ranked>([], byTime);
  let nextRank = 0;

  store.onReplaced(() => {
    const ranked = table.entries().map(([key, entry]) => ({ entry, rank: Number(key) }));
    nextRank = (ranked.at(-1)?.rank ?? -1) + 1;
    queue = new TinyQueue(ranked, byTime);
  });

  return {
    add(entry) {
      const rank = nextRank++;
      table.set(String(rank), entry);
      queue.push({ entry, rank });
    },
    first: () => queue.peek()?.entry,
    removeFirst() {
      const first = queue.pop();
      if (first !== undefined) table.delete(String(first.rank));
      return first?.entry;
    },
  };
}

/** The time of one sandbox. Everything that expires or is repeated goes by it. */
export interface SandboxClock {
  /** The sandbox's time. Never earlier than what it gave before. */
  now(): Date;
  /**
   * Moves the time forward and settles, in order, everything that falls due on the way: quotes and
   * payments expire, refused webhooks are sent again. The clock stands at each thing's due time
   * while it happens, and waits until the webhooks it caused are answered.
   *
   * Do not await it inside a webhook receiver: it would wait for that receiver's own answer.
   *
   * @param duration Milliseconds, or text such as `"90s"`, `"15m"`, `"24h"` or `"2d"`.
   * @returns What happened, in order.
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

/** The clock as the rest of the sandbox uses it. */
export interface Clock extends SandboxClock {
  /** Whether it stands still by itself. */
  isFrozen(): boolean;
  /** Milliseconds since 1970. */
  nowMs(): number;
  /**
   * What receivers see on their own clocks, in milliseconds since 1970: real time, however far the
   * sandbox's was advanced. A frozen clock has no other time than its own.
   */
  receiversNowMs(): number;
  /** Has what is due to a subject done at a time, by `advance`, by the timer or before the next request. */
  schedule(due: DueEntry): void;
  /** Says what is done when something of this kind falls due. */
  onDue(kind: DueKind, run: (subject: string) => void): void;
  /** Does what fell due while nobody looked. */
  catchUp(): void;
}

interface ClockOptions {
  /** Where the time stands still; without it, the time is the machine's. */
  readonly frozenAt: Date | undefined;
  /** Resolves when nothing is in flight; `advance` waits for it before the time moves on. */
  readonly quiet: () => Promise<void>;
  readonly events: Events;
  readonly store: Store;
}

/** What the time is made from. */
interface TimeBase {
  /** Where it stands still, in milliseconds since 1970; null while the machine's time runs. */
  readonly frozenAtMs: number | null;
  readonly advancedMs: number;
}

/** Webhooks are stamped in Unix seconds of at most 11 digits, which end in the year 5138. */
const endOfTimeMs = 99_999_999_999_999;

export function createClock({ frozenAt, quiet, events, store }: ClockOptions): Clock {
  const frozenAtMs = frozenAt === undefined ? null : checkedInstant(frozenAt);
  const base = store.cell<TimeBase>("time", { frozenAtMs, advancedMs: 0 }, { survivesReset: true });
  // In the store even where it is the initial value, so that it is saved.
  base.set(base.get());
  const due = createDueQueue(store);
  const doers = new Map<DueKind, (subject: string) => void>();
  let latestMs = 0;
  /** While `advance` travels, the point it has reached. */
  let standingMs: number | undefined;
  let lastTravel: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function baseMs(): number {
    const { frozenAtMs, advancedMs } = base.get();
    return (frozenAtMs ?? Date.now()) + advancedMs;
  }

  function nowMs(): number {
    latestMs = Math.max(latestMs, standingMs ?? baseMs());
    return latestMs;
  }

  function isFrozen(): boolean {
    return base.get().frozenAtMs !== null;
  }

  function schedule(entry: DueEntry): void {
    due.add(entry);
    if (due.first() === entry) setTimer();
  }

  /** A frozen clock needs no timer, and a travelling one sets it on arrival. */
  function setTimer(): void {
    clearTimeout(timer);
    const next = due.first();
    if (next === undefined || isFrozen() || standingMs !== undefined) return;
    timer = setTimeout(onTimer, Math.min(Math.max(next.dueMs - nowMs(), 0), maxTimerMs));
    // Workers' timers are numbers, and keep nothing alive.
    timer.unref?.();
  }

  /** A timer may come early, or late for what a request has settled already: set it again. */
  function onTimer(): void {
    catchUp();
    setTimer();
  }

  function catchUp(): void {
    // A travelling clock comes by everything in its order.
    if (standingMs !== undefined) return;
    const untilMs = nowMs();
    while ((due.first()?.dueMs ?? Number.POSITIVE_INFINITY) <= untilMs) settleFirst();
  }

  function settleFirst(): void {
    const first = due.removeFirst();
    if (first) doers.get(first.kind)?.(first.subject);
  }

  /** One travel at a time: the next one starts where the last one arrived. */
  function advance(duration: Duration): Promise<DueEvent[]> {
    const travel = lastTravel.then(() => travelFor(duration));
    lastTravel = travel.catch(() => undefined);
    return travel;
  }

  async function travelFor(duration: Duration): Promise<DueEvent[]> {
    const distanceMs = durationInMs(duration);
    const startMs = nowMs();
    const targetMs = startMs + distanceMs;
    if (targetMs > endOfTimeMs) throw beyondEndOfTime();

    const happened: DueEvent[] = [];
    standingMs = startMs;
    const [at = "", until = ""] = [startMs, targetMs].map((ms) => new Date(ms).toISOString());
    const clockSequence = events.emit({ type: "clock.advanced", at, until });
    let unsubscribe = () => {};
    try {
      await quiet();
      unsubscribe = events.subscribe((event) => {
        if (isCausedBy(event, clockSequence)) happened.push(event);
      });
      for (let next = due.first(); next && next.dueMs <= targetMs; next = due.first()) {
        travelTo(Math.max(next.dueMs, standingMs));
        events.during({ clockSequence }, settleFirst);
        await quiet();
      }
    } finally {
      travelTo(targetMs);
      unsubscribe();
      standingMs = undefined;
      setTimer();
    }
    return happened;
  }

  /** Every step counts at once, so that whoever stops on the way finds the time where it was. */
  function travelTo(pointMs: number): void {
    const { frozenAtMs, advancedMs } = base.get();
    base.set({ frozenAtMs, advancedMs: advancedMs + pointMs - (standingMs ?? pointMs) });
    standingMs = pointMs;
  }

  store.onReplaced(() => {
    // The only way back in time.
    latestMs = Math.min(latestMs, baseMs());
    setTimer();
  });

  return {
    now: () => new Date(nowMs()),
    advance,
    isFrozen,
    nowMs,
    receiversNowMs: () => (isFrozen() ? nowMs() : Date.now()),
    schedule,
    onDue: (kind, run) => void doers.set(kind, run),
    catchUp,
  };
}

/** Deliveries name no cause, but `advance` waits for those that are made meanwhile. */
function isCausedBy(event: SandboxEvent, clockSequence: number): event is DueEvent {
  if (event.type === "webhook.attempted") return true;
  return "clockSequence" in event && event.clockSequence === clockSequence;
}

/** A timer cannot wait longer; it is then set again. */
const maxTimerMs = 2_147_483_647;

function checkedInstant(now: Date): number {
  const instantMs = now instanceof Date ? now.getTime() : Number.NaN;
  if (instantMs >= 0 && instantMs <= endOfTimeMs) return instantMs;
  throw new ConfigurationError(
    "now must be a valid Date between the years 1970 and 5138. Pass one, or leave it out for the " +
      "machine's time.",
    { code: "invalid_now", param: "now" },
  );
}

function beyondEndOfTime(): InvalidRequestError {
  return new InvalidRequestError(
    "The clock cannot go beyond the year 5138, where webhook timestamps end. Advance it by less.",
    { code: "invalid_duration", param: "duration" },
  );
}
