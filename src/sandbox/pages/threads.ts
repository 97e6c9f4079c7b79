import type { Cause, TimelineEntry } from "../timeline/timeline.ts";

/** How the entries of a timeline hang together. */
export interface Threads {
  /** What everything has in common that one thing led to: a request, a move of the clock, or the change itself. */
  threadOf(entry: TimelineEntry): string;
  /** What an entry directly came from and led to, oldest first. */
  linksOf(entry: TimelineEntry): readonly TimelineEntry[];
  /** Whether an entry is about a payment or withdrawal. */
  isAbout(entry: TimelineEntry, id: string): boolean;
}

export function threadsOf(entries: readonly TimelineEntry[]): Threads {
  const eventOf = new Map<string, string>();
  const causeOf = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === "webhook") eventOf.set(entry.deliveryId, entry.eventId);
    if (entry.type !== "change") continue;
    const cause = causeThread(entry);
    if (cause !== undefined) causeOf.set(entry.eventId, cause);
  }

  function threadOf(entry: TimelineEntry): string {
    switch (entry.type) {
      case "request":
        return requestThread(entry.requestId);
      case "clock":
        return clockThread(entry.sequence);
      case "confirmation":
      case "quotes":
        return causeThread(entry) ?? `entry ${entry.sequence}`;
      case "change":
      case "webhook":
        return causeOf.get(entry.eventId) ?? entry.eventId;
      case "attempt": {
        const event = eventOf.get(entry.deliveryId) ?? entry.deliveryId;
        return causeOf.get(event) ?? event;
      }
    }
  }

  const threads = Map.groupBy(entries, threadOf);
  const subjects = new Map<string, Set<string>>();
  for (const entry of entries) {
    if (!("subjectId" in entry)) continue;
    const thread = threadOf(entry);
    subjects.set(thread, (subjects.get(thread) ?? new Set()).add(entry.subjectId));
  }

  return {
    threadOf,
    linksOf(entry) {
      const thread = threads.get(threadOf(entry)) ?? [];
      return thread.filter((other) => isLinked(entry, other) || isLinked(other, entry));
    },
    isAbout(entry, id) {
      if ("subjectId" in entry) return entry.subjectId === id;
      const isNamed = entry.type === "request" && entry.path.includes(id);
      return isNamed || subjects.get(threadOf(entry))?.has(id) === true;
    },
  };
}

const requestThread = (requestId: string) => `request ${requestId}`;
const clockThread = (sequence: number) => `clock ${sequence}`;

function causeThread({ requestId, clockSequence }: Cause): string | undefined {
  if (requestId !== null) return requestThread(requestId);
  return clockSequence === null ? undefined : clockThread(clockSequence);
}

/** Whether the second came directly from the first. */
function isLinked(from: TimelineEntry, to: TimelineEntry): boolean {
  switch (from.type) {
    case "request":
      return "requestId" in to && to.type !== "request" && to.requestId === from.requestId;
    case "clock":
      return "clockSequence" in to && to.clockSequence === from.sequence;
    case "change":
      return to.type === "webhook" && to.eventId === from.eventId;
    case "webhook":
      return to.type === "attempt" && to.deliveryId === from.deliveryId;
    default:
      return false;
  }
}
