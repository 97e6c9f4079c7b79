import type { Environment } from "../wire/credential.ts";
import type { ClientEvent, Listeners, Logger } from "./events.ts";
import type { ClientHooks } from "./hooks.ts";

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

/** A value, with the status, headers and body of its response. */
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
  /** Requests sent for the call, the first one included. */
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

/** The options of a client, checked and with defaults filled in. */
export interface HttpSettings extends Listeners, Complete<Pick<ConnectionOptions, Limits>> {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether plain http to other machines is allowed. */
  readonly allowHttp: boolean;
  /** Undefined for clients that work without one. */
  readonly environment?: Environment | undefined;
  readonly credential: CredentialSource;
  readonly maxConcurrency: number;
  readonly idempotencyNamespace: string;
  readonly fetch?: Fetch | undefined;
  readonly hooks?: ClientHooks | undefined;
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly wire: Complete<WireOptions>;
}

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
  /** Anything with console's methods. Nothing is logged by default. */
  logger?: Logger | undefined;
  /** Called with an event for every call, attempt, wait and drift. */
  onEvent?: ((event: ClientEvent) => void) | undefined;
  /** Corrections for a service that differs from settlekit's assumptions. */
  wire?: WireOptions | undefined;
}

/** The options of a call that is harmless to repeat, such as a read. */
export interface ReadOptions {
  signal?: AbortSignal | undefined;
  /** Limit of one attempt in milliseconds. */
  timeoutMs?: number | undefined;
  /** Limit of the whole call in milliseconds. */
  deadlineMs?: number | undefined;
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
