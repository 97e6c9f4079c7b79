import { object } from "@optique/core/constructs";
import { message } from "@optique/core/message";
import { argument } from "@optique/core/primitives";
import { integer } from "@optique/core/valueparser";
import type { MerchantClient } from "../client.ts";
import type { Payout, PayoutLimits, Payouts, PayoutsClient } from "../payouts/index.ts";
import type { StoreMode } from "../stores/store.ts";
import { databaseOptions, withStore } from "./database.ts";
import { exitCodes } from "./exit-codes.ts";
import { setting, toggle, word } from "./options.ts";
import { printList } from "./records.ts";
import type { Terminal } from "./terminal.ts";

// What the commands of the payout ledger have in common.

export type Ledger = Payouts<unknown, StoreMode>;

export const orderId = argument(word("ORDER_ID"), { description: message`The payout's orderId.` });
export const by = setting("--by", word("NAME"), message`Who decides: a name for the journal.`);
export const reason = setting("--reason", word("TEXT"), message`Why, for the journal.`);
export const csv = toggle("--csv", message`Print CSV on stdout.`);

/** Which ledger a command works on. */
export const ledgerOptions = object({
  database: databaseOptions,
  tenant: setting(
    "--tenant",
    word("NAME"),
    message`Whose payouts. Default: those without a tenant.`,
  ).optional(),
});

export const cents = integer({ metavar: "CENTS", min: 0 });
export const limitOptions = object({
  perPayout: setting("--per-payout", cents, message`The largest payout, in cents.`).optional(),
  perDay: setting("--per-day", cents, message`The most for a day in UTC, in cents.`).optional(),
  approveAbove: setting(
    "--approve-above",
    cents,
    message`Larger payouts wait for settlekit payouts approve, in cents.`,
  ).optional(),
});

interface LedgerOptions {
  readonly database: Parameters<typeof withStore>[0];
  readonly tenant: string | undefined;
}

/** Opens the ledger. Only commands that ask the service need a client. */
export async function withLedger(
  { database, tenant }: LedgerOptions,
  terminal: Terminal,
  use: (payouts: Ledger) => Promise<unknown>,
  service: { readonly client?: () => Promise<MerchantClient>; readonly limits?: PayoutLimits } = {},
): Promise<number> {
  await withStore(database, terminal, async (store) => {
    const { createPayouts } = await import("../payouts/payouts.ts");
    const client = (await service.client?.()) ?? (await withoutClient());
    const { limits } = service;
    const logger = { warn: terminal.warn, error: terminal.warn };
    await use(createPayouts({ client, store, tenant, limits, logger }));
  });
  return exitCodes.ok;
}

export async function configured(headerPrefix: string | undefined): Promise<MerchantClient> {
  const { MerchantClient } = await import("../client.ts");
  return new MerchantClient({ headerPrefix });
}

const columns = [
  "orderId",
  "state",
  "amountInCents",
  "chainId",
  "recipientAddress",
  "withdrawalId",
  "transactionHash",
  "plannedBy",
  "approvedBy",
  "plannedAt",
  "sentAt",
  "finalAt",
  "waitsUntil",
  "attempts",
  "problem",
];

/** A payout with its times as text, and without what it does not have. */
export function payoutRecord(payout: Payout): Record<string, unknown> {
  return JSON.parse(JSON.stringify(payout)) as Record<string, unknown>;
}

/** Prints payouts as a table, as CSV or as lines of JSON. */
export async function printPayouts(
  payouts: readonly Payout[] | AsyncIterable<readonly Payout[]>,
  form: { readonly json: boolean; readonly csv: boolean },
  terminal: Terminal,
): Promise<void> {
  async function* pages() {
    if (Symbol.asyncIterator in payouts) {
      for await (const page of payouts) yield { data: page.map(payoutRecord) };
    } else yield { data: payouts.map(payoutRecord) };
  }
  const shown = form.csv ? columns : columns.filter((name) => !/At$|Hash|attempts/.test(name));
  await printList({ pages }, { ...form, columns: shown }, terminal);
}

/** For commands that never call the service: an approver needs no secret key. */
async function withoutClient(): Promise<PayoutsClient> {
  const [{ Http }, { configure }, { Withdrawals }] = await Promise.all([
    import("../http/http.ts"),
    import("../options.ts"),
    import("../resources/withdrawals.ts"),
  ]);
  const http = new Http(configure({ environment: "sandbox", secretKey: "none" }, {}));
  return { withdrawals: new Withdrawals(http) };
}
