const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/**
 * Reads the timestamp header as milliseconds since 1970; undefined when it is malformed.
 *
 * The interface document does not show the format (section 6), so three are read: 1 to 11 digits
 * are seconds, 12 to 14 are milliseconds, anything else must be strict ISO 8601 in UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  if (/^\d{1,14}$/.test(text)) return Number(text) * (text.length < 12 ? 1000 : 1);
  const time = Date.parse(isoUtc.test(text) ? text : "");
  // Date.parse turns 30 February into a day in March; only a real date comes back as it went in.
  return new Date(time).toJSON()?.startsWith(text.slice(0, 19)) ? time : undefined;
}
