import { defaultHeaderPrefix, defaultRequestIdHeader } from "../wire/credential.ts";
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
