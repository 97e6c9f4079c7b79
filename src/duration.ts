import { invalidArgument, show } from "./values.ts";

/** A unit of time, from milliseconds to days. */
export type DurationUnit = "ms" | "s" | "m" | "h" | "d";

/** A length of time: milliseconds, or a whole number with its unit, such as `"90s"` or `"15m"`. */
export type Duration = number | `${number}${DurationUnit}`;

/** The longest delay of a timer, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

const unitInMs: Record<DurationUnit, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * A duration in milliseconds.
 *
 * @throws {InvalidRequestError} code `invalid_duration`.
 */
export function durationInMs(duration: Duration): number {
  const milliseconds = parseDuration(duration);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidArgument(
    "duration",
    "The duration must be zero or a positive whole number of milliseconds, or a whole number with a unit such as " +
      `"500ms", "90s", "15m", "24h" or "2d", got ${show(duration)}.`,
    "invalid_duration",
  );
}

/** A duration in milliseconds; undefined for anything else. */
export function parseDuration(duration: unknown): number | undefined {
  const milliseconds = typeof duration === "string" ? parse(duration) : duration;
  const isDuration = typeof milliseconds === "number" && Number.isSafeInteger(milliseconds);
  return isDuration && milliseconds >= 0 ? milliseconds : undefined;
}

function parse(text: string): number {
  const match = /^([0-9]{1,15})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * unitInMs[match[2] as DurationUnit] : Number.NaN;
}
