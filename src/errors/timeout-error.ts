import { SettlekitError } from "./settlekit-error.ts";

/**
 * The answer was not complete in time: `code` is `attempt_timeout` (`timeoutMs`) or
 * `deadline_exceeded` (`deadlineMs`).
 */
export class TimeoutError extends SettlekitError {
  static override readonly kind: string = "TimeoutError";
}
