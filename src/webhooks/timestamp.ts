const unixSeconds = /^(\d{1,11})(?:\.(\d{1,9}))?$/;
const unixMilliseconds = /^\d{12,14}$/;
const iso8601 =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads the timestamp header as milliseconds since 1970; undefined when it is malformed.
 *
 * The interface document does not show the format (section 6), so three are accepted: 1 to 11 digits are seconds, with
 * or without a fraction; 12 to 14 digits are milliseconds; everything else must be strict ISO 8601 with `Z` or a
 * numeric offset. Fractions of a millisecond are dropped.
 *
 * The signature covers `timestamp.body`, so a fraction could also be read as the start of a body. An event is an object
 * and never starts with a digit, so only one reading is ever accepted.
 */
export function parseTimestamp(text: string): number | undefined {
  if (unixMilliseconds.test(text)) return Number(text);
  const [, seconds, fraction] = unixSeconds.exec(text) ?? [];
  if (seconds) return Number(seconds) * 1000 + milliseconds(fraction);
  const [, time, isoFraction, zone] = iso8601.exec(text) ?? [];
  // Date turns 30 February into a day in March; only a real date survives the round trip.
  if (!time || !new Date(`${time}Z`).toJSON()?.startsWith(time)) return undefined;
  return Date.parse(time + zone) + milliseconds(isoFraction);
}

/** Digit by digit, because `0.57 * 1000` is less than 570. */
function milliseconds(fraction = ""): number {
  return Number(`${fraction}000`.slice(0, 3));
}
