import { ApiError } from "./api-error.ts";

/**
 * The credential is missing or wrong (status 401). Check that the key is complete and belongs to the
 * environment that the client talks to.
 */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = "AuthenticationError";
}
