import { ApiError } from "./api-error.ts";

/**
 * The idempotency key was used before with other parameters, or its first request is still in
 * progress (status 409). New parameters take a new key.
 */
export class IdempotencyConflictError extends ApiError {
  static override readonly kind: string = "IdempotencyConflictError";
}
