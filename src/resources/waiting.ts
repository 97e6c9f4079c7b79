import {
  AbortError,
  ConnectionError,
  RateLimitError,
  ServerError,
  SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";
import { ApiPromise, type ApiResponse } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import { checkLimit, type RequestOptions } from "../http/settings.ts";

import type { Time } from "../http/time.ts";
import { isFinal } from "../wire/payment-status.ts";

const growth = 1.5;

interface PollOptions {
  readonly time: Time;
  readonly signal: AbortSignal | undefined;
  /** The first wait; each one after it is half as long again, up to `maxIntervalMs`. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** When to have read for the last time, on the clock of `time`. Default: never. */
  readonly deadlineAt?: number;
  /** Which failures say nothing about the next read. Default: those that pass by themselves. */
  readonly mayPass?: (error: SettlekitError) => boolean;
}

/** What one read gave. */
type Poll<T> =
  | { readonly ok: true; readonly value: T }
  /** A failure that says nothing about the next read. */
  | { readonly ok: false; readonly error: SettlekitError };

/**
 * Reads again and again, with backoff and jitter, until the consumer stops or the deadline is here. A
 * failure that may pass is given to the consumer and read on after; any other is thrown. Waits shrink
 * towards the deadline, so that the last reads have time to be answered.
 *
 * @throws {AbortError} when the signal aborts.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  options: PollOptions,
): AsyncGenerator<Poll<T>, void> {
  const { time, signal, intervalMs, maxIntervalMs, mayPass = passesByItself } = options;
  const { deadlineAt = Number.POSITIVE_INFINITY } = options;
  for (let waitMs = intervalMs; ; waitMs = Math.min(maxIntervalMs, waitMs * growth)) {
    yield await attempt(read, mayPass);
    const remainingMs = deadlineAt - time.now();
    // Less than this is no time for a request.
    if (remainingMs < 20) return;
    await time.sleep(Math.min(waitMs * (0.8 + 0.4 * time.random()), remainingMs / 2), signal);
    if (signal?.aborted) {
      throw new AbortError("Waiting was aborted. Nothing was changed by it.", {
        code: "aborted",
        cause: signal.reason,
      });
    }
  }
}

async function attempt<T>(
  read: () => Promise<T>,
  mayPass: (error: SettlekitError) => boolean,
): Promise<Poll<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (SettlekitError.is(error) && mayPass(error)) return { ok: false, error };
    throw error;
  }
}

function passesByItself(error: SettlekitError): boolean {
  // An answer that is no JSON is mostly a proxy's, in the service's place for a while.
  const types = [
    ConnectionError,
    TimeoutError,
    ServerError,
    RateLimitError,
    UnexpectedResponseError,
  ];
  return types.some((type) => type.is(error));
}

/** How long to wait. */
export interface WaitOptions {
  /** Ends the waiting with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait at most, in milliseconds. Default 900,000, a quarter of an hour. */
  readonly deadlineMs?: number | undefined;
}

interface WithStatus {
  readonly status: string;
}

/** Reads until the status is final. Failed reads that may pass do not end the wait. */
export function waitUntilFinal<T extends WithStatus>(
  http: Http,
  read: (options: RequestOptions) => ApiPromise<T>,
  options: WaitOptions = {},
): ApiPromise<T> {
  return new ApiPromise(wait(http, read, options));
}

async function wait<T extends WithStatus>(
  { time }: Http,
  read: (options: RequestOptions) => ApiPromise<T>,
  { signal, deadlineMs = 900_000 }: WaitOptions,
): Promise<ApiResponse<T>> {
  const deadlineAt = time.now() + checkLimit("deadlineMs", deadlineMs);
  const readInTime = () =>
    read({ signal, deadlineMs: Math.max(1, deadlineAt - time.now()) }).withResponse();

  let seen = "no status";
  let failure: SettlekitError | undefined;
  const waits = { time, signal, intervalMs: 1000, maxIntervalMs: 15_000, deadlineAt };
  for await (const result of poll(readInTime, waits)) {
    if (result.ok && isFinal(result.value.data.status)) return result.value;
    if (result.ok) seen = `"${result.value.data.status}"`;
    failure = result.ok ? undefined : result.error;
  }
  throw new TimeoutError(
    `The status was not final within deadlineMs (${deadlineMs} ms); the last one seen is ${seen}. Wait ` +
      "again, or let the webhook tell you.",
    { code: "deadline_exceeded", cause: failure },
  );
}
