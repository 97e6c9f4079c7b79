import type { RequestEntry } from "../../sandbox/index.ts";
import type { Terminal } from "../terminal.ts";
import { timeOfDay } from "../time-text.ts";
import type { TimelineEvent } from "./timeline-events.ts";

/** An event as a line for people; none for what another line says as well. */
export function lineOf(event: TimelineEvent, paint: Terminal["paint"]): string | undefined {
  const text = textOf(event, paint);
  return text && `${paint("dim", timeOfDay(new Date()))}  ${text}`;
}

function textOf(event: TimelineEvent, paint: Terminal["paint"]): string | undefined {
  switch (event.type) {
    case "request":
      return `${event.method} ${event.path}  ${endText(event, paint)}`;
    case "clock":
      return `clock advanced to ${event.until}`;
    case "change":
      return [`→ ${event.event}`, paint("bold", event.status), event.orderId, event.subjectId]
        .filter((part) => part !== null)
        .join("  ");
    case "confirmation":
      return `→ ${event.confirmations} of ${event.requiredConfirmations} confirmations  ${event.subjectId}`;
    case "quotes":
      return `→ quotes expired  ${event.subjectId}`;
    case "attempt": {
      const outcome = event.error
        ? paint("red", event.error)
        : statusText(event.status, 300, paint);
      const count = event.attempt > 1 ? `  attempt ${event.attempt}` : "";
      const disorder = event.disorder === null ? "" : `  ${paint("yellow", event.disorder)}`;
      return `webhook ${event.event}  ${outcome}${count}${disorder}  ${event.subjectId}`;
    }
    case "reset":
      return "what happened before is forgotten";
    case "webhook":
      // Its change and its attempts say it.
      return undefined;
  }
}

function endText(
  { outcome, status }: Pick<RequestEntry, "outcome" | "status">,
  paint: Terminal["paint"],
): string {
  if (outcome === "unanswered") return paint("red", "connection broken");
  if (outcome === "cut off") return paint("red", "cut off within the answer");
  return statusText(status, 400, paint);
}

/** In red from the first status that is a refusal. */
function statusText(status: number | null, refusal: number, paint: Terminal["paint"]): string {
  return paint(status !== null && status < refusal ? "green" : "red", String(status));
}
