import { ConfigurationError } from "../errors.ts";
import { credentialHeaderNames, idempotencyKeyHeader } from "../wire/credential.ts";
import type { Fetch } from "./settings.ts";

/** What a call's last argument may hold: `prefetch` and `createdAfter` belong to lists and lookups. */
export const callOptions: ReadonlySet<string> = new Set([
  "idempotencyKey",
  "signal",
  "timeoutMs",
  "deadlineMs",
  "maxRetries",
  "headers",
  "prefetch",
  "createdAfter",
]);

/** A misspelt option would be a call without it: a random key in place of the caller's. */
export function checkOptionNames(options: object): void {
  const unknown = Object.keys(options).find((name) => !callOptions.has(name));
  if (unknown === undefined) return;
  throw new ConfigurationError(
    `Calls have no option "${unknown}". The options are: ${[...callOptions].join(", ")}.`,
    { code: "unknown_option", param: unknown },
  );
}

export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || typeof signal?.addEventListener === "function") return signal;
  throw new ConfigurationError("signal must be an AbortSignal, such as controller.signal.", {
    code: "invalid_option",
    param: "signal",
  });
}

/** The longest time that timers can wait: a signed 32-bit number of milliseconds. */
const maxLimitMs = 2_147_483_647;

export function checkLimit(param: "timeoutMs" | "deadlineMs", value: number): number {
  if (typeof value === "number" && value > 0 && value <= maxLimitMs) return value;
  throw new ConfigurationError(
    `${param} must be a number of milliseconds from 1 to ${maxLimitMs}, got ${String(value)}.`,
    { code: "invalid_option", param },
  );
}

export function checkRetries(value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new ConfigurationError(
    `maxRetries must be a whole number from 0 on, got ${String(value)}. 0 sends exactly one request.`,
    { code: "invalid_option", param: "maxRetries" },
  );
}

const transportHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Gives the headers with their names in lower case. Values are never repeated in an error: a header
 * is where people put tokens.
 */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  headerPrefix: string,
): Record<string, string> {
  if (typeof headers !== "object" || headers === null || headers instanceof Headers) {
    throw new ConfigurationError("headers must be a plain object of names and values.", {
      code: "invalid_header",
      param: "headers",
    });
  }
  const checked: Record<string, string> = {};
  const reserved = reservedNames(headerPrefix);
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    const fail = (fact: string) =>
      new ConfigurationError(`headers: ${fact}`, { code: "invalid_header", param: "headers" });
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      throw fail("a name is not a header name. Use letters, digits and hyphens.");
    }
    if (reserved.has(lowerCase)) {
      throw fail(
        `${name} is set by settlekit itself. Use secretKey for the credential and idempotencyKey for ` +
          "the key.",
      );
    }
    if (transportHeaders.has(lowerCase)) {
      throw fail(`${name} belongs to the connection, which fetch keeps. Leave it out.`);
    }
    if (typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail(`the value of ${name} has a line break or a character that headers cannot carry.`);
    }
    checked[lowerCase] = value;
  }
  return checked;
}

function reservedNames(headerPrefix: string): Set<string> {
  const names = [...credentialHeaderNames(headerPrefix), idempotencyKeyHeader];
  return new Set(names.map((name) => name.toLowerCase()));
}

/** The caller's fetch, or the global one as it is at the time of each request. */
export function checkedFetch(own: Fetch | undefined): Fetch {
  if (own === undefined) return (url, init) => globalThis.fetch(url, init);
  if (typeof own !== "function") {
    throw new ConfigurationError("fetch must be a function like the global fetch.", {
      code: "invalid_option",
      param: "fetch",
    });
  }
  // Called without a receiver: the platform's fetch refuses a foreign `this`.
  return (url, init) => own(url, init);
}
