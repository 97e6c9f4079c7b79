import { ConfigurationError } from "../errors.ts";
import {
  credentialHeaderNames,
  defaultHeaderPrefix,
  defaultRequestIdHeader,
  idempotencyKeyHeader,
} from "../wire/credential.ts";
import type { ClientEvent, Logger } from "./events.ts";

/** What fetch is given beside the URL, and what `fetchOptions` holds. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  redirect: "manual";
}

/** What fetch has to give: any `Response`, whichever package it is of. */
export interface FetchResponse extends Pick<Response, "ok" | "status" | "type"> {
  readonly headers: Pick<Headers, "get">;
  readonly body: Pick<ReadableStream, "cancel"> | null;
  /** The body, whole. */
  text(): Promise<string>;
}

/** The part of fetch that settlekit uses, always called as `fetch(url, init)`. That of undici fits, too. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Where the credential of a client's calls comes from. */
export interface CredentialSource {
  /** The option that holds it, for errors. */
  readonly param: string;
  /** Gives the credential, checked. Asked for every call. */
  get(): string | Promise<string>;
  /** Whether asking again after a 401 may give a better one, because it is a token that expires. */
  readonly renewable: boolean;
}

/** What the core needs to know to make calls. */
export interface HttpSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly credential: CredentialSource;
  /** Limit of one attempt, its answer's body included. */
  readonly timeoutMs: number;
  /** Limit of a whole call: attempts, bodies and waits. */
  readonly deadlineMs: number;
  readonly maxRetries: number;
  /** Requests under way at once. */
  readonly maxConcurrency: number;
  /** Keeps apart the idempotency keys of systems that share a merchant. */
  readonly idempotencyNamespace: string;
  readonly fetch: Fetch;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger | undefined;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
  readonly wire: {
    readonly headerPrefix: string;
    readonly requestIdHeader: string;
    readonly chainIdFormat: "number" | "caip2";
    readonly withdrawalIdempotency: "unknown" | "honoured";
  };
}

/** What a client uses unless told otherwise. */
export const defaults = {
  timeoutMs: 30_000,
  deadlineMs: 90_000,
  maxRetries: 3,
  maxConcurrency: Number.POSITIVE_INFINITY,
  idempotencyNamespace: "default",
  fetchOptions: {},
  headers: {},
  logger: undefined,
  onEvent: undefined,
  wire: {
    headerPrefix: defaultHeaderPrefix,
    requestIdHeader: defaultRequestIdHeader,
    chainIdFormat: "number",
    withdrawalIdempotency: "unknown",
  },
} as const satisfies Partial<HttpSettings>;

/** What can be set for one call. */
export interface RequestOptions {
  /**
   * Ties repetitions of one creation together: the same key with the same parameters gives the
   * original answer for 24 hours (interface section 4.1). Default: a new random UUID for each call.
   */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Limit of one attempt in milliseconds. */
  timeoutMs?: number | undefined;
  /** Limit of the whole call in milliseconds. */
  deadlineMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Added to this call's requests. May not set credentials or Idempotency-Key. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What to change when the service speaks otherwise than settlekit believes. */
export interface WireOptions {
  /** Prefix of the service's own headers. Default `X-Service`. */
  headerPrefix?: string | undefined;
  /** The answer header that names a request. Default `X-Request-Id`. */
  requestIdHeader?: string | undefined;
  /** How chain ids are sent: `8453` or `eip155:8453`. Both are understood. Default `number`. */
  chainIdFormat?: "number" | "caip2" | undefined;
  /**
   * Whether the service is known to create nothing twice for one Idempotency-Key when it creates
   * withdrawals. The interface document does not say (section 4.4), so the default is `unknown`, and a
   * withdrawal is never repeated. Say `honoured` only when the service has told you so.
   */
  withdrawalIdempotency?: "unknown" | "honoured" | undefined;
}

/** @throws {ConfigurationError} naming the option in `param`. */
export function checkWire(options: WireOptions = {}): HttpSettings["wire"] {
  const misspelt = Object.keys(options).find((name) => !(name in defaults.wire));
  if (misspelt !== undefined) {
    throw new ConfigurationError(
      `There is no option wire.${misspelt}. They are: ${Object.keys(defaults.wire).join(", ")}.`,
      { code: "unknown_option", param: `wire.${misspelt}` },
    );
  }
  const {
    headerPrefix = defaults.wire.headerPrefix,
    requestIdHeader = defaults.wire.requestIdHeader,
    chainIdFormat = defaults.wire.chainIdFormat,
    withdrawalIdempotency = defaults.wire.withdrawalIdempotency,
  } = options;
  const refused = (name: keyof WireOptions, rule: string) =>
    new ConfigurationError(`wire.${name} must be ${rule}.`, {
      code: "invalid_option",
      param: `wire.${name}`,
    });
  for (const [name, value] of Object.entries({ headerPrefix, requestIdHeader })) {
    if (!/^[A-Za-z0-9-]+$/.test(value)) {
      throw refused(name as keyof WireOptions, "letters, digits and hyphens, such as X-Service");
    }
  }
  if (chainIdFormat !== "number" && chainIdFormat !== "caip2") {
    throw refused("chainIdFormat", '"number" or "caip2"');
  }
  if (withdrawalIdempotency !== "unknown" && withdrawalIdempotency !== "honoured") {
    throw refused("withdrawalIdempotency", '"unknown" or "honoured"');
  }
  return Object.freeze({ headerPrefix, requestIdHeader, chainIdFormat, withdrawalIdempotency });
}

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

/**
 * Gives the base URL without a slash at its end.
 *
 * @throws {ConfigurationError} when it is not https, or http on this machine, or has more than a path.
 */
export function checkBaseUrl(value: string): string {
  const fail = (fact: string) =>
    new ConfigurationError(`baseUrl ${fact}`, { code: "invalid_base_url", param: "baseUrl" });
  // "localhost:4010" parses, with a scheme "localhost".
  if (!URL.canParse(value) || !String(value).includes("://")) {
    throw fail("is not a URL. Give it whole, such as https://api.example.com.");
  }
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") {
    throw fail("contains credentials. Remove them: the secret key goes into secretKey.");
  }
  if (url.search !== "" || url.hash !== "") {
    throw fail("has a query or a fragment. Remove what follows the path.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw fail(
      `is plain http to ${url.hostname}, which would send the secret key readable. Use https, or http ` +
        "to 127.0.0.1 or localhost.",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw fail(`has the scheme ${url.protocol.slice(0, -1)}. Use https, or http on this machine.`);
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`;
}

/** Whether other machines cannot reach what listens there. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "::1" ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
