import { ConfigurationError } from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import type { PayoutsContext } from "./context.ts";
import { readHead } from "./journal.ts";
import { isUnsent, type PayoutRow, storable } from "./payout.ts";

/** @throws {ConfigurationError} code `other_service` for a payout that was planned for another environment. */
export function requireSameService({ client }: PayoutsContext, row: PayoutRow): void {
  if (client.keyOf(row.order_id) === row.idempotency_key) return;
  // Once a request may have been sent, a new orderId could pay twice.
  throw new ConfigurationError(
    `The payout ${row.order_id} was planned by a client with a different environment, baseUrl or idempotencyNamespace. ` +
      "Run the ledger with that client; commands read the namespace from SETTLEKIT_IDEMPOTENCY_NAMESPACE" +
      `${isUnsent(row.state) ? ". Or cancel the payout and plan it again under a new orderId" : ""}. Nothing was sent or changed.`,
    { code: "other_service", param: "client" },
  );
}

/** Records whose withdrawals these are: the first answer says it, and belongs to the attempt's credential. */
export function* noteMerchant(row: PayoutRow, { merchantId }: Withdrawal): Work<void> {
  if (storable(merchantId) === null) return;
  yield* sql(
    `UPDATE {payout_heads} SET merchant_id = $2,
  sender = (SELECT sender FROM {payout_attempts} WHERE payout_id = $3 AND fence = $4)
WHERE tenant = $1 AND merchant_id IS NULL`,
    [row.tenant, storable(merchantId), row.id, row.fence],
  );
}

/** Whether the withdrawal belongs to another merchant than the tenant's withdrawals so far. */
export function* isOfOtherMerchant(tenant: string, { merchantId }: Withdrawal): Work<boolean> {
  const known = (yield* readHead(tenant))?.merchant_id ?? null;
  return known !== null && storable(merchantId) !== null && storable(merchantId) !== known;
}

/**
 * Refuses another merchant's client, whose list does not show what was sent for this payout. A new key of the same
 * merchant is recognised by the list, once the merchant is known.
 *
 * @param options.isDecided Whether a person answers for a request that was sent with another key.
 * @throws {ConfigurationError} code `other_merchant`.
 */
export async function requireSameMerchant(
  { store, client, tenant, provenSenders }: PayoutsContext,
  row: PayoutRow,
  { signal, isDecided = false }: { signal?: AbortSignal; isDecided?: boolean } = {},
): Promise<void> {
  const sender = await client.sender(signal);
  const { head, doubtful } = await store.transaction(function* () {
    const doubtful = yield* sql(
      `SELECT fence FROM {payout_attempts} WHERE payout_id = $1 AND sender <> $2
  AND (outcome IS NULL OR outcome IN ('unknown', 'limited'))`,
      [row.id, sender],
    );
    return { head: yield* readHead(tenant), doubtful };
  });
  const merchantId = head?.merchant_id ?? null;
  if (merchantId === null) {
    if (doubtful.length === 0 || isDecided) return;
    throw refused(
      `A request for the payout ${row.order_id} was sent with another key, and no response has shown which merchant's key ` +
        "that was. Run the ledger with the same key, or resolve the payout.",
    );
  }
  if (head?.sender === sender || provenSenders.has(sender)) return;
  const own = await client.merchantId(signal);
  if (own !== merchantId) {
    throw refused(
      `The payouts of this tenant belong to the merchant ${merchantId}, but the client's key belongs to ` +
        `${own === undefined ? "a merchant without withdrawals" : `the merchant ${own}`}. Use that merchant's key, or another tenant.`,
    );
  }
  provenSenders.add(sender);
}

function refused(fact: string): ConfigurationError {
  return new ConfigurationError(`${fact} Nothing was sent or changed.`, {
    code: "other_merchant",
    param: "client",
  });
}
