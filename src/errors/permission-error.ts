import { ApiError } from "./api-error.ts";

/**
 * The credential is valid but may not do this (status 403), for example because deposits or
 * withdrawals are not enabled for the merchant.
 */
export class PermissionError extends ApiError {
  static override readonly kind: string = "PermissionError";
}
