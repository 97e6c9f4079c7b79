import { timeOfDay } from "../event-text.ts";
import type { Terminal } from "../terminal.ts";
import type { BrokenConnection } from "./broken-connections.ts";
import type { TimelineEvent } from "./timeline-events.ts";

/** What `settlekit sandbox` tells of while it runs. */
export type SandboxEvent = TimelineEvent | BrokenConnection;

/** An event as a line for people; none for what another line says as well. */
export function lineOf(event: SandboxEvent, paint: Terminal["paint"]): string | undefined {
  const text = textOf(event, paint);
  return text && `${paint("dim", timeOfDay(new Date()))}  ${text}`;
}

function textOf(event: SandboxEvent, paint: Terminal["paint"]): string | undefined {
  switch (event.type) {
    case "request":
      return `${event.method} ${event.path}  ${statusText(event.status, 400, paint)}`;
    case "broken": {
      const what = event.status === null ? "connection broken" : "cut off within the answer";
      return `${event.method} ${event.path}  ${paint("red", what)}`;
    }
    case "change":
      return [`→ ${event.event}`, paint("bold", event.status), event.orderId, event.subjectId]
        .filter((part) => part !== null)
        .join("  ");
    case "attempt": {
      const outcome = event.error
        ? paint("red", event.error)
        : statusText(event.status, 300, paint);
      const count = event.attempt > 1 ? `  attempt ${event.attempt}` : "";
      return `webhook ${event.event}  ${outcome}${count}`;
    }
    case "reset":
      return "what happened before is forgotten";
    case "webhook":
      // Its change and its attempts say it.
      return undefined;
  }
}

/** In red from the first status that is a refusal. */
function statusText(status: number | null, refusal: number, paint: Terminal["paint"]): string {
  return paint(status !== null && status < refusal ? "green" : "red", String(status));
}
