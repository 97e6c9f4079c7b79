import type { RequestEntry, SandboxEvent } from "../sandbox/index.ts";
import { paint, type Terminal, timeOfDay } from "./terminal.ts";

/** Whether it is a request that has not ended yet. It is emitted again when it has. */
export function isOpenRequest(event: SandboxEvent): boolean {
  return event.type === "request" && event.outcome === "open";
}

/** Reorders events for reading: a request when it has ended, then its effects, which were emitted before. */
export function requestsFirst(print: (event: SandboxEvent) => void): (event: SandboxEvent) => void {
  /** The effects of open requests, by request id. */
  const waiting = new Map<string, SandboxEvent[]>();
  return (event) => {
    if (event.type === "reset") waiting.clear();
    if (event.type === "request") {
      if (isOpenRequest(event)) return void waiting.set(event.requestId, []);
      print(event);
      for (const effect of waiting.get(event.requestId) ?? []) print(effect);
      waiting.delete(event.requestId);
      return;
    }
    const cause = "requestId" in event ? event.requestId : null;
    const effects = cause === null ? undefined : waiting.get(cause);
    if (effects === undefined) print(event);
    else effects.push(event);
  };
}

/**
 * Prints an event; a request only when it has ended.
 *
 * @param options.at By default, the sandbox's time, which may be frozen or ahead.
 * @param options.isAsked Whether to print a line even if others imply it.
 */
export function printEvent(
  event: SandboxEvent,
  print: Terminal["report"],
  { at = new Date("at" in event ? event.at : Date.now()), isAsked = false } = {},
): void {
  if (isOpenRequest(event)) return;
  const isImplied = event.type === "fault.met" || event.type === "webhook.created";
  const line = `${paint("dim", timeOfDay(at))}  ${textOf(event)}`;
  print(event, ...(isImplied && !isAsked ? [] : [line]));
}

function textOf(event: SandboxEvent): string {
  switch (event.type) {
    case "request":
      return `${event.method} ${event.path}  ${endText(event)}`;
    case "clock.advanced":
      return `clock advanced to ${event.until}`;
    case "payment.created":
    case "payment.moved":
    case "payment.expired":
    case "withdrawal.created":
    case "withdrawal.moved": {
      const id = "paymentId" in event ? event.paymentId : event.withdrawalId;
      if (event.event === null) {
        return `→ ${event.confirmations} of ${event.requiredConfirmations} confirmations  ${id}`;
      }
      return [`→ ${event.event}`, paint("bold", event.status), event.orderId, id]
        .filter((part) => part !== null)
        .join("  ");
    }
    case "quotes.expired":
      return `→ quotes expired  ${event.paymentId}`;
    case "webhook.attempted": {
      const outcome = event.error ? paint("red", event.error) : statusText(event.status, 300);
      const count = event.attempt > 1 ? `  attempt ${event.attempt}` : "";
      // The sandbox's clock, which may be frozen or ahead.
      const next = event.nextAttemptAt ? `  next attempt at ${event.nextAttemptAt}` : "";
      const disorder = event.disorder === null ? "" : `  ${paint("yellow", event.disorder)}`;
      return `webhook ${event.event}  ${outcome}${count}${disorder}  ${event.subjectId}${next}`;
    }
    case "reset":
      return "sandbox reset: everything before this is gone";
    case "fault.met":
      return `fault ${event.route ?? "rate limit"}  ${JSON.stringify(event.fault)}`;
    case "webhook.created":
      return `webhook ${event.event}  created  ${event.orderId ?? ""}  ${event.deliveryId}`;
  }
}

function endText({ outcome, status }: Pick<RequestEntry, "outcome" | "status">): string {
  if (outcome === "unanswered") return paint("red", "connection broken");
  if (outcome === "cut off") return paint("red", "cut off during the response");
  return statusText(status, 400);
}

/** Red for statuses that refuse a request. */
function statusText(status: number | null, refusal: number): string {
  return paint(status !== null && status < refusal ? "green" : "red", String(status));
}
