import { preparing, withReady } from "../stores/lifecycle.ts";
import { type Observers, reporter } from "../stores/observers.ts";
import { requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import type { PayoutsContext } from "./claims.ts";
import { log, type PayoutStep, type PayoutsEvent } from "./events.ts";
import { checkedLimits, type PayoutsOptions } from "./options.ts";
import { payoutTables } from "./tables.ts";

/**
 * The shared context of a ledger's parts.
 *
 * @throws {ConfigurationError | InvalidRequestError} when an option is unknown, missing or invalid.
 */
export function contextOf<Client, Mode extends StoreMode>(
  options: PayoutsOptions<Client, Mode>,
  observers: Observers<PayoutsEvent, PayoutStep>,
): PayoutsContext {
  const limits = checkedLimits(options);
  const { client, store, quietMs = 120_000, lookFirst = false, tenant = "", inbox } = options;
  const leaveMs = Math.ceil(quietMs / 8);
  const ledgerClient = client.withdrawals.ledger;
  const anyStore = store as unknown as Store;
  const migrated = preparing(() => requireMigrated(anyStore, payoutTables));
  return {
    store: withReady(anyStore, migrated),
    client: ledgerClient,
    tenant,
    limits,
    lookFirst,
    provenSenders: new Set(),
    hasInbox: inbox !== undefined,
    quietMs,
    leaveMs,
    leaseMs: ledgerClient.timeoutMs + 2 * leaveMs,
    report: reporter(observers, options, log),
    observers,
  };
}
