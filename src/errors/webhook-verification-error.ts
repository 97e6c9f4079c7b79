import { SettlekitError } from "./settlekit-error.ts";

/** Why a delivery was not accepted. The guide to webhooks explains each. */
export type WebhookFailureReason =
  | "missing_signature"
  | "missing_timestamp"
  | "malformed_signature"
  | "malformed_timestamp"
  | "signature_mismatch"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "body_already_parsed"
  | "body_too_large"
  | "invalid_json"
  | "invalid_event";

/** A webhook delivery was not accepted (interface section 6). `code` equals `reason`. */
export class WebhookVerificationError extends SettlekitError {
  static override readonly kind: string = "WebhookVerificationError";

  /** Why; equal to `code`. */
  readonly reason: WebhookFailureReason;

  constructor(reason: WebhookFailureReason, message: string) {
    super(message, { code: reason });
    this.reason = reason;
  }
}
