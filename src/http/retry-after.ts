import { readHttpDate } from "./http-date.ts";

/**
 * Milliseconds that a Retry-After header asks to wait: seconds, or an HTTP date. A date is compared
 * with the answer's own Date header, so that a wrong local clock does not matter.
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const until = readHttpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (readHttpDate(headers.get("date") ?? "") ?? wallClockMs));
}
