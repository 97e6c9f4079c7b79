import leven from "leven";
import { ConfigurationError, InvalidRequestError } from "./errors.ts";

// Values that settlekit did not make: what they are, and how a message shows them.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is an object without a class, also from another realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A variable of the process's environment. Undefined where there is none, or where settlekit may not read it. */
export function environmentVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name];
  } catch {
    // Deno throws unless it was started with --allow-env.
    return undefined;
  }
}

const maxShownLength = 60;

/** A merchant's secret key, which people put into the wrong places. */
const secretKeyPattern = /\bsk_[\w-]{4,}/gi;

/**
 * A value as a message prints it: short, on one line, and recognisable. Not for secrets; a merchant's secret key
 * in a wrong place is left out.
 */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      if (value === "") return "an empty string";
      return showText(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "an array" : objectName(value);
    default:
      return String(value);
  }
}

/** A text without the secret keys of merchants in it. */
export function withoutKeys(text: string): string {
  return text.replace(secretKeyPattern, "sk_[redacted]");
}

function showText(value: string): string {
  const text = withoutKeys(value);
  if (text.length <= maxShownLength) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, maxShownLength))}... (${value.length} characters)`;
}

function objectName(value: object): string {
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  if (typeof name !== "string" || name === "" || name === "Object") return "an object";
  return `${startsWithVowel.test(name) ? "an" : "a"} ${name}`;
}

/** By sound: an Array and an XMLHttpRequest, but a URL and a Uint8Array. */
const startsWithVowel = /^([AEIO][a-z]|U(?!int|ni|s)[a-z]|[AEFHILMNORSX](?![a-z]))/;

/** The known name that was probably meant instead of an unknown one, if one is near enough to suggest. */
export function nearest(name: unknown, known: readonly string[]): string | undefined {
  if (typeof name !== "string" || known.includes(name)) return undefined;
  const begun = known.filter((candidate) => name.length > 2 && candidate.startsWith(name));
  if (begun.length === 1) return begun[0];
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, best.candidate.length / 3)
    ? best.candidate
    : undefined;
}

/** The event that was probably meant. A status, as in payment.completed, is reported by the object's event "updated". */
export function nearestEvent(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  const prefix = `${name.split(".")[0]}.`;
  const changes = known
    .filter((candidate) => candidate.startsWith(prefix))
    .map((candidate) => candidate.slice(prefix.length));
  if (changes.length === 0) return nearest(name, known);
  const updated = changes.find((change) => change === "updated");
  const change = nearest(name.slice(prefix.length), changes) ?? updated;
  return change && prefix + change;
}

/** The error for an option that cannot work. */
export function invalidOption(param: string, message: string, code = "invalid_option") {
  return new ConfigurationError(message, { code, param });
}

/** The error for an argument that can never be right. */
export function invalidArgument(param: string, message: string, code = "invalid_request") {
  return new InvalidRequestError(message, { code, param });
}

/**
 * Refuses options that do not exist, with the nearest name.
 *
 * @param what What one is called in the message.
 * @throws {ConfigurationError} code `unknown_option` or `invalid_option`.
 */
export function checkOptionNames(options: object, known: readonly string[], what = "option"): void {
  if (!isRecord(options)) {
    throw invalidOption("options", `The ${what}s must be an object, such as { ${known[0]} }.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const cure = near ? `Did you mean ${near}?` : `The ${what}s are: ${known.join(", ")}.`;
  throw invalidOption(unknown, `There is no ${what} ${show(unknown)}. ${cure}`, "unknown_option");
}

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with the keys of every object in order, so that equal values are equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
