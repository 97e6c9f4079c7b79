import { show } from "../values.ts";
import { checkName, checkRule } from "./checks.ts";
import {
  type Announced,
  type Cause,
  eventTypes,
  type RequestEntry,
  type SandboxEvent,
  type SandboxListener,
  type TimelineEntry,
} from "./events.ts";
import type { Store, Table } from "./state/store.ts";

type Without<Entry, Key extends PropertyKey> = Entry extends unknown ? Omit<Entry, Key> : never;

/** An event that has a cause, before it is emitted. */
type NewEffect = Without<Extract<TimelineEntry, Cause>, "sequence" | "at" | keyof Cause>;

/** A change before its webhook event has an id. */
export type NewChange = Without<Extract<NewEffect, { readonly event: unknown }>, keyof Announced>;

export type Events = ReturnType<typeof createEvents>;

/** Ends requests that will get no response: another process was serving them, or they began before a restore. */
export function endOpenRequests(table: Table<object>): void {
  for (const [key, it] of table.entries()) {
    if ("outcome" in it && it.outcome === "open") table.set(key, { ...it, outcome: "unanswered" });
  }
}

const noCause: Cause = { requestId: null, clockSequence: null };

/** Emits the events of a sandbox, and keeps the latest ones as its timeline. */
export function createEvents(store: Store, now: () => Date) {
  const entries = store.table<TimelineEntry>("timeline", { limit: 2_000 });
  const listeners = new Set<(event: SandboxEvent) => void>();
  /** Stored apart from the events, because a reset deletes those. */
  const stored = store.cell("last sequence", 0, { survivesReset: true });
  let lastSequence = 0;
  /** The last one when everything was last replaced. */
  let replacedSequence = 0;
  let cause = noCause;

  function tell(event: SandboxEvent): void {
    for (const listener of listeners) listener(event);
  }

  /** Calls the listener synchronously, within `emit`. @returns A function that unsubscribes. */
  function subscribe(listener: (event: SandboxEvent) => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  function keep(entry: TimelineEntry): void {
    entries.set(String(entry.sequence), entry);
    tell(entry);
  }

  store.onReplaced(() => {
    lastSequence = Math.max(lastSequence, stored.get());
    replacedSequence = lastSequence;
    // Data files of 0.1.0 have types that no longer exist.
    const outdated = entries.entries().filter(([, { type }]) => !eventTypes.includes(type));
    for (const [key] of outdated) entries.delete(key);
    endOpenRequests(entries);
  });

  /** @returns The event's sequence number. */
  function emit(event: Without<TimelineEntry, "sequence" | "at"> & { at?: string }): number {
    stored.set(++lastSequence);
    keep({ at: now().toISOString(), ...event, sequence: lastSequence });
    return lastSequence;
  }

  return {
    emit,
    emitEffect: (event: NewEffect) => emit({ ...event, ...cause }),
    /** Emits the outcome of a request, even if the timeline dropped it. Returns false if everything was replaced. */
    ended(request: RequestEntry): boolean {
      if (request.sequence <= replacedSequence) return false;
      const isKept = entries.get(String(request.sequence)) !== undefined;
      (isKept ? keep : tell)(request);
      return true;
    },
    /** Runs synchronous work, and sets the cause of the effects that it emits. */
    during<Result>(next: Partial<Cause>, work: () => Result): Result {
      cause = { ...noCause, ...next };
      try {
        return work();
      } finally {
        cause = noCause;
      }
    },
    reset: () => tell({ type: "reset" }),
    subscribe,
    /** Calls the listener in a microtask after the event, so that the listener can use the sandbox. */
    on<Type extends SandboxEvent["type"] | "*">(type: Type, listener: SandboxListener<Type>) {
      checkName("type", type, ["*", ...eventTypes], "unknown_event", "event");
      checkRule(typeof listener === "function", "listener", "a function", listener);
      const warn = (error: unknown) => {
        const isError = error instanceof Error;
        process.emitWarning(isError ? error : `A sandbox.on listener threw ${show(error)}.`);
      };
      return subscribe((event) => {
        if (type !== "*" && type !== event.type) return;
        Promise.resolve(event as Parameters<typeof listener>[0])
          .then(listener)
          .catch(warn);
      });
    },
    /** Oldest first. */
    entries: entries.values,
  };
}
