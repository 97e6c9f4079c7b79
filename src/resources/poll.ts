import {
  AbortError,
  ConnectionError,
  RateLimitError,
  ServerError,
  SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";

import type { Time } from "../http/time.ts";

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
