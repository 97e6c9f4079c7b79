import { StoreError } from "../errors.ts";
import { unreadable } from "../resources/lists/page-walk.ts";
import { sql, type Work } from "../stores/store.ts";
import { timeOf } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import { renewing } from "./claims.ts";
import { decide, type PayoutsContext } from "./context.ts";
import { requireSameMerchant } from "./merchant.ts";
import { type PayoutRow, storable } from "./payout.ts";

/** How long a process relies on its last reading of the list. */
const rereadMs = 3_600_000;
/** How many pages the first reading of a ledger reads, so that short-lived processes can finish it, too. */
const firstReadPages = 10;
/** How far the service's clock may be set back, or the clocks of its servers differ. */
const clockMarginMs = 300_000;

/**
 * Records the orders of listed withdrawals that the ledger does not know: another program made them, or the database
 * has lost the commits about them, in a restore or a failover. The list is read back to where the database says that it
 * was last read, because an older copy of the database says so, too.
 */
export async function readOthers(
  context: PayoutsContext,
  row: PayoutRow,
  signal: AbortSignal,
): Promise<void> {
  const { reading } = context;
  if (performance.now() - reading.at < rereadMs) return;
  await requireSameMerchant(context, row, { signal });
  reading.running ??= readBack(context, signal).finally(() => {
    reading.running = undefined;
  });
  await renewing(context, row, () => reading.running as Promise<void>);
}

async function readBack(context: PayoutsContext, signal: AbortSignal): Promise<void> {
  const { store, client, tenant, quietMs, known, reading } = context;
  const startedAt = performance.now();
  const { resets } = reading;
  const { listed_to } = await decide(context, (ledger) => ledger.lock());
  const { end } = known;
  const listedTo = listed_to ?? Number.NEGATIVE_INFINITY;
  let pagesLeft = listed_to === null ? firstReadPages : Number.POSITIVE_INFINITY;
  // Withdrawals may be listed late.
  let stopMs = listedTo - clockMarginMs - 2 * quietMs;
  let newestMs: number | undefined;
  let earliestMs = Number.POSITIVE_INFINITY;
  let count = 0;
  let total = Number.NaN;
  let body: unknown;
  let isEnough = false;
  for await (const page of client.pages(signal)) {
    const { data, pagination } = page;
    const times = data.map((item) => timeOf(Object(item).createdAt));
    newestMs ??= times[0] ?? Number.NaN;
    // This is another list, of a sandbox that was reset.
    if (newestMs < stopMs) stopMs = Number.NEGATIVE_INFINITY;
    const unread = data.filter((_, index) => !((times[index] as number) < stopMs));
    await store.transaction(() => record(tenant, unread));
    // An unreadable time proves nothing, so the list is read to its end.
    for (const ms of times) earliestMs = ms <= earliestMs ? ms : Number.NaN;
    if (count === 0) total = Number(pagination?.total);
    count += data.length;
    body = page;
    pagesLeft--;
    isEnough = earliestMs < stopMs || (pagesLeft <= 0 && !Number.isNaN(earliestMs));
    if (isEnough) break;
  }
  // A count of 0 beside items has failed.
  if (!isEnough && (count < total || total < Math.min(1, count))) {
    throw unreadable(
      "The list of withdrawals could not be read completely, so nothing was sent: it ended after " +
        `${count} different items, although pagination.total is ${total}.`,
      { operation: "withdrawals.list", status: 200, body },
    );
  }
  const readTo = Math.floor(Math.min(newestMs ?? Number.NaN, client.serviceNow()));
  // Not if the database has lost commits in the meantime: then the withdrawals they were about are not recorded.
  const recorded = await store.transaction(() =>
    sql(
      `UPDATE {payout_heads} SET listed_to = $2 WHERE tenant = $1 AND EXISTS (
  SELECT 1 FROM {payout_journal} WHERE tenant = $1 AND seq = $3 AND hash = $4
) RETURNING tenant`,
      [tenant, Number.isNaN(readTo) ? null : readTo, end.seq, end.hash],
    ),
  );
  if (recorded.length === 0 || reading.resets !== resets) {
    throw new StoreError(
      "While the list of withdrawals was read, the database was unavailable, or lost commits, so nothing was sent. The list " +
        "will be read again.",
      { code: "store_unavailable" },
    );
  }
  reading.at = startedAt;
}

function* record(tenant: string, withdrawals: readonly Withdrawal[]): Work<void> {
  const orders = withdrawals.flatMap((withdrawal) => {
    const { id, orderId = null } = Object(withdrawal);
    // The service may turn references that look like numbers into numbers.
    return orderId === null ? [] : [[storable(String(orderId)), storable(String(id))]];
  });
  // In one order, so that two processes do not wait for each other.
  orders.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  for (let first = 0; first < orders.length; first += ordersAtOnce) {
    const missing = Array(2 * ordersAtOnce).fill(null);
    const some = [...orders.slice(first, first + ordersAtOnce).flat(), ...missing];
    yield* sql(insertOrders, [tenant, ...some.slice(0, 2 * ordersAtOnce)]);
  }
}

/** A fixed number, because databases keep each statement that differs. */
const ordersAtOnce = 50;
const rows = Array.from({ length: ordersAtOnce }, (_, n) => `($${2 * n + 2}, $${2 * n + 3})`);
const insertOrders = `INSERT INTO {payout_others} (tenant, order_id)
SELECT $1, column1 FROM (VALUES ${rows.join(", ")}) AS listed
WHERE column1 IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM {payouts} WHERE tenant = $1 AND order_id = column1 AND withdrawal_id = column2
) ON CONFLICT DO NOTHING`;
