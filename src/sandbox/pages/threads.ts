import { type Cause, subjectOf, type TimelineEntry } from "../events.ts";

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
    if (entry.type === "webhook.created") eventOf.set(entry.deliveryId, entry.eventId);
    const eventId = announced(entry);
    if (eventId === null || !("clockSequence" in entry)) continue;
    const cause = causeThread(entry);
    if (cause !== undefined) causeOf.set(eventId, cause);
  }

  function threadOf(entry: TimelineEntry): string {
    switch (entry.type) {
      case "request":
      case "fault.met":
        return requestThread(entry.requestId);
      case "clock.advanced":
        return clockThread(entry.sequence);
      case "webhook.created":
        return causeOf.get(entry.eventId) ?? entry.eventId;
      case "webhook.attempted": {
        const event = eventOf.get(entry.deliveryId) ?? entry.deliveryId;
        return causeOf.get(event) ?? event;
      }
      default:
        return causeThread(entry) ?? announced(entry) ?? `entry ${entry.sequence}`;
    }
  }

  const threads = Map.groupBy(entries, threadOf);
  const subjects = new Map<string, Set<string>>();
  for (const entry of entries) {
    const subject = subjectOf(entry);
    if (subject === undefined) continue;
    const thread = threadOf(entry);
    subjects.set(thread, (subjects.get(thread) ?? new Set()).add(subject));
  }

  return {
    threadOf,
    linksOf(entry) {
      const thread = threads.get(threadOf(entry)) ?? [];
      return thread.filter((other) => isLinked(entry, other) || isLinked(other, entry));
    },
    isAbout(entry, id) {
      const subject = subjectOf(entry);
      if (subject !== undefined) return subject === id;
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

/** Id of the webhook event that announces a change; null for everything else. */
function announced(entry: TimelineEntry): string | null {
  return entry.type !== "webhook.created" && "eventId" in entry ? entry.eventId : null;
}

/** Whether the second came directly from the first. */
function isLinked(from: TimelineEntry, to: TimelineEntry): boolean {
  switch (from.type) {
    case "request":
      return "requestId" in to && to.type !== "request" && to.requestId === from.requestId;
    case "clock.advanced":
      return "clockSequence" in to && to.clockSequence === from.sequence;
    case "webhook.created":
      return to.type === "webhook.attempted" && to.deliveryId === from.deliveryId;
    default:
      return to.type === "webhook.created" && to.eventId === announced(from);
  }
}
