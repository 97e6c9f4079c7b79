/**
 * Milliseconds since 1970 of a date in the form that HTTP senders must generate; undefined for all else,
 * much of which Date.parse alone would take for a date.
 */
export function readHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
