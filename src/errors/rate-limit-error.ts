import { ApiError } from "./api-error.ts";

/**
 * Too many requests (status 429). The client waits and repeats on its own until its deadline;
 * `retryAfterMs` says how long the service wanted it to wait.
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = "RateLimitError";
}
