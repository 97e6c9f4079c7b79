import leven from "leven";
import { ConfigurationError, InvalidRequestError, SettlekitError } from "./errors.ts";

// Recognises values from outside settlekit, and formats them for messages.

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Milliseconds since 1970 of a timestamp from the service; NaN if it is unreadable. Timestamps are in UTC (interface
 * section 2), but JavaScript takes one without a zone for local time.
 */
export function timeOf(timestamp: unknown): number {
  if (typeof timestamp !== "string") return Number.NaN;
  return Date.parse(/[T ][\d:.]+$/.test(timestamp) ? `${timestamp}Z` : timestamp);
}

export const isFunction = (value: unknown) => typeof value === "function";

/** Whether a value is a plain object, even from another realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** An environment variable; undefined if it is not set, or if settlekit may not read it. */
export function environmentVariable(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name];
  } catch {
    // Deno throws unless it was started with --allow-env.
    return undefined;
  }
}

/** Loads one of Node's own modules without an import, so that browser bundles do not contain it. */
export function nodeModule<Name extends "node:crypto" | "node:diagnostics_channel">(
  name: Name,
): ReturnType<typeof process.getBuiltinModule<Name>> | undefined {
  try {
    return globalThis.process?.getBuiltinModule?.(name);
  } catch {
    // The Edge Runtime of Next.js has every function of `process`, and all of them throw.
    return undefined;
  }
}

const maxShownLength = 60;

/** Merchant secret keys, webhook secrets and payment secrets, which people put in the wrong places; not `sk_test_` alone. */
const secretPattern = /\b(sk|whsec|ps)_[\w+/=-]{6,}/gi;

/**
 * Formats a value for a message: short, on one line, and recognisable. Not for secrets, although misplaced ones are
 * removed.
 */
export function show(value: unknown): string {
  if (value === "") return "an empty string";
  if (typeof value === "string") return showText(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? objectName(value) : String(value);
}

/** A thrown value as text. Not every value can be converted: an object without a prototype has no `toString`. */
export function thrownText(error: unknown): string {
  try {
    if (typeof error !== "object" || error === null || error instanceof Error) return String(error);
    const { message } = error as { message?: unknown };
    if (typeof message === "string") return message;
  } catch {}
  return show(error);
}

/** The text without the secrets that have a known prefix. */
export function withoutSecrets(text: string): string {
  return text.replace(secretPattern, "$1_[redacted]");
}

function showText(value: string): string {
  const text = withoutSecrets(value);
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

/** The known name closest to an unknown one, if it is close enough to suggest. */
export function nearest(name: unknown, known: readonly string[]): string | undefined {
  if (typeof name !== "string" || name === "" || known.includes(name)) return undefined;
  const begun = known.filter((candidate) => name.length > 2 && candidate.startsWith(name));
  if (begun.length === 1) return begun[0];
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, best.candidate.length / 3)
    ? best.candidate
    : undefined;
}

/** The known event nearest to a misspelt one: of the same subject if it has any. */
export function nearestEvent(name: string, known: readonly string[]): string | undefined {
  const prefix = `${name.split(".")[0]}.`;
  const own = known.filter((event) => event.startsWith(prefix));
  if (own.length === 0) return nearest(name, known);
  const changes = own.map((event) => event.slice(prefix.length));
  // There are no events such as payment.completed: one reports every status. The sandbox's own is "moved".
  const anyStatus = changes.find((change) => change === "updated" || change === "moved");
  const change = nearest(name.slice(prefix.length), changes) ?? anyStatus;
  return change && prefix + change;
}

/** Says that an event is probably misspelt; undefined if it is known, or like no known one. */
export function misspeltEvent(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  const near = nearestEvent(name, known);
  return near && `The event ${show(name)} is not known. Did you mean "${near}"?`;
}

/** The error for an invalid option. `param` may be a misplaced secret. */
export function invalidOption(param: string, message: string, code = "invalid_option") {
  return new ConfigurationError(message, { code, param: withoutSecrets(param) });
}

/** The error for an argument that can never be valid. `param` may be a misplaced secret. */
export function invalidArgument(param: string, message: string, code = "invalid_request") {
  return new InvalidRequestError(message, { code, param: withoutSecrets(param) });
}

/**
 * Remembers where a method is called. The returned function throws the call's error; if it is one of settlekit's, its
 * stack begins at the calling line. Node keeps ten lines, which settlekit's own could use up.
 *
 * @param method Left out of the stack, with everything that it called.
 * @param operation The method's name, for an error that names none, such as that of an argument.
 */
export function callSite(
  method: Parameters<typeof Error.captureStackTrace>[1],
  operation?: string,
): (error: unknown) => never {
  const site: { stack?: unknown } = {};
  // Only in V8, and engines that imitate it.
  Error.captureStackTrace?.(site, method);
  return (error) => {
    const stack = String(site.stack);
    const start = stack.indexOf("\n    at ");
    if (!SettlekitError.is(error)) throw error;
    if (start !== -1) error.stack = String(error) + stack.slice(start);
    throw error.operation ? error : Object.assign(error, operation && { operation, attempts: 0 });
  };
}

/**
 * Refuses unknown options, and suggests the closest name.
 *
 * @param what The word for an option in the message.
 * @throws {ConfigurationError} code `unknown_option` or `invalid_option`.
 */
export function checkOptionNames(options: object, known: readonly string[], what = "option"): void {
  if (!isRecord(options)) {
    throw invalidOption("options", `The ${what}s must be an object, such as { ${known[0]} }.`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidOption(unknown, unknownOptionText(unknown, known, what), "unknown_option");
}

/** The message for an unknown option. `param` may be a path, such as `wire.headerPrefx`. */
export function unknownOptionText(param: string, known: readonly string[], what = "option") {
  const near = nearest(param.split(".").at(-1), known);
  const cure = near ? `Did you mean ${near}?` : `The ${what}s are: ${known.join(", ")}.`;
  return `There is no ${what} ${show(param)}. ${cure}`;
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON text; undefined if it cannot be serialised. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
