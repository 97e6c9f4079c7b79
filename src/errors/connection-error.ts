import { SettlekitError } from "./settlekit-error.ts";

/**
 * No answer came: the name was not found, the connection was refused or broke, or TLS failed.
 * `outcome` is `not_sent` when no connection was made. The platform's error code is in `code`.
 */
export class ConnectionError extends SettlekitError {
  static override readonly kind: string = "ConnectionError";
}
