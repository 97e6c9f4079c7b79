import { subjectOf, type TimelineEntry } from "../events.ts";

/** How the events of a timeline are connected. */
interface Threads {
  /** Shared by everything with the same origin: a request, a move of the clock, or a change. */
  threadOf(entry: TimelineEntry): string;
  /** The cause and the direct effects of an event, oldest first. */
  linksOf(entry: TimelineEntry): readonly TimelineEntry[];
  /** Whether an event is about a payment or withdrawal. */
  isAbout(entry: TimelineEntry, id: string): boolean;
}

export function threadsOf(entries: readonly TimelineEntry[]): Threads {
  const causeOf = new Map(entries.map((entry) => [keyOf(entry), causeKeyOf(entry)]));

  function threadOf(entry: TimelineEntry): string {
    let key = keyOf(entry);
    for (let cause = causeOf.get(key); cause !== undefined; cause = causeOf.get(key)) key = cause;
    return key;
  }

  const subjects = new Map<string, Set<string>>();
  for (const entry of entries) {
    const subject = subjectOf(entry);
    const thread = threadOf(entry);
    if (subject) subjects.set(thread, (subjects.get(thread) ?? new Set()).add(subject));
  }

  return {
    threadOf,
    linksOf: (entry) =>
      entries.filter(
        (other) => causeKeyOf(other) === keyOf(entry) || keyOf(other) === causeKeyOf(entry),
      ),
    isAbout(entry, id) {
      const subject = subjectOf(entry);
      if (subject !== undefined) return subject === id;
      const isNamed = entry.type === "request" && entry.path.includes(id);
      return isNamed || subjects.get(threadOf(entry))?.has(id) === true;
    },
  };
}

/** Names an event as the cause of others. */
function keyOf(entry: TimelineEntry): string {
  if (entry.type === "request") return `request ${entry.requestId}`;
  if (entry.type === "webhook.created") return `delivery ${entry.deliveryId}`;
  if ("eventId" in entry && entry.eventId !== null) return `event ${entry.eventId}`;
  return `entry ${entry.sequence}`;
}

/** The key of the event that directly caused this one. */
function causeKeyOf(entry: TimelineEntry): string | undefined {
  if (entry.type === "request") return undefined;
  if (entry.type === "webhook.created") return `event ${entry.eventId}`;
  if (entry.type === "webhook.attempted") return `delivery ${entry.deliveryId}`;
  if ("requestId" in entry && entry.requestId !== null) return `request ${entry.requestId}`;
  if (!("clockSequence" in entry) || entry.clockSequence === null) return undefined;
  return `entry ${entry.clockSequence}`;
}
