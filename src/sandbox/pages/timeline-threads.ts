import type { TimelineEntry } from "../timeline.ts";

/** How the entries of a timeline hang together. */
export interface Threads {
  /** What everything has in common that one thing led to: the request, or else the change that began it. */
  threadOf(entry: TimelineEntry): string;
  /** What an entry directly came from and led to, oldest first. */
  linksOf(entry: TimelineEntry): readonly TimelineEntry[];
  /** Whether an entry is about a payment or withdrawal. */
  isAbout(entry: TimelineEntry, id: string): boolean;
}

export function threadsOf(entries: readonly TimelineEntry[]): Threads {
  const eventOf = new Map<string, string>();
  const requestOf = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === "webhook") eventOf.set(entry.deliveryId, entry.eventId);
    if (entry.type === "change" && entry.requestId) requestOf.set(entry.eventId, entry.requestId);
  }

  function threadOf(entry: TimelineEntry): string {
    if (entry.type === "request") return entry.requestId;
    const event = entry.type === "attempt" ? eventOf.get(entry.deliveryId) : entry.eventId;
    // A redelivery belongs to what the first delivery belongs to.
    return (event && requestOf.get(event)) ?? event ?? `entry ${entry.sequence}`;
  }

  const threads = Map.groupBy(entries, threadOf);
  const subjects = new Map<string, Set<string>>();
  for (const entry of entries) {
    if (entry.type === "request") continue;
    const thread = threadOf(entry);
    const known = subjects.get(thread) ?? new Set();
    subjects.set(thread, known.add(entry.subjectId));
  }

  return {
    threadOf,
    linksOf(entry) {
      const thread = threads.get(threadOf(entry)) ?? [];
      return thread.filter((other) => isLinked(entry, other) || isLinked(other, entry));
    },
    isAbout(entry, id) {
      if (entry.type !== "request") return entry.subjectId === id;
      return entry.path.includes(id) || subjects.get(entry.requestId)?.has(id) === true;
    },
  };
}

/** Whether the second came directly from the first. */
function isLinked(from: TimelineEntry, to: TimelineEntry): boolean {
  if (from.type === "request") return to.type === "change" && to.requestId === from.requestId;
  if (from.type === "change") return to.type === "webhook" && to.eventId === from.eventId;
  if (from.type === "webhook") return to.type === "attempt" && to.deliveryId === from.deliveryId;
  return false;
}
