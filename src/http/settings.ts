import type { LimitFunction } from "p-limit";
import * as z from "zod/mini";
import { maxTimerMs } from "../duration.ts";
import type { Channel } from "../runtime.ts";
import { invalidOption, isFunction, isRecord } from "../values.ts";
import {
  defaultHeaderPrefix,
  defaultRequestIdHeader,
  type Environment,
} from "../wire/credential.ts";
import { must, type Same } from "../wire/fields.ts";
import type { ClientEvent, Logger } from "./events.ts";
import { checkHeaders } from "./headers.ts";
import type { watched } from "./hooks.ts";

/** The second argument of fetch, which includes `fetchOptions`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /** On Node, a creation's body is a stream if `fetchOptions` has an undici `dispatcher`. */
  body?: string;
  signal: AbortSignal;
  redirect: "manual";
  /** Only for runtimes that support it. */
  cache?: "no-store";
}

/** The result of fetch: a `Response` from any package. */
export interface FetchResponse extends Pick<Response, "ok" | "status" | "type"> {
  readonly headers: Pick<Headers, "get">;
  readonly body?: object | null | undefined;
  readonly redirected?: boolean;
  readonly url?: string;
  /** Reads the whole body. */
  text(): Promise<string>;
}

/** The part of fetch that settlekit uses, always called as `fetch(url, init)`. undici's fetch fits too. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A value, with the status, headers and body of its response: the last one, if the method reads several times. */
export interface ApiResponse<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  /** The response body as received. Integers beyond 2^53, which are reported as drift, are exact only here. */
  readonly rawBody: string;
  /** The service's id for the request. Quote it to the service's support. */
  readonly requestId: string | undefined;
  /** The key that every attempt carried; only for calls that create something. */
  readonly idempotencyKey: string | undefined;
  /** Requests sent for the call, the first one included; for a wait, its reads. */
  readonly attempts: number;
}

/** The source of the credential of a client's calls. */
export interface CredentialSource {
  /** The option that holds it, for errors. */
  readonly param: string;
  /** The checked credential, or a function that returns it and runs for every call. */
  readonly value: string | (() => Promise<string>);
  /** The merchant's own function, which stays the same when the credential changes. */
  readonly provider?: object;
  /** Path parameters that are the same for every operation, such as the merchant of a bearer token. */
  readonly path?: Readonly<Record<string, string>>;
}

/** Options with none left out. */
type Complete<Options> = {
  readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined>;
};

type Limits = "timeoutMs" | "deadlineMs" | "maxRetries" | "maxResponseBytes" | "headers";
type Functions = "fetch" | "logger" | "onEvent";

/** The options of a client, checked and with defaults filled in. */
export interface HttpSettings
  extends Complete<Pick<ConnectionOptions, Limits>>,
    Readonly<Pick<ConnectionOptions, Functions>> {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether plain http to other machines is allowed. */
  readonly allowHttp: boolean;
  /** Undefined for clients that work without one. */
  readonly environment?: Environment | undefined;
  readonly credential: CredentialSource;
  readonly idempotencyNamespace: string;
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly wire: Complete<WireOptions>;
  // Made by server clients alone: browser bundles carry no limiter and no hooks, and reference no Node module.
  readonly limit?: LimitFunction | undefined;
  readonly hooks?: ReturnType<typeof watched> | undefined;
  readonly channel?: Channel | undefined;
}

const milliseconds = must(`a number of milliseconds from 1 to ${maxTimerMs}`);
const limitSchema = z
  .number(milliseconds)
  .check(z.positive(milliseconds), z.lte(maxTimerMs, milliseconds));

const retries = must("zero or a positive whole number", " 0 sends exactly one request.");
const retriesSchema = z.int(retries).check(z.gte(0, retries));

const someBytes = must("a positive whole number of bytes");
const bytesSchema = z.int(someBytes).check(z.gte(1, someBytes));

const headersSchema = z.custom<Readonly<Record<string, string>>>(
  (value) => isRecord(value) && !(Symbol.iterator in value),
  // Headers often contain tokens, so their values are never shown.
  {
    error: "headers must be a plain object of names and values.",
    params: { code: "invalid_header" },
  },
);

const prefixRule = "letters, digits and inner hyphens, such as X-Service";
const token = must(prefixRule);
const prefixSchema = z.string(token).check(z.regex(/^[A-Za-z0-9-]{0,99}[A-Za-z0-9]$/, token));

/** Corrections for a service that differs from settlekit's assumptions. */
export interface WireOptions {
  /** The same as the option `headerPrefix`. */
  headerPrefix?: string | undefined;
  /** The response header with the request's id. Default `X-Request-Id`. */
  requestIdHeader?: string | undefined;
  /** How chain ids are sent: `8453` or `eip155:8453`. Both are understood. Default `number`. */
  chainIdFormat?: "number" | "caip2" | undefined;
  /**
   * Whether the service is known to create only one withdrawal for one Idempotency-Key. The interface document does not
   * say (section 4.4), so the default is `unknown`, and a withdrawal is never repeated. Set `honoured` only if the
   * service has confirmed it.
   */
  withdrawalIdempotency?: "unknown" | "honoured" | undefined;
}

