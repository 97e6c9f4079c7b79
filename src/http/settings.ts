import type { ClientEvent, Logger } from "./events.ts";

/** The part of fetch that settlekit uses; always called as `fetch(url, init)`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the core needs to know to make calls. */
export interface HttpSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Gives the merchant secret key, checked. */
  readonly secretKey: () => string | Promise<string>;
  /** Limit of one attempt, its answer's body included. */
  readonly timeoutMs: number;
  /** Limit of a whole call: attempts, bodies and waits. */
  readonly deadlineMs: number;
  readonly maxRetries: number;
  readonly fetch: Fetch;
  readonly fetchOptions: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly logger: Logger | undefined;
  readonly onEvent: ((event: ClientEvent) => void) | undefined;
  readonly wire: { readonly headerPrefix: string; readonly requestIdHeader: string };
}

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
