import {
  AuthenticationError,
  ConfigurationError,
  NotFoundError,
  PermissionError,
  SettlekitError,
} from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";

/** Whether the error of a request concerns all payouts. */
export function concernsAll(error: unknown): error is SettlekitError {
  return (
    AuthenticationError.is(error) ||
    PermissionError.is(error) ||
    ConfigurationError.is(error) ||
    NotFoundError.is(error) ||
    (SettlekitError.is(error) && error.outcome === "not_sent")
  );
}

/** Whether any payout's outcome is unknown: then the service may be unavailable, and put further requests in doubt, too. */
export function* hasDoubts(tenant: string): Work<boolean> {
  const inDoubt = yield* sql(
    "SELECT id FROM {payouts} WHERE tenant = $1 AND final_at IS NULL AND doubt_since IS NOT NULL LIMIT 1",
    [tenant],
  );
  return inDoubt.length > 0;
}
