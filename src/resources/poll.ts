import { AbortError } from "../errors/abort-error.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { RateLimitError } from "../errors/rate-limit-error.ts";
import { ServerError } from "../errors/server-error.ts";
import type { SettlekitError } from "../errors/settlekit-error.ts";
import { TimeoutError } from "../errors/timeout-error.ts";
import type { Time } from "../http/time.ts";

const growth = 1.5;

export interface PollOptions {
  readonly time: Time;
  readonly signal: AbortSignal | undefined;
  /** The first wait; each one after it is half as long again, up to `maxIntervalMs`. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
}

/** What one read gave. */
export type Poll<T> =
  | { readonly ok: true; readonly value: T }
  /** A failure that says nothing about the next read. */
  | { readonly ok: false; readonly error: SettlekitError };

/**
 * Reads again and again, with backoff and jitter, until the consumer stops. A failure that may pass is
 * given to the consumer and read on after; any other is thrown.
 *
 * @throws {AbortError} when the signal aborts.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  { time, signal, intervalMs, maxIntervalMs }: PollOptions,
): AsyncGenerator<Poll<T>> {
  for (let waitMs = intervalMs; ; waitMs = Math.min(maxIntervalMs, waitMs * growth)) {
    yield await attempt(read);
    await time.sleep(waitMs * (0.8 + 0.4 * time.random()), signal);
    if (signal?.aborted) {
      throw new AbortError("Waiting was aborted. Nothing was changed by it.", {
        code: "aborted",
        cause: signal.reason,
      });
    }
  }
}

async function attempt<T>(read: () => Promise<T>): Promise<Poll<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (mayPass(error)) return { ok: false, error };
    throw error;
  }
}

function mayPass(error: unknown): error is SettlekitError {
  return [ConnectionError, TimeoutError, ServerError, RateLimitError].some((type) =>
    type.is(error),
  );
}
