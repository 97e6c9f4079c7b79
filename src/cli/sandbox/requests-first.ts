import { isOpenRequest, type TimelineEvent } from "./timeline-events.ts";

/**
 * Puts events into the order in which people read them: requests when they have ended, and only then what
 * they led to, which happened on the way.
 */
export function requestsFirst(
  tell: (event: TimelineEvent) => void,
): (event: TimelineEvent) => void {
  /** What open requests led to, by the requests' ids. */
  const waiting = new Map<string, TimelineEvent[]>();
  return (event) => {
    if (event.type === "reset") waiting.clear();
    if (event.type === "request") {
      if (isOpenRequest(event)) return void waiting.set(event.requestId, []);
      tell(event);
      for (const led of waiting.get(event.requestId) ?? []) tell(led);
      waiting.delete(event.requestId);
      return;
    }
    const cause = "requestId" in event ? event.requestId : null;
    const others = cause === null ? undefined : waiting.get(cause);
    if (others === undefined) tell(event);
    else others.push(event);
  };
}
