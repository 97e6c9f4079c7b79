import { invalidArgument, nearestEvent, show } from "../values.ts";

// Argument checks for untyped callers: plain JavaScript, and JSON sent to the control API.

/** Webhook timestamps are Unix seconds of at most 11 digits, which run out in the year 5138. */
export const endOfTimeMs = 99_999_999_999_999;

export function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** @throws {InvalidRequestError} With the rule and the value, unless the value is right. */
export function checkRule(
  isRight: boolean,
  param: string,
  rule: string,
  value: unknown,
  code?: string,
): asserts isRight {
  if (!isRight) throw invalidArgument(param, `${param} must be ${rule}, got ${show(value)}.`, code);
}

/**
 * Rejects an unknown name and suggests the closest known one.
 *
 * @param what The noun for the name in the error message. Default: `param`.
 * @throws {InvalidRequestError}
 */
export function checkName(
  param: string,
  name: unknown,
  known: readonly string[],
  code: string,
  what = param,
): void {
  if (known.some((it) => it === name)) return;
  const near = typeof name === "string" && nearestEvent(name, known);
  const cure = near ? `Did you mean ${near}?` : `Pass one of: ${known.join(", ")}.`;
  throw invalidArgument(param, `There is no ${what} ${show(name)}. ${cure}`, code);
}
