import { SettlekitError, type SettlekitErrorOptions } from "./settlekit-error.ts";

/** What an `OutcomeUnknownError` is made with; its outcome is `unknown`. */
export interface OutcomeUnknownErrorOptions extends Omit<SettlekitErrorOptions, "outcome"> {
  /** HTTP status of the last attempt's answer, if it had one. */
  readonly status?: number | undefined;
  /** How long that answer asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The service may have created the payment or withdrawal, and no answer said so. Nothing was
 * repeated that could have paid twice.
 *
 * The message says how to go on. `idempotencyKey` is the key that every attempt carried, `cause` the
 * last attempt's failure.
 */
export class OutcomeUnknownError extends SettlekitError {
  static override readonly kind: string = "OutcomeUnknownError";

  /** HTTP status of the last attempt's answer, if it had one. */
  declare readonly status?: number;
  /** How long that answer asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number;

  constructor(message: string, options: OutcomeUnknownErrorOptions) {
    super(message, { ...options, outcome: "unknown" });
  }
}