const wireSchema = z.strictObject({
  headerPrefix: z.optional(prefixSchema),
  requestIdHeader: z._default(prefixSchema, defaultRequestIdHeader),
  chainIdFormat: z._default(z.enum(["number", "caip2"], must('"number" or "caip2"')), "number"),
  withdrawalIdempotency: z._default(
    z.enum(["unknown", "honoured"], must('"unknown" or "honoured"')),
    "unknown",
  ),
});
true satisfies Same<WireOptions, z.input<typeof wireSchema>>;

/** The options shared by all client constructors. */
export interface ConnectionOptions {
  /**
   * Replaces the global `fetch`. Must send each request exactly once, and follow no redirect. If it throws, only an
   * error that names the service's host proves that nothing was sent. Default: the global `fetch` at the time of each
   * request.
   */
  fetch?: Fetch | undefined;
  /** Limit of one attempt, including the response body, in milliseconds. Default 30,000. */
  timeoutMs?: number | undefined;
  /** Limit of a whole call: attempts, bodies and waits, in milliseconds. Default 90,000. */
  deadlineMs?: number | undefined;
  /**
   * How many times a failed request is retried if that is harmless, not counting retries after a 429. Default 3; 0
   * sends exactly one request.
   */
  maxRetries?: number | undefined;
  /** The largest response body, decompressed, in bytes. Default 64 MiB. */
  maxResponseBytes?: number | undefined;
  /** Added to every request. May not set credentials or Idempotency-Key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Prefix of the service's own headers. Default `X-Service`; for servers also `SETTLEKIT_HEADER_PREFIX`. */
  headerPrefix?: string | undefined;
  /** Gets retries, drift and failed calls as `warn`, errors of `onEvent` as `error`, else `debug`. Default: none. */
  logger?: Logger | undefined;
  /** Called with an event for every call, attempt, wait and drift. */
  onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Corrections for a service that differs from settlekit's assumptions. */
  wire?: WireOptions | undefined;
}

export const connectionFields = {
  baseUrl: z.optional(z.string(must("a URL, as a string"))),
  fetch: z.optional(z.custom<Fetch>(isFunction, must("a function like the global fetch"))),
  timeoutMs: z._default(limitSchema, 30_000),
  deadlineMs: z._default(limitSchema, 90_000),
  maxRetries: z._default(retriesSchema, 3),
  maxResponseBytes: z._default(bytesSchema, 64 * 1024 * 1024),
  headers: z.optional(headersSchema),
  headerPrefix: z.optional(prefixSchema),
  logger: z.optional(
    z.custom<Logger>(
      (value) => typeof value === "object" || isFunction(value),
      must("an object such as console"),
    ),
  ),
  onEvent: z.optional(z.custom<(event: ClientEvent) => void>(isFunction, must("a function"))),
  wire: z.optional(wireSchema),
};

/** The options of a call that is harmless to repeat, such as a read. Limits default to the client's. */
export interface ReadOptions {
  /** Ends the call with an `AbortError`. */
  signal?: AbortSignal | undefined;
  /** Limit of one attempt, including the response body, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Limit of the whole call: attempts, bodies and waits, in milliseconds. */
  deadlineMs?: number | undefined;
  /** How many times a failed request is retried if that is harmless. 0 sends exactly one request. */
  maxRetries?: number | undefined;
  /** Added to this call's requests. May not set credentials or Idempotency-Key. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The options of a call that creates something. */
export interface RequestOptions extends ReadOptions {
  /**
   * Makes a creation safe to repeat: the same key with the same parameters returns the original response for 24 hours
   * (interface section 4.1). Default: a new random UUID for each call.
   */
  idempotencyKey?: string | undefined;
}

/** The options of every call. Misspelt ones are refused: without its idempotencyKey, a call would use a random one. */
export const callSchema = z.strictObject({
  // Checked when the request is prepared, as an argument.
  idempotencyKey: z.optional(z.custom<string>()),
  signal: z.optional(z.instanceof(AbortSignal, must("an AbortSignal, such as controller.signal"))),
  timeoutMs: z.optional(limitSchema),
  deadlineMs: z.optional(limitSchema),
  maxRetries: z.optional(retriesSchema),
  headers: z.optional(headersSchema),
});
true satisfies Same<RequestOptions, z.input<typeof callSchema>>;

type CheckedOptions = z.output<z.ZodMiniObject<typeof connectionFields>>;

/** The settings that result from checked options. */
export function connectionSettings<Options extends CheckedOptions>(
  options: Options,
  prefixVariable?: string,
) {
  const wire = options.wire ?? wireSchema.parse({});
  const headerPrefix = checkHeaderPrefix(options.headerPrefix, wire.headerPrefix, prefixVariable);
  return {
    ...options,
    headers: Object.freeze(checkHeaders(options.headers ?? {}, headerPrefix)),
    wire: Object.freeze({ ...wire, headerPrefix }),
  };
}

function checkHeaderPrefix(own?: string, ofWire?: string, variable?: string): string {
  if (own !== undefined && ofWire !== undefined && own !== ofWire) {
    throw invalidOption(
      "headerPrefix",
      "headerPrefix and wire.headerPrefix mean the same, but differ. Set only one of them.",
    );
  }
  const prefix = own ?? ofWire ?? (variable || defaultHeaderPrefix);
  // Only the variable has not been checked yet.
  if (prefixSchema.safeParse(prefix).success) return prefix;
  throw invalidOption("headerPrefix", `SETTLEKIT_HEADER_PREFIX must be ${prefixRule}.`);
}
