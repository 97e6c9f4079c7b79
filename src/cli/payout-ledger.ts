import { object } from "@optique/core/constructs";
import { integer } from "@optique/core/valueparser";
import type { MerchantClient } from "../client.ts";
import type { Payouts, PayoutsOptions } from "../payouts/index.ts";
import type { Store, StoreMode } from "../stores/store.ts";
import { databaseOptions, withStore } from "./database.ts";
import { operand, setting, type ValuesOf } from "./options.ts";
import type { Terminal } from "./terminal.ts";

// What the commands of the payout ledger have in common.

export type Ledger = Payouts<unknown, StoreMode>;

export const orderId = operand("ORDER_ID", "The payout's orderId.");
export const by = setting("--by NAME", "Who decides: a name for the journal.");
export const reason = setting("--reason TEXT", "Why, for the journal.");

/** Which ledger a command works on. */
export const ledgerOptions = {
  ...databaseOptions,
  tenant: setting("--tenant NAME", "Whose payouts. Default: those without a tenant.").optional(),
};

export const cents = integer({ min: 0 });
export const limits = object({
  perPayout: setting("--per-payout CENTS", "The largest payout, in cents.", cents).optional(),
  perDay: setting("--per-day CENTS", "The most for a day in UTC, in cents.", cents).optional(),
  approveAbove: setting(
    "--approve-above CENTS",
    "Larger payouts wait for settlekit payouts approve, in cents.",
    cents,
  ).optional(),
});

interface LedgerOptions
  extends ValuesOf<typeof ledgerOptions>,
    Pick<PayoutsOptions<unknown, StoreMode>, "limits" | "lookFirst" | "onEvent"> {
  readonly createsFile?: boolean;
  /** Only commands that ask the service need one. */
  readonly client?: () => Promise<MerchantClient>;
}

/** Opens the ledger for as long as `use` takes. */
export function withLedger<T>(
  { tenant, client = withoutKey, limits, lookFirst, onEvent, ...database }: LedgerOptions,
  terminal: Terminal,
  use: (payouts: Ledger, store: Store) => Promise<T>,
): Promise<T> {
  return withStore(database, terminal, async (store) => {
    const { createPayouts } = await import("../payouts/payouts.ts");
    // `payouts run` ends with the error of a step that failed, and prints it once instead of for each payout.
    const logger = { warn() {}, error: terminal.warn };
    const options = { store, tenant, logger, limits, lookFirst, onEvent };
    return use(createPayouts({ ...options, client: await client() }), store);
  });
}

/** For commands that never call the service: an approver needs no secret key. */
async function withoutKey(): Promise<MerchantClient> {
  const { MerchantClient } = await import("../client.ts");
  const nowhere = { environment: "sandbox", baseUrl: "http://127.0.0.1" } as const;
  return new MerchantClient({ ...nowhere, headerPrefix: "X-Service", secretKey: () => "" });
}
