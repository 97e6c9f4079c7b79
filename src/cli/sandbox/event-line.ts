import { durationText, timeOfDay } from "../event-text.ts";
import type { Terminal } from "../terminal.ts";
import type { SandboxEvent } from "./sandbox-events.ts";

/** An event as a line for people. */
export function lineOf(event: SandboxEvent, paint: Terminal["paint"]): string {
  const time = paint("dim", timeOfDay(new Date()));
  if (event.type === "request") {
    const { method, path, status, complete, durationMs } = event;
    const outcome =
      status === null ? "connection broken" : complete ? status : `${status}, cut off`;
    const isFine = complete && status !== null && status < 400;
    return `${time}  ${method} ${path}  ${paint(isFine ? "green" : "red", String(outcome))}  ${durationText(durationMs)}`;
  }
  const { event: name, attempt, status, error } = event;
  const isFine = status !== null && status >= 200 && status < 300;
  const outcome = paint(isFine ? "green" : "red", status === null ? (error ?? "") : String(status));
  return `${time}  webhook ${name}  ${outcome}${attempt > 1 ? `  attempt ${attempt}` : ""}`;
}
