import { UsageError } from "./usage-error.ts";

/** A port of this machine; 0 stands for any free one. */
export function portFrom(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(
    `--port must be a whole number from 0 to 65535, got ${JSON.stringify(text)}. 0 takes any free port.`,
  );
}

/** A place to send webhooks to. */
export function urlFrom(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${option} must be a whole http or https URL, such as http://127.0.0.1:3000/webhooks.`,
  );
}

/** A number of seconds; `Infinity` too. */
export function secondsFrom(option: string, text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && seconds >= 0) return seconds;
  throw new UsageError(`${option} must be a number of seconds, such as 300, or Infinity.`);
}

const isoInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** A point in time. A time of day needs its zone: without one it would differ between machines. */
export function instantFrom(option: string, text: string): Date {
  const instant = new Date(text);
  if (
    isoInstant.test(text) &&
    isOfCalendar(text.slice(0, 10)) &&
    !Number.isNaN(instant.getTime())
  ) {
    return instant;
  }
  throw new UsageError(
    `${option} must be a date, or a time with its zone, such as 2026-01-01 or 2026-01-01T12:00:00Z.`,
  );
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isOfCalendar(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Whether other machines cannot reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
