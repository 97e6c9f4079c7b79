import type { Store } from "./store.ts";

/** Something that a person who looks at the sandbox sees happen. Each names what it came from. */
export type TimelineEntry = RequestEntry | ChangeEntry | WebhookEntry | AttemptEntry;

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
  /** Null while there is no answer, and where the connection broke before one. */
  readonly status: number | null;
}

/** A payment or a withdrawal was created or changed its status. */
export interface ChangeEntry extends EntryBasics {
  readonly type: "change";
  readonly eventId: string;
  /** Such as `payment.updated`. */
  readonly event: string;
  /** Id of the payment or withdrawal. */
  readonly subjectId: string;
  readonly orderId: string | null;
  readonly status: string;
  /** The request that brought it about; null where time or a scenario did. */
  readonly requestId: string | null;
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
}

type Unnumbered<Entry> = Entry extends EntryBasics ? Omit<Entry, "sequence"> : never;

/** An entry that is new or was completed; `null` when the past is another one, by a reset or a snapshot. */
type TimelineListener = (entry: TimelineEntry | null) => void;

export interface Timeline {
  add(entry: Unnumbered<TimelineEntry>): number;
  /** Completes a request's entry, unless it is gone. */
  answered(sequence: number, status: number): void;
  /** Lets changes during a synchronous piece of work name the request that it serves. */
  during<Result>(requestId: string, work: () => Result): Result;
  /** The request that is being served at this moment. */
  servedRequestId(): string | null;
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

/** What happened, in order: the latest 2,000 entries. */
export function createTimeline(store: Store): Timeline {
  /** By their sequence numbers. */
  const entries = store.table<TimelineEntry>("timeline", { limit: maxEntries });
  let lastSequence = 0;
  let served: string | null = null;
  const listeners = new Set<TimelineListener>();

  function tell(entry: TimelineEntry | null): void {
    for (const listener of listeners) listener(entry);
  }

  store.onReplaced(() => {
    for (const { sequence } of entries.values()) lastSequence = Math.max(lastSequence, sequence);
  });

  return {
    add(unnumbered) {
      lastSequence++;
      const entry: TimelineEntry = { ...unnumbered, sequence: lastSequence };
      entries.set(String(lastSequence), entry);
      tell(entry);
      return lastSequence;
    },
    answered(sequence, status) {
      const entry = entries.get(String(sequence));
      if (entry?.type !== "request") return;
      const answered = { ...entry, status };
      entries.set(String(sequence), answered);
      tell(answered);
    },
    during(requestId, work) {
      served = requestId;
      try {
        return work();
      } finally {
        served = null;
      }
    },
    servedRequestId: () => served,
    entries: entries.values,
    dropped: entries.dropped,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    begunAnew: () => tell(null),
  };
}
