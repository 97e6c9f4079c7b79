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
import { checkCallOptions } from "../http/checks.ts";
import type { RequestOptions } from "../http/settings.ts";
import type { Time } from "../http/time.ts";
import { isFinal } from "../wire/payment-status.ts";

/** The options of `waitUntilFinal`. */
export interface WaitOptions {
  /** Ends the wait with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait at most, in milliseconds. Default 900,000, which is 15 minutes. */
  readonly deadlineMs?: number | undefined;
  /** Time limit for each attempt of a read, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Added to every read. May not set credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface PollOptions {
  readonly time: Time;
  readonly signal: AbortSignal | undefined;
  /** The first wait; each later one is half as long again, up to `maxIntervalMs`. */
  readonly intervalMs: number;
  readonly maxIntervalMs: number;
  /** The deadline for the last read, on the clock of `time`. Default: none. */
  readonly deadlineAt?: number;
  /** Which failures do not rule out that the next read succeeds. Default: temporary ones. */
  readonly mayPass?: (error: SettlekitError) => boolean;
}

/** The result of one read. `error` is a temporary failure. */
interface Poll<T> {
  readonly value?: T;
  readonly error?: SettlekitError;
}

const growth = 1.5;

/**
 * Reads repeatedly, with backoff and jitter, until the consumer stops or the deadline passes. A temporary failure is
 * passed to the consumer, and the next read follows; any other failure is thrown. Waits shrink towards the deadline, to
 * leave time for the last reads.
 */
export async function* poll<T>(
  read: () => Promise<T>,
  options: PollOptions,
): AsyncGenerator<Poll<T>, void> {
  const { time, signal, intervalMs, maxIntervalMs, mayPass = passesByItself } = options;
  const { deadlineAt = Number.POSITIVE_INFINITY } = options;
  for (let waitMs = intervalMs; ; waitMs = Math.min(maxIntervalMs, waitMs * growth)) {
    const result: Poll<T> = await read().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (SettlekitError.is(error) && mayPass(error)) return { error };
        throw error;
      },
    );
    yield result;
    const remainingMs = deadlineAt - time.now();
    // Too little time for a request.
    if (remainingMs < 20) return;
    await time.sleep(Math.min(waitMs * (0.8 + 0.4 * time.random()), remainingMs / 2), signal);
    if (signal?.aborted) {
      throw new AbortError("Waiting was aborted.", { code: "aborted", cause: signal.reason });
    }
  }
}

/** Whether a failure is temporary. */
export function passesByItself(error: unknown): boolean {
  // A response that is not JSON usually comes from a proxy while the service is down.
  const types = [
    ConnectionError,
    TimeoutError,
    ServerError,
    RateLimitError,
    UnexpectedResponseError,
  ];
  return types.some((type) => type.is(error));
}

/** Follows a status, and creates the errors that report the last one. */
export class StatusWatch {
  readonly #operation: string;
  reads = 0;
  lastStatus: string | undefined;

  /** @param operation The method that waits, such as `payments.waitUntilFinal`. */
  constructor(operation: string) {
    this.#operation = operation;
  }

  /** Takes a status that was read and returns whether it is final. Anything but text is not. */
  isFinal(status: unknown): boolean {
    if (typeof status !== "string") return false;
    this.lastStatus = status;
    return isFinal(status);
  }

  /** The error that ends the wait. Waiting changes nothing, so the error's outcome concerns only the read. */
  failure(error: unknown): unknown {
    if (!SettlekitError.is(error)) return error;
    const facts = this.#facts;
    if (AbortError.is(error)) {
      const message = `${this.#operation} was aborted. ${this.#sentence}`;
      const { cause } = error;
      return new AbortError(message, { ...facts, code: "aborted", outcome: "unknown", cause });
    }
    const isInDoubt = this.reads > 1 && error.outcome === "not_sent";
    return Object.assign(error, facts, isInDoubt && { outcome: "unknown" });
  }

  tooLate(deadlineMs: number, cause: SettlekitError | undefined): TimeoutError {
    return new TimeoutError(
      `${this.#operation} saw no final status within deadlineMs (${deadlineMs} ms). ${this.#sentence} Wait ` +
        "again, or let the webhook tell you.",
      { ...this.#facts, code: "deadline_exceeded", outcome: "unknown", cause },
    );
  }

  get #facts() {
    return { operation: this.#operation, attempts: this.reads, lastStatus: this.lastStatus };
  }

  get #sentence(): string {
    return this.lastStatus === undefined
      ? "No status was read."
      : `The last status read is "${this.lastStatus}".`;
  }
}

/** Reads until the status is final. Temporary failures do not end the wait. */
export async function waitUntilFinal<T extends { readonly status: string }>(
  time: Time,
  operation: string,
  read: (options: RequestOptions) => ApiPromise<T>,
  options: WaitOptions = {},
): Promise<ApiResponse<T>> {
  checkCallOptions(options, ["signal", "deadlineMs", "timeoutMs", "headers"]);
  const { signal, deadlineMs = 900_000, ...forReads } = options;
  const deadlineAt = time.now() + deadlineMs;
  const watch = new StatusWatch(operation);
  const readInTime = () => {
    watch.reads += 1;
    const readDeadlineMs = Math.max(1, deadlineAt - time.now());
    return read({ ...forReads, signal, deadlineMs: readDeadlineMs }).withResponse();
  };
  const waits = { time, signal, intervalMs: 1000, maxIntervalMs: 15_000, deadlineAt };
  let failure: SettlekitError | undefined;
  try {
    for await (const result of poll(readInTime, waits)) {
      if (result.value && watch.isFinal(result.value.data.status)) return result.value;
      failure = result.error;
    }
  } catch (error) {
    throw watch.failure(error);
  }
  throw watch.tooLate(deadlineMs, failure);
}
