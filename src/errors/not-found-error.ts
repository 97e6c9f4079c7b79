import { ApiError } from "./api-error.ts";

/**
 * Nothing has this id in this environment (status 404), or the base URL points beside the service.
 */
export class NotFoundError extends ApiError {
  static override readonly kind: string = "NotFoundError";
}
