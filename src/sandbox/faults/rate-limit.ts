import { credentialHeaderNames } from "../../wire/credential.ts";

/** The service's rate limit. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** The value of `Retry-After`, in seconds. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Counts a caller's request. Returns whether it is within the limit. */
export type Limiter = (caller: string) => boolean;

const windowMs = 1_000;

/**
 * Fixed windows of one second, the first of which begins with the first request. Each caller has the whole limit. In real
 * time, because clients wait in real time.
 */
export function createLimiter(requestsPerSecond: number): Limiter {
  let windowEndMs = Number.NEGATIVE_INFINITY;
  const taken = new Map<string, number>();
  return (caller) => {
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

/** The credential of a request. Requests without one count as one caller. */
export function callerOf(headers: Headers, headerPrefix: string): string {
  for (const name of credentialHeaderNames(headerPrefix)) {
    const credential = headers.get(name);
    if (credential !== null) return credential;
  }
  return "";
}
