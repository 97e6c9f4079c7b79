import { invalidArgument, nearest, show } from "../values.ts";

// Checks of arguments, which come from JavaScript or as JSON.

export function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/**
 * Refuses a name that is not known, and suggests the closest.
 *
 * @param what The word for the name in the message.
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
  const near = nearest(name, known);
  const cure = near ? `Did you mean ${near}?` : `Pass one of: ${known.join(", ")}.`;
  throw invalidArgument(param, `There is no ${what} ${show(name)}. ${cure}`, code);
}
