import type { Terminal } from "../terminal.ts";
import { durationText, timeOfDay } from "../time-text.ts";
import type { Reception } from "./webhook-receiver.ts";

/** A reception as `--json` prints it. */
export function receptionRecord(reception: Reception): object {
  const { ok, answered } = reception;
  const at = new Date().toISOString();
  if (!reception.ok) {
    return {
      type: "webhook",
      at,
      ok,
      answered,
      reason: reception.reason,
      message: reception.message,
    };
  }
  const { webhook, forwarded } = reception;
  return { type: "webhook", at, ok, answered, ...JSON.parse(JSON.stringify(webhook)), forwarded };
}

/** A reception as lines for people. */
export function receptionLines(reception: Reception, paint: Terminal["paint"]): string[] {
  const time = paint("dim", timeOfDay(new Date()));
  if (!reception.ok) {
    const { reason, message, answered } = reception;
    return [
      `${time}  ${paint("red", `refused, ${reason}`)}, answered ${answered}`,
      `          ${message}`,
    ];
  }
  const { webhook, forwarded, answered } = reception;
  const { id, status, orderId } = webhook.data;
  const what = [webhook.event, status, orderId, id].filter((part) => typeof part === "string");
  const line = `${time}  ${paint("green", "verified")}  ${what.join("  ")}`;
  if (forwarded === null) return [line];
  if ("error" in forwarded) {
    return [line, `          ${paint("red", `not passed on: ${forwarded.error}`)}`];
  }
  const isFine = answered >= 200 && answered < 300;
  const outcome = paint(isFine ? "green" : "red", String(answered));
  const result = `${line}  → ${outcome} in ${durationText(forwarded.durationMs)}`;
  if (answered < 300 || answered >= 400) return [result];
  return [result, "          Webhooks follow no redirect: forward to the URL that it points to."];
}
