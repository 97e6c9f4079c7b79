import {
  AbortError,
  ConnectionError,
  RateLimitError,
  ServerError,
  SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";
import { ApiPromise, type ApiResponse } from "../http/answer.ts";
import { checkLimit } from "../http/checks.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import type { Time } from "../http/time.ts";
import { checkOptionNames } from "../values.ts";
import { isFinal } from "../wire/payment-status.ts";

/** How long to wait. */
export interface WaitOptions {
  /** Ends the waiting with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait at most, in milliseconds. Default 900,000, a quarter of an hour. */
  readonly deadlineMs?: number | undefined;
}

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

/** The result of one read. */
type Poll<T> =
  | { readonly ok: true; readonly value: T }
  /** A failure that says nothing about the next read. */
  | { readonly ok: false; readonly error: SettlekitError };

const growth = 1.5;

/**
 * Reads again and again, with backoff and jitter, until the consumer stops or the deadline is here. A
 * failure that may pass is given to the consumer and followed by another read; any other is thrown. Waits shrink
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
    // Less than this is not enough for a request.
    if (remainingMs < 20) return;
    await time.sleep(Math.min(waitMs * (0.8 + 0.4 * time.random()), remainingMs / 2), signal);
    if (signal?.aborted) {
      throw new AbortError("Waiting was aborted.", { code: "aborted", cause: signal.reason });
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

/** Whether a failure says nothing about the next read. */
export function passesByItself(error: unknown): boolean {
  // An answer that is not JSON mostly comes from a proxy that stands in for the service for a while.
  const types = [
    ConnectionError,
    TimeoutError,
    ServerError,
    RateLimitError,
    UnexpectedResponseError,
  ];
  return types.some((type) => type.is(error));
}

/** Follows a status: what was read so far, and the errors that say so. */
export class StatusWatch {
  readonly #operation: string;
  #reads = 0;
  lastStatus: string | undefined;

  /** @param operation The method that waits, such as `payments.waitUntilFinal`. */
  constructor(operation: string) {
    this.#operation = operation;
  }

  countRead(): void {
    this.#reads += 1;
  }

  /** Takes a status as it was read. Gives whether it is final; what is not text is not. */
  isFinal(status: unknown): boolean {
    if (typeof status !== "string") return false;
    this.lastStatus = status;
    return isFinal(status);
  }

  /** The error that ends the waiting. Waiting changes nothing, so its outcome says nothing about what is waited for. */
  failure(error: unknown): unknown {
    if (!SettlekitError.is(error)) return error;
    const { lastStatus } = this;
    const facts = { operation: this.#operation, attempts: this.#reads, lastStatus };
    const isAbort: boolean = AbortError.is(error);
    if (isAbort) {
      const message = `${this.#operation} was aborted. ${this.sentence}`;
      const { cause } = error;
      return new AbortError(message, { ...facts, code: "aborted", outcome: "unknown", cause });
    }
    const wasRead = this.#reads > 1;
    return Object.assign(
      error,
      facts,
      wasRead && error.outcome === "not_sent" && { outcome: "unknown" },
    );
  }

  tooLate(deadlineMs: number, cause: SettlekitError | undefined): TimeoutError {
    return new TimeoutError(
      `${this.#operation} saw no final status within deadlineMs (${deadlineMs} ms). ${this.sentence} Wait ` +
        "again, or let the webhook tell you.",
      {
        code: "deadline_exceeded",
        operation: this.#operation,
        attempts: this.#reads,
        lastStatus: this.lastStatus,
        outcome: "unknown",
        cause,
      },
    );
  }

  private get sentence(): string {
    return this.lastStatus === undefined
      ? "No status was read."
      : `The last status read is "${this.lastStatus}".`;
  }
}

/** Reads until the status is final. Failed reads that may pass do not end the wait. */
export function waitUntilFinal<T extends { readonly status: string }>(
  http: Http,
  operation: string,
  read: (options: RequestOptions) => ApiPromise<T>,
  options: WaitOptions = {},
): ApiPromise<T> {
  return new ApiPromise(wait(http, operation, read, options));
}

async function wait<T extends { readonly status: string }>(
  { time }: Http,
  operation: string,
  read: (options: RequestOptions) => ApiPromise<T>,
  options: WaitOptions,
): Promise<ApiResponse<T>> {
  checkOptionNames(options, ["signal", "deadlineMs"]);
  const { signal, deadlineMs = 900_000 } = options;
  const deadlineAt = time.now() + checkLimit("deadlineMs", deadlineMs);
  const watch = new StatusWatch(operation);
  const readInTime = () => {
    watch.countRead();
    return read({ signal, deadlineMs: Math.max(1, deadlineAt - time.now()) }).withResponse();
  };
  const waits = { time, signal, intervalMs: 1000, maxIntervalMs: 15_000, deadlineAt };
  let failure: SettlekitError | undefined;
  try {
    for await (const result of poll(readInTime, waits)) {
      if (result.ok && watch.isFinal(result.value.data.status)) return result.value;
      failure = result.ok ? undefined : result.error;
    }
  } catch (error) {
    throw watch.failure(error);
  }
  throw watch.tooLate(deadlineMs, failure);
}
