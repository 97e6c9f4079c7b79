import { ApiError } from "./api-error.ts";

/**
 * The service failed (status 5xx) while answering a call that is harmless to repeat. A call that may
 * have moved money ends in `OutcomeUnknownError` instead.
 */
export class ServerError extends ApiError {
  static override readonly kind: string = "ServerError";
}
