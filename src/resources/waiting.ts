import {
  AbortError,
  ConnectionError,
  RateLimitError,
  ServerError,
  SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";
import type { ApiPromise, ApiResponse } from "../http/answer.ts";
import { callSchema, type ReadOptions } from "../http/settings.ts";
import type { Time } from "../http/time.ts";
import { callSite } from "../values.ts";
import { checkOptions } from "../wire/fields.ts";
import { isFinal } from "../wire/payment-status.ts";

/** The options of `waitUntilFinal`; all but `deadlineMs` are those of each read. */
export interface WaitOptions extends ReadOptions {
  /** Limit of the whole wait, in milliseconds. Default 900,000 (15 minutes). */
  deadlineMs?: number | undefined;
}

interface PollOptions {
  readonly time: Time;
  readonly signal: AbortSignal | undefined;
  /** The first wait; each later one is 1.5 times as long, up to `maxIntervalMs`. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** The deadline for the last read, on the clock of `time`. Default: none. */
  readonly deadlineAt?: number;
  /** Whether the next read may succeed after this failure. Default: after a temporary one. */
  readonly mayPass?: (error: SettlekitError) => boolean;
}

/**
 * Polls with backoff and jitter until the consumer stops or the deadline passes. Yields each value, or the temporary
 * failure to read it; throws all other failures. Waits shrink towards the deadline, to leave time for the last reads.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  options: PollOptions,
): AsyncGenerator<{ readonly value?: T; readonly error?: SettlekitError }, void> {
  const { time, signal, intervalMs, maxIntervalMs, mayPass = passesByItself } = options;
  const { deadlineAt = Number.POSITIVE_INFINITY } = options;
  for (let waitMs = intervalMs; ; waitMs = Math.min(maxIntervalMs, waitMs * 1.5)) {
    yield await read().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (SettlekitError.is(error) && mayPass(error)) return { error };
        throw error;
      },
    );
    const remainingMs = deadlineAt - time.now();
    // Too little time for a request.
    if (remainingMs < 100) return;
    await time.sleep(Math.min(waitMs * (0.8 + 0.4 * time.random()), remainingMs / 2), signal);
    if (signal?.aborted) {
      throw new AbortError("Waiting was aborted.", { code: "aborted", cause: signal.reason });
    }
  }
}

/** Whether a failure is temporary. */
export function passesByItself(error: unknown): boolean {
  // A response that is not JSON usually comes from a proxy while the service is down.
  const all = [ConnectionError, TimeoutError, ServerError, RateLimitError, UnexpectedResponseError];
  return all.some((type) => type.is(error));
}

/**
 * Polls until the status is final. Yields every response, and returns the final one. Temporary failures do not end it.
 *
 * @param operation The method that waits, such as `payments.waitUntilFinal`.
 * @param read Called with the milliseconds until the deadline.
 * @throws {TimeoutError} at the deadline. Errors of a read are thrown, too, with the last status added. Waiting changes
 * nothing, so `outcome` concerns only the read.
 */
export async function* followStatus<T extends { readonly status: string }>(
  operation: string,
  read: (deadlineMs: number) => ApiPromise<T>,
  {
    deadlineMs = Number.POSITIVE_INFINITY,
    ...waits
  }: PollOptions & { readonly deadlineMs?: number },
): AsyncGenerator<ApiResponse<T>, ApiResponse<T>> {
  const fail = callSite(followStatus);
  const deadlineAt = waits.time.now() + deadlineMs;
  const facts: { operation: string; attempts: number; lastStatus?: string } = {
    operation,
    attempts: 0,
  };
  let lastSeen = "No status was read.";
  const readOnce = () => {
    facts.attempts += 1;
    return read(Math.max(1, deadlineAt - waits.time.now())).withResponse();
  };
  let failure: SettlekitError | undefined;
  try {
    for await (const { value, error } of poll(readOnce, { ...waits, deadlineAt })) {
      failure = error;
      if (value === undefined) continue;
      // Anything but text is not final.
      const status: unknown = value.data.status;
      if (typeof status === "string") {
        facts.lastStatus = status;
        lastSeen = `The last status read is "${status}".`;
      }
      yield value;
      if (typeof status === "string" && isFinal(status)) {
        return { ...value, attempts: facts.attempts };
      }
    }
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    if (AbortError.is(error)) {
      const message = `${operation} was aborted. ${lastSeen}`;
      const all = { ...facts, code: "aborted", outcome: "unknown", cause: error.cause } as const;
      return fail(new AbortError(message, all));
    }
    const isInDoubt = facts.attempts > 1 && error.outcome === "not_sent";
    return fail(Object.assign(error, facts, isInDoubt && { outcome: "unknown" }));
  }
  throw new TimeoutError(
    `${operation} read no final status within deadlineMs (${deadlineMs} ms). ${lastSeen} Wait again, or rely on ` +
      "the webhook.",
    { ...facts, code: "deadline_exceeded", outcome: "unknown", cause: failure },
  );
}

/** Polls until the status is final. */
export async function waitUntilFinal<T extends { readonly status: string }>(
  time: Time,
  operation: string,
  read: (options: ReadOptions) => ApiPromise<T>,
  options: WaitOptions = {},
): Promise<ApiResponse<T>> {
  const checked = checkOptions(callSchema, options);
  const { signal, deadlineMs = 900_000 } = checked;
  const waits = { time, signal, intervalMs: 1000, maxIntervalMs: 15_000, deadlineMs };
  const reads = followStatus(operation, (deadlineMs) => read({ ...checked, deadlineMs }), waits);
  for (;;) {
    const { done, value } = await reads.next();
    if (done) return value;
  }
}
