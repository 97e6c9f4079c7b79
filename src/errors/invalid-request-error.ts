import { ApiError } from "./api-error.ts";

/**
 * The request can never succeed as it is: status 400 or 422, or an argument refused before sending.
 * `param` names the field; correct it before calling again.
 */
export class InvalidRequestError extends ApiError {
  static override readonly kind: string = "InvalidRequestError";
}
