import { StoreError } from "../errors.ts";
import { preparing, withReady } from "../stores/lifecycle.ts";
import { type Observers, reporter } from "../stores/observers.ts";
import { requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import { show } from "../values.ts";
import { type PayoutsContext, Reading } from "./claims.ts";
import { log, type PayoutStep, type PayoutsEvent } from "./events.ts";
import { noEntry } from "./journal.ts";
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
  const ready = withReady(anyStore, migrated);
  const reading = new Reading();
  const transaction: Store["transaction"] = (work, transactionOptions) =>
    ready.transaction(work, transactionOptions).catch((error: unknown) => {
      // A replica without the last commits may take over.
      if (StoreError.is(error) && lostContact.has(error.code)) reading.reset();
      throw error;
    });
  return {
    store: { ...ready, transaction },
    client: ledgerClient,
    tenant,
    limits,
    lookFirst,
    provenSenders: new Set(),
    known: { end: noEntry },
    reading,
    hasInbox: inbox !== undefined,
    quietMs,
    leaveMs,
    leaseMs: ledgerClient.timeoutMs + 2 * leaveMs,
    warnUnlimited: unlimitedWarning(options),
    report: reporter(observers, options, log),
    observers,
  };
}

function unlimitedWarning({
  limits,
  logger = console,
  tenant,
}: Pick<PayoutsOptions<never, StoreMode>, "limits" | "logger" | "tenant">): () => void {
  let isDue = limits === undefined;
  return () => {
    if (!isDue) return;
    isDue = false;
    // A logger that throws must not keep payouts from being sent.
    try {
      logger.warn(
        `No limits: createPayouts got no \`limits\`${tenant ? ` for the tenant ${show(tenant)}` : ""}, so every planned payout ` +
          "is sent, whatever its amount, without an approval. Pass limits, or `limits: {}` if that is what you want.",
      );
    } catch {}
  };
}

const lostContact: ReadonlySet<string> = new Set(["store_unavailable", "no_free_client"]);
