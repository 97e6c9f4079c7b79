import { SettlekitError } from "./settlekit-error.ts";

/**
 * The caller's signal ended the call; `cause` is the signal's reason. `outcome` is `not_sent` when
 * that was before the first request, and `unknown` afterwards.
 */
export class AbortError extends SettlekitError {
  static override readonly kind: string = "AbortError";
}
