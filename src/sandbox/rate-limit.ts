/** How many requests the service takes. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** What `Retry-After` says, in seconds. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Tells of each request whether it is still within the limit. */
export type Limiter = () => boolean;

const windowMs = 1_000;

/**
 * Fixed windows of one second, the first of which begins with the first request.
 *
 * @param nowMs Real time, in milliseconds: a client that waits does so in real time.
 */
export function createLimiter(requestsPerSecond: number, nowMs: () => number): Limiter {
  let windowEndMs = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return () => {
    const now = nowMs();
    if (now >= windowEndMs) {
      windowEndMs = now + windowMs;
      taken = 0;
    }
    taken++;
    return taken <= requestsPerSecond;
  };
}
