import { object } from "@optique/core/constructs";
import { map } from "@optique/core/modifiers";
import { integer } from "@optique/core/valueparser";
import { toRecipientAddress } from "../evm/address.ts";
import type { ClientOptions } from "../options.ts";
import type { Payouts, PayoutsOptions } from "../payouts/index.ts";
import { payoutTables } from "../payouts/tables.ts";
import { migrate, requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import { operand, readBy, setting, type ValuesOf } from "./command.ts";
import { type DatabaseChoice, databaseOptions, withStore } from "./database.ts";
import { centsFrom, clientFrom, json, noKey } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export const orderId = operand("ORDER_ID", "The payout's orderId.");
export const by = setting("--by NAME", "Your name, for the journal.");
export const reason = setting("--reason TEXT", "The reason, for the journal.");

/** The options that select a ledger and the form of the output. */
export const ledgerOptions = {
  ...databaseOptions,
  tenant: setting(
    "--tenant NAME",
    "The tenant whose payouts these are. Default: payouts without a tenant.",
  ).optional(),
  json,
};

export const cents = centsFrom({ min: 0 });
const recipient = setting(
  "--recipient ADDRESS",
  "Pay only this recipient. May be repeated.",
  readBy((input) => toRecipientAddress(input, "The address")),
).multiple();

export const limits = object({
  perPayout: setting("--per-payout CENTS", "The largest payout.", cents).optional(),
  perDay: setting("--per-day CENTS", "The most per day in UTC.", cents).optional(),
  per24Hours: setting("--per-24-hours CENTS", "The most in any 24 hours.", cents).optional(),
  perRecipientAndDay: setting(
    "--per-recipient-and-day CENTS",
    "The most per recipient and day in UTC.",
    cents,
  ).optional(),
  recipients: map(recipient, (all) => (all.length > 0 ? all : undefined)),
  approveAbove: setting(
    "--approve-above CENTS",
    "Payouts above this amount wait for settlekit payouts approve; 0 for all of them.",
    cents,
  ).optional(),
});

/** For commands that conclude from the service's list whether a payout was sent. */
export const quietMs = setting(
  "--quiet-ms MS",
  "quietMs of the ledger in your programs, in milliseconds. Default: 120000.",
  integer({ min: 1_000 }),
).optional();

interface LedgerOptions
  extends DatabaseChoice,
    ValuesOf<typeof ledgerOptions>,
    Pick<PayoutsOptions<unknown, StoreMode>, "limits" | "lookFirst" | "onEvent" | "quietMs"> {
  /** For commands that call the service, or plan to. */
  readonly client?: ClientOptions;
}

const nowhere: ClientOptions = {
  environment: "sandbox",
  baseUrl: "http://127.0.0.1",
  headerPrefix: "X-Service",
  secretKey: noKey,
};

/** Opens the ledger while `use` runs. */
export async function withLedger<T>(
  ledger: LedgerOptions,
  terminal: Terminal,
  use: (payouts: Payouts<unknown, StoreMode>, store: Store) => Promise<T>,
): Promise<T> {
  const { tenant, limits, lookFirst, onEvent, quietMs } = ledger;
  // Before a file is created: its configuration may be refused.
  const client = await clientFrom(ledger.client ?? nowhere);
  return withStore(ledger, terminal, async (store, isNewFile) => {
    // Never migrate an existing database: processes with an older settlekit would refuse its tables.
    if (isNewFile) await migrate(store, payoutTables);
    else await requireMigrated(store, payoutTables);
    const { createPayouts } = await import("../payouts/payouts.ts");
    // `payouts run` prints what happened itself: each new state, the last error, and why payouts are stopped.
    const logger = { warn() {}, error: onEvent ? () => {} : terminal.warn };
    const options = { client, store, tenant, logger, limits, lookFirst, onEvent, quietMs };
    return use(createPayouts(options), store);
  });
}
