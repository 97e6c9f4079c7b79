import { type SettlekitError, TimeoutError } from "../errors.ts";

import { ApiPromise, type ApiResponse } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import { checkLimit } from "../http/settings-checks.ts";
import { isFinal } from "../wire/payment.ts";
import { poll } from "./poll.ts";

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
