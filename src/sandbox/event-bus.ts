import { show } from "../values.ts";
import type {
  Announced,
  Cause,
  EventBasics,
  RequestEntry,
  SandboxEvent,
  SandboxListener,
  TimelineEntry,
} from "./events.ts";
import type { Store } from "./state/store.ts";

/** An event before the bus numbers it and adds what caused it. */
type Unnumbered<Entry> = Entry extends RequestEntry
  ? Omit<Entry, "sequence">
  : Entry extends Cause
    ? Omit<Entry, "sequence" | keyof Cause>
    : Entry extends EventBasics
      ? Omit<Entry, "sequence">
      : never;
type NewEvent = Unnumbered<TimelineEntry>;

/** A change before its webhook event has an id. */
type Unannounced<Change> = Change extends NewEvent ? Omit<Change, "at" | keyof Announced> : never;
export type NewChange = Unannounced<
  Extract<NewEvent, Announced | { readonly type: "payment.moved" }>
>;

/** The one place that events come from, with the latest of them: the timeline. */
export interface Events {
  /** @returns The event's sequence number. */
  emit(event: NewEvent): number;
  /** Tells how a request ended, unless its event is gone. */
  ended(sequence: number, end: Pick<RequestEntry, "outcome" | "status">): void;
  /** Names this cause in everything that a synchronous piece of work emits. */
  during<Result>(cause: Partial<Cause>, work: () => Result): Result;
  /** Tells that everything was replaced, once it has been. */
  reset(): void;
  /** Calls the listener within `emit`. @returns A function that unsubscribes. */
  subscribe(listener: (event: SandboxEvent) => void): () => void;
  /** Calls the listener right after the step that emitted the event, so that it may use the sandbox. */
  on<Type extends SandboxEvent["type"] | "*">(
    type: Type,
    listener: SandboxListener<Type>,
  ): () => void;
  /** The timeline, oldest first. */
  entries(): readonly TimelineEntry[];
  /** How many older events the timeline dropped since the last reset. */
  dropped(): number;
}

const maxEntries = 2_000;
const noCause: Cause = { requestId: null, clockSequence: null };

export function createEvents(store: Store): Events {
  /** By their sequence numbers. */
  const entries = store.table<TimelineEntry>("timeline", { limit: maxEntries });
  const listeners = new Set<(event: SandboxEvent) => void>();
  let lastSequence = 0;
  let cause = noCause;

  function tell(event: SandboxEvent): void {
    for (const listener of listeners) listener(event);
  }

  function subscribe(listener: (event: SandboxEvent) => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  function keep(entry: TimelineEntry): void {
    entries.set(String(entry.sequence), entry);
    tell(entry);
  }

  store.onReplaced(() => {
    for (const entry of entries.values()) {
      lastSequence = Math.max(lastSequence, entry.sequence);
      if (entry.type === "request" && entry.outcome === "open") {
        // Its client waits for another process, or in another past.
        entries.set(String(entry.sequence), { ...entry, outcome: "unanswered" });
      }
    }
  });

  return {
    emit(event) {
      lastSequence++;
      const facts = withoutCause.has(event.type) ? event : { ...event, ...cause };
      keep({ ...facts, sequence: lastSequence } as TimelineEntry);
      return lastSequence;
    },
    ended(sequence, end) {
      const entry = entries.get(String(sequence));
      if (entry?.type === "request") keep({ ...entry, ...end });
    },
    during(next, work) {
      cause = { ...noCause, ...next };
      try {
        return work();
      } finally {
        cause = noCause;
      }
    },
    reset: () => tell({ type: "reset" }),
    subscribe,
    on: (type, listener) =>
      subscribe((event) => {
        if (type !== "*" && type !== event.type) return;
        queueMicrotask(() => {
          try {
            listener(event as Parameters<typeof listener>[0]);
          } catch (error) {
            process.emitWarning(
              error instanceof Error ? error : `A listener of sandbox.on threw ${show(error)}.`,
            );
          }
        });
      }),
    entries: entries.values,
    dropped: entries.dropped,
  };
}

/** Requests and the clock are causes themselves; deliveries name their change, faults their request. */
const withoutCause: ReadonlySet<TimelineEntry["type"]> = new Set([
  "request",
  "fault.met",
  "clock.advanced",
  "webhook.created",
  "webhook.attempted",
]);
