import { ConfigurationError } from "../errors.ts";
import type { StoreMode } from "../stores/store.ts";
import { show } from "../values.ts";
import { type PayoutsContext, tell } from "./context.ts";
import { inLedger } from "./journal.ts";
import type { PayoutsInbox } from "./options.ts";
import { readRow } from "./plan.ts";
import { settle } from "./settle.ts";

/** The name of the effect, and of the task that reports its changes. */
const name = "settlekit.payouts";

/** The ledgers that each inbox updates, by tenant. */
const ledgersOf = new WeakMap<object, Map<string, PayoutsContext>>();

/**
 * Lets an inbox update a ledger's payouts.
 *
 * @throws {ConfigurationError} when it already updates another ledger of the same tenant.
 */
export function settleBy<Client, Mode extends StoreMode>(
  inbox: PayoutsInbox<Client, Mode>,
  context: PayoutsContext,
): void {
  let ledgers = ledgersOf.get(inbox);
  if (ledgers === undefined) {
    ledgers = new Map();
    register(inbox as unknown as PayoutsInbox<unknown, "async">, ledgers);
    ledgersOf.set(inbox, ledgers);
  }
  const { tenant } = context;
  if (ledgers.has(tenant)) {
    const whose = tenant === "" ? "without a tenant" : `of the tenant ${show(tenant)}`;
    throw new ConfigurationError(
      `The inbox already updates another ledger ${whose}. Create one ledger, and use it everywhere.`,
      { code: "invalid_option", param: "inbox" },
    );
  }
  ledgers.set(tenant, context);
}

function register(
  inbox: PayoutsInbox<unknown, "async">,
  ledgers: ReadonlyMap<string, PayoutsContext>,
): void {
  inbox.on("withdrawal", name, {}, (tx, withdrawal, { tenant, after }) => {
    const context = ledgers.get(tenant);
    // The service may turn a reference that looks like a number into one.
    const orderId = String(withdrawal.orderId ?? "");
    if (context === undefined || orderId === "") return undefined;
    return context.store.join(tx, function* () {
      // Other programs of the merchant may have created it.
      if ((yield* readRow(tenant, orderId)) === undefined) return;
      let stopped: string | undefined;
      const changed = yield* inLedger(
        tenant,
        (ledger) => settle(ledger, orderId, withdrawal, { hasInbox: true }),
        (reason) => {
          stopped = reason;
        },
      );
      if (changed || stopped) after(name, { orderId, stopped });
    });
  });
  inbox.task(name, async (payload, { tenant }) => {
    const { orderId, stopped } = payload as { orderId: string; stopped?: string };
    const context = ledgers.get(tenant);
    if (context === undefined) return;
    if (stopped !== undefined) context.report({ type: "stopped", tenant, reason: stopped });
    tell(context, await context.store.transaction(() => readRow(tenant, orderId)));
  });
}
