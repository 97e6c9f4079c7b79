import { sql, type Work } from "../stores/store.ts";
import { parsedJson } from "../values.ts";
import type { Ledger } from "./journal.ts";
import { type PayoutRow, storable } from "./payout.ts";
import { requireRow } from "./plan.ts";

/**
 * Ends a payout that the service refused. The budget stays reserved, because nothing proves that it was not used.
 *
 * @param param The field that the service named.
 */
export function* refuse(
  ledger: Ledger,
  row: PayoutRow,
  problem: string,
  param: string | undefined,
): Work<PayoutRow | undefined> {
  const refused = yield* sql(
    `UPDATE {payouts} SET state = 'refused', problem = $3, final_at = {now}, doubt_since = NULL
WHERE id = $1 AND fence = $2 AND state = 'sending' RETURNING id`,
    [row.id, row.fence, storable(problem)],
  );
  // A webhook has shown that there is a withdrawal, or a person has decided.
  if (refused.length === 0) return undefined;
  ledger.note(row.order_id, "refused", { problem, param: param ?? null });
  if (param === undefined) yield* stopIfAllAreRefused(ledger, row, problem);
  return yield* requireRow(ledger.tenant, row.order_id);
}

/** Payouts to so many recipients, refused in a row, stop all others. */
const recipientsInARow = 5;
/** How many journal entries to look back: many plans may have been added since the last withdrawal. */
const lookBack = 10_000;

/**
 * Opens the breaker when the service has refused payouts to five recipients in a row without naming a field. The cause,
 * such as an empty wallet, is then probably not in the payouts, and would end all others as well. Several payouts to one
 * recipient count once, because the cause may be that recipient. A person who reopens starts a new run.
 */
function* stopIfAllAreRefused(ledger: Ledger, row: PayoutRow, problem: string): Work<void> {
  const { tenant } = ledger;
  // Otherwise, two processes would not see each other's refusals.
  const { seq, accepted_seq } = yield* ledger.lock();
  const entries = yield* sql<{ event: string; details: string; recipient: string | null }>(
    `SELECT event, details, recipient FROM {payout_journal} LEFT JOIN {payouts} USING (tenant, order_id)
WHERE tenant = $1 AND seq > $2 AND event IN ('refused', 'sent') ORDER BY seq DESC LIMIT 100`,
    [tenant, Math.max(accepted_seq, seq - lookBack)],
  );
  const recipients = new Set([row.recipient]);
  for (const { event, details, recipient } of entries) {
    if (event === "sent") break;
    // Older versions of settlekit did not record whether the service named a field.
    const { param }: { param?: string | null } = Object(parsedJson(details));
    if (param === null && recipient !== null) recipients.add(recipient);
  }
  if (recipients.size < recipientsInARow) return;
  yield* ledger.stop(
    null,
    `The service refused payouts to ${recipientsInARow} recipients in a row without naming a field, so the cause is ` +
      `probably not in the payouts: the wallet may be empty. About ${row.order_id} it said "${storable(problem)}" Find the ` +
      "cause and remove it before you reopen. The refused payouts need new order ids.",
  );
}
