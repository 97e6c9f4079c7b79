import { checkOptionNames } from "../../values.ts";
import { credentialHeaderNames } from "../../wire/credential.ts";
import { invalidFault, isWholeWithin } from "./fault.ts";

/** The service's rate limit. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** The value of `Retry-After`, in seconds. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
}

const windowMs = 1_000;

/**
 * Fixed windows of one second, the first of which begins with the first request. Each caller has the whole limit. In real
 * time, because clients wait in real time.
 *
 * @returns Counts a caller's request, and tells whether it is within the limit.
 */
export function createLimiter(requestsPerSecond: number) {
  let windowEndMs = Number.NEGATIVE_INFINITY;
  const taken = new Map<string, number>();
  return (caller: string): boolean => {
    const now = performance.now();
    if (now >= windowEndMs) {
      windowEndMs = now + windowMs;
      taken.clear();
    }
    const count = (taken.get(caller) ?? 0) + 1;
    taken.set(caller, count);
    return count <= requestsPerSecond;
  };
}

/** @throws {InvalidRequestError} code `invalid_fault`. */
export function checkedRate(rate: RateLimit): Required<RateLimit> {
  checkOptionNames(rate, ["requestsPerSecond", "retryAfterSeconds"]);
  const { requestsPerSecond, retryAfterSeconds = 1 } = rate;
  for (const [name, value] of Object.entries({ requestsPerSecond, retryAfterSeconds })) {
    if (!isWholeWithin(value, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault(name, "must be a whole number from 0");
    }
  }
  return { requestsPerSecond, retryAfterSeconds };
}

/** The credential of a request. Requests without one count as one caller. */
export function callerOf(headers: Headers, headerPrefix: string): string {
  for (const name of credentialHeaderNames(headerPrefix)) {
    const credential = headers.get(name);
    if (credential !== null) return credential;
  }
  return "";
}
