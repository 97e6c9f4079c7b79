import type { Store } from "../state/store.ts";
import type { DisorderKind } from "../webhooks/disorder.ts";
import type { RequestOutcome } from "./request-log.ts";

/** Something that a person who looks at the sandbox sees happen. Each names what it came from. */
export type TimelineEntry =
  | RequestEntry
  | ClockEntry
  | ChangeEntry
  | ConfirmationEntry
  | QuotesEntry
  | WebhookEntry
  | AttemptEntry;

interface EntryBasics {
  /** Counts up without end; a reset does not start it again. */
  readonly sequence: number;
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
}

/** A request of the service; its details are in `requests()`. */
export interface RequestEntry extends EntryBasics {
  readonly type: "request";
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly outcome: RequestOutcome;
  /** Null while there is no answer, and where the connection broke before one. */
  readonly status: number | null;
}

/** The clock was advanced, from `at`. */
export interface ClockEntry extends EntryBasics {
  readonly type: "clock";
  /** ISO 8601, UTC. */
  readonly until: string;
}

/** What brought something about; all null where a scenario did, or time that passed by itself. */
export interface Cause {
  /** The request. */
  readonly requestId: string | null;
  /** The entry of the move of the clock. */
  readonly clockSequence: number | null;
}

/** A payment or a withdrawal was created or changed its status. */
export interface ChangeEntry extends EntryBasics, Cause {
  readonly type: "change";
  readonly eventId: string;
  /** Such as `payment.updated`. */
  readonly event: string;
  /** Id of the payment or withdrawal. */
  readonly subjectId: string;
  readonly orderId: string | null;
  readonly status: string;
}

/** More blocks confirm the money of a payment, whose status stays. */
export interface ConfirmationEntry extends EntryBasics, Cause {
  readonly type: "confirmation";
  /** Id of the payment. */
  readonly subjectId: string;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
}

/** Quotes of a payment ran out. */
export interface QuotesEntry extends EntryBasics, Cause {
  readonly type: "quotes";
  /** Id of the payment. */
  readonly subjectId: string;
  readonly quoteIds: readonly string[];
}

/** A webhook came to be; its details are in `webhooks.deliveries()`. */
export interface WebhookEntry extends EntryBasics {
  readonly type: "webhook";
  readonly deliveryId: string;
  /** Of the change that it tells of. */
  readonly eventId: string;
  readonly event: string;
  readonly subjectId: string;
}

/** A webhook was sent. */
export interface AttemptEntry extends EntryBasics {
  readonly type: "attempt";
  readonly deliveryId: string;
  readonly event: string;
  readonly subjectId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  /** What was made go wrong with it. */
  readonly disorder: DisorderKind | null;
}

/** What an entry needs to be told: the timeline numbers it, and knows what brought it about. */
type Unnumbered<Entry> = Entry extends EntryBasics ? Omit<Entry, "sequence" | keyof Cause> : never;
type NewEntry = Unnumbered<Exclude<TimelineEntry, RequestEntry>> | Omit<RequestEntry, "sequence">;

/** An entry that is new or was completed; `null` when the past is another one, by a reset or a snapshot. */
type TimelineListener = (entry: TimelineEntry | null) => void;

export interface Timeline {
  /** Gives its sequence number. */
  add(entry: NewEntry): number;
  /** Completes a request's entry, unless it is gone. */
  ended(sequence: number, end: Pick<RequestEntry, "outcome" | "status">): void;
  /** Lets entries during a synchronous piece of work name what brought them about. */
  during<Result>(cause: Partial<Cause>, work: () => Result): Result;
  /** Oldest first. */
  entries(): readonly TimelineEntry[];
  /** How many older entries were dropped since the last reset. */
  dropped(): number;
  /** Tells that the past is another one, when everything stands as it does then. */
  begunAnew(): void;
  /** Gives what ends it. */
  subscribe(listener: TimelineListener): () => void;
}

const maxEntries = 2_000;

const nothing: Cause = { requestId: null, clockSequence: null };

/** What happened, in order: the latest 2,000 entries. */
export function createTimeline(store: Store): Timeline {
  /** By their sequence numbers. */
  const entries = store.table<TimelineEntry>("timeline", { limit: maxEntries });
  let lastSequence = 0;
  let cause: Cause = nothing;
  const listeners = new Set<TimelineListener>();

  function tell(entry: TimelineEntry | null): void {
    for (const listener of listeners) listener(entry);
  }

  store.onReplaced(() => {
    for (const entry of entries.values()) {
      lastSequence = Math.max(lastSequence, entry.sequence);
      if (entry.type === "request" && entry.outcome === "open") {
        // Whoever waited for an answer was another process, or another past.
        entries.set(String(entry.sequence), { ...entry, outcome: "unanswered" });
      }
    }
  });

  return {
    add(entry) {
      lastSequence++;
      const complete = completed(entry, lastSequence, cause);
      entries.set(String(lastSequence), complete);
      tell(complete);
      return lastSequence;
    },
    ended(sequence, end) {
      const entry = entries.get(String(sequence));
      if (entry?.type !== "request") return;
      const ended = { ...entry, ...end };
      entries.set(String(sequence), ended);
      tell(ended);
    },
    during(next, work) {
      cause = { ...nothing, ...next };
      try {
        return work();
      } finally {
        cause = nothing;
      }
    },
    entries: entries.values,
    dropped: entries.dropped,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begunAnew: () => tell(null),
  };
}

function completed(entry: NewEntry, sequence: number, cause: Cause): TimelineEntry {
  switch (entry.type) {
    case "change":
    case "confirmation":
    case "quotes":
      return { ...entry, ...cause, sequence };
    default:
      return { ...entry, sequence };
  }
}
