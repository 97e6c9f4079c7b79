import { StoreError } from "../errors.ts";
import { type LedgerClient, ledgerClient } from "../resources/payouts/ledger-client.ts";
import { preparing, withReady } from "../stores/lifecycle.ts";
import { type Observers, reporter } from "../stores/observers.ts";
import { requireMigrated, type Store, type StoreMode, type Work } from "../stores/store.ts";
import { show } from "../values.ts";
import { log, type PayoutStep, type PayoutsEvent } from "./events.ts";
import { inLedger, type JournalEnd, type Ledger, noEntry } from "./journal.ts";
import { checkedLimits, type PayoutLimits, type PayoutsOptions } from "./options.ts";
import { type PayoutRow, payoutFrom } from "./payout.ts";
import { payoutTables } from "./tables.ts";

/** This process's reading of the list. */
class Reading {
  /** When the last one began, by `performance.now()`. */
  at = Number.NEGATIVE_INFINITY;
  running: Promise<void> | undefined;
  /** How often an older state of the database may have taken over. */
  resets = 0;

  /** Has the list read again before the next request. */
  reset(): void {
    this.at = Number.NEGATIVE_INFINITY;
    this.resets++;
  }
}

/** The shared context of a ledger's parts. */
export interface PayoutsContext {
  readonly store: Store;
  readonly client: LedgerClient;
  readonly tenant: string;
  readonly limits: PayoutLimits;
  readonly lookFirst: boolean;
  /** Digests of credentials that the service's list has shown to be the tenant's merchant's. */
  readonly provenSenders: Set<string>;
  /** The journal's end when this process last saw it, which shows whether the database has lost commits since. */
  readonly known: { end: JournalEnd };
  /** Its reading of the list for withdrawals that the ledger does not know. */
  readonly reading: Reading;
  /** Whether an inbox reports withdrawals that ended. */
  readonly hasInbox: boolean;
  readonly quietMs: number;
  /** How long after the start of its attempt a request may still be sent. */
  readonly leaveMs: number;
  /** How long a worker may take with a claimed payout. */
  readonly leaseMs: number;
  /** Warns the first time, if nothing limits what is sent. */
  readonly warnUnlimited: () => void;
  readonly report: (event: PayoutsEvent) => void;
  readonly observers: Observers<PayoutsEvent, PayoutStep>;
}

/** @throws {ConfigurationError | InvalidRequestError} when an option is unknown, missing or invalid. */
export function contextOf<Client, Mode extends StoreMode>(
  options: PayoutsOptions<Client, Mode>,
  observers: Observers<PayoutsEvent, PayoutStep>,
): PayoutsContext {
  const limits = checkedLimits(options);
  const { store, quietMs = 120_000, lookFirst = false, tenant = "", inbox } = options;
  const leaveMs = Math.ceil(quietMs / 8);
  const client = ledgerClient(options.client.withdrawals);
  const anyStore = store as unknown as Store;
  const migrated = preparing(() => requireMigrated(anyStore, payoutTables));
  const ready = withReady(anyStore, migrated);
  const reading = new Reading();
  const transaction: Store["transaction"] = (work, transactionOptions) =>
    ready.transaction(work, transactionOptions).catch((error: unknown) => {
      // A replica without the last commits may take over.
      if (hasLostContact(error)) reading.reset();
      throw error;
    });
  return {
    store: { ...ready, transaction },
    client,
    tenant,
    limits,
    lookFirst,
    provenSenders: new Set(),
    known: { end: noEntry },
    reading,
    hasInbox: inbox !== undefined,
    quietMs,
    leaveMs,
    leaseMs: client.timeoutMs + 2 * leaveMs,
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

/** Whether another server may have taken over. The one that cancelled a statement, which took too long, is the same. */
function hasLostContact(error: unknown): boolean {
  const isCancelled = Object(Object(error).cause).code === "57014";
  return StoreError.is(error) && lostContact.has(error.code) && !isCancelled;
}

/** Runs a unit of work with the journal, and notifies the merchant if it opened the breaker. */
export async function decide<T>(
  { store, tenant, report, known }: PayoutsContext,
  work: (ledger: Ledger) => Work<T>,
  options?: { readonly wake?: string },
): Promise<T> {
  let reason: string | undefined;
  let [before, after] = [known.end, known];
  const decided = await store.transaction(() => {
    reason = undefined;
    before = known.end;
    after = { end: before };
    const onStop = (because: string) => {
      reason = because;
    };
    return inLedger(tenant, work, onStop, after);
  }, options);
  if (after.end !== before) known.end = after.end;
  if (reason !== undefined) report({ type: "stopped", tenant, reason });
  return decided;
}

/** Reports a payout's new state, if it has one. */
export function tell({ report, tenant }: PayoutsContext, row: PayoutRow | undefined): undefined {
  if (row !== undefined) report({ type: "changed", tenant, payout: payoutFrom(row) });
}
