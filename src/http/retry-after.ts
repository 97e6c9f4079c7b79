/**
 * Milliseconds that a Retry-After header asks to wait: seconds, or an HTTP date. A date is compared
 * with the answer's own Date header, so that a wrong local clock does not matter.
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const until = httpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(headers.get("date") ?? "") ?? wallClockMs));
}

function httpDate(text: string): number | undefined {
  // Only the form that HTTP senders must generate: Date.parse alone would take much else for a date.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
