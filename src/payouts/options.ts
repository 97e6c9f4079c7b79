import type { MerchantClient } from "../client.ts";
import { toRecipientAddress } from "../evm/address.ts";
import type { CreateOnceInput } from "../resources/payouts/payout.ts";
import type { EventLogger } from "../stores/observers.ts";
import type { Store, StoreMode } from "../stores/store.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import type { PayoutsEvent } from "./events.ts";
import { checkName, checkReason, type PayoutState } from "./payout.ts";

/** How much may be sent, in USD cents. Anything left out is unlimited. */
export interface PayoutLimits {
  /** The largest payout. `plan` refuses larger ones. */
  readonly perPayout?: number | undefined;
  /** For each UTC day. Payouts above it wait for the next day. */
  readonly perDay?: number | undefined;
  /** For any 24 hours. */
  readonly per24Hours?: number | undefined;
  /** For one recipient in a UTC day. */
  readonly perRecipientAndDay?: number | undefined;
  /** The only allowed recipients. `plan` refuses others. */
  readonly recipients?: readonly string[] | undefined;
  /** Larger payouts wait for `approve`. With 0, all of them do. */
  readonly approveAbove?: number | undefined;
}

/** The part of the client that the ledger uses. */
export type PayoutsClient = Pick<MerchantClient, "withdrawals">;

/** The part of an inbox that the ledger uses to follow withdrawals by webhook. It must use the same store. */
export interface PayoutsInbox<Client, Mode extends StoreMode> {
  /** Registers an effect. */
  on(
    kind: "withdrawal",
    name: string,
    options: object,
    effect: (
      tx: Client,
      withdrawal: Withdrawal,
      tools: { readonly tenant: string; after(task: string, payload?: unknown): void },
    ) => Mode extends "sync" ? undefined : unknown,
  ): unknown;
  /** Registers a task handler. */
  task(
    name: string,
    handler: (payload: unknown, tools: { readonly tenant: string }) => unknown,
  ): unknown;
}

/** The options of `createPayouts`. */
export interface PayoutsOptions<Client, Mode extends StoreMode> {
  /**
   * Sends and looks up withdrawals. It must belong to the same merchant for as long as the tenant's payouts exist. Once
   * the service has answered a request, another merchant's client is refused.
   */
  readonly client: PayoutsClient;
  /** `sqlite(...)` or `postgres(...)`. */
  readonly store: Store<Client, Mode>;
  /**
   * The longest time that a request may need to take effect, or a withdrawal to be listed, in milliseconds. Until then,
   * its absence from the list proves nothing.
   *
   * @defaultValue 120_000
   */
  readonly quietMs?: number | undefined;
  /**
   * How much may be sent. Without this option, everything is, and the first `start` or `runDue` warns about it; `{}` says
   * that this is intended.
   */
  readonly limits?: PayoutLimits | undefined;
  /**
   * Whether to search the list even before the first request for an order. Needed if anything else, such as a script
   * with `createOnce`, may pay the same order ids while the ledger runs. It reads all of the merchant's withdrawals for
   * each payout.
   *
   * @defaultValue false
   */
  readonly lookFirst?: boolean | undefined;
  /** Reports withdrawals that ended. Without an inbox, the ledger polls the service. */
  readonly inbox?: PayoutsInbox<Client, Mode> | undefined;
  /**
   * The tenant of these payouts, with its own journal, limits and breaker. Tenants that share a merchant account need
   * different order ids, for example with a prefix, because the service finds withdrawals by order id alone.
   *
   * @defaultValue ""
   */
  readonly tenant?: string | undefined;
  /** Receives every event. Errors that it throws are ignored. */
  readonly onEvent?: ((event: PayoutsEvent) => unknown) | undefined;
  /** Receives whatever needs a person's attention. Default: the console. */
  readonly logger?: EventLogger | undefined;
}

/** A payout to plan, with the input of `withdrawals.createOnce`. */
export type PayoutInput = CreateOnceInput;

/** The person or program that plans a payout, and the transaction to plan it in. */
export interface PlanOptions<Client> {
  /** Your own open transaction: the payout is planned when it commits. */
  readonly tx?: Client | undefined;
  /** The person or program that plans it, who cannot also approve it. */
  readonly by?: string | undefined;
}

/** The person who decides, and the reason. */
export interface Decision {
  /** The name of the person. */
  readonly by: string;
  /** For the journal. */
  readonly reason?: string | undefined;
}

/** Selects the payouts that `list` returns. */
export interface PayoutListQuery {
  /** Only those in this state. */
  readonly state?: PayoutState | undefined;
  /** @defaultValue 100 */
  readonly limit?: number | undefined;
  /** How many to skip. */
  readonly offset?: number | undefined;
}

const optionNames = [
  "client",
  "store",
  "quietMs",
  "limits",
  "lookFirst",
  "inbox",
  "tenant",
  "onEvent",
  "logger",
];
const amountNames = [
  "perPayout",
  "perDay",
  "per24Hours",
  "perRecipientAndDay",
  "approveAbove",
] as const;

/**
 * Limits with recipients in lower case.
 *
 * @throws {ConfigurationError | InvalidRequestError} when an option is unknown, missing or invalid.
 */
export function checkedLimits<Client, Mode extends StoreMode>(
  options: PayoutsOptions<Client, Mode>,
): PayoutLimits {
  checkOptionNames(options, optionNames);
  const { client, store, quietMs = 120_000, limits = {}, tenant = "", inbox } = options;
  if (!Object(client).withdrawals) {
    throw invalidOption(
      "client",
      `createPayouts needs \`client\`, a MerchantClient, got ${show(client)}.`,
    );
  }
  if (typeof Object(store).transaction !== "function") {
    throw invalidOption(
      "store",
      `createPayouts needs \`store\`, got ${show(store)}. Pass sqlite("shop.db") or postgres(pool).`,
    );
  }
  if (!Number.isSafeInteger(quietMs) || quietMs < 1_000) {
    throw invalidOption(
      "quietMs",
      `quietMs must be a whole number of milliseconds, at least 1000, got ${show(quietMs)}.`,
    );
  }
  const { on, task, store: inboxStore = store } = Object(inbox);
  if (inbox !== undefined && (typeof on !== "function" || typeof task !== "function")) {
    throw invalidOption("inbox", `inbox must be an inbox from createInbox, got ${show(inbox)}.`);
  }
  // Otherwise, each webhook of a withdrawal would fail: the payout changes in the inbox's transaction.
  if (inboxStore !== store) {
    throw invalidOption(
      "store",
      "The inbox and the ledger have different stores. Create one store, even if both use the same database, and pass it " +
        "to createInbox and createPayouts.",
    );
  }
  if (typeof tenant !== "string") throw invalidOption("tenant", "tenant must be a string.");
  checkOptionNames(limits, [...amountNames, "recipients"], "limit");
  for (const name of amountNames) {
    const value = limits[name];
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)) continue;
    throw invalidOption(
      `limits.${name}`,
      `limits.${name} must be a whole number of cents, got ${show(value)}.`,
    );
  }
  const { recipients } = limits as PayoutLimits;
  if (recipients === undefined) return limits;
  if (!Array.isArray(recipients))
    throw invalidOption("limits.recipients", "limits.recipients must be a list of addresses.");
  return { ...limits, recipients: recipients.map((it) => toRecipientAddress(it).toLowerCase()) };
}

/** @throws {ConfigurationError | InvalidRequestError} for an unknown option, or when the person's name is missing. */
export function checkDecision(decision: Decision): Decision {
  checkOptionNames(decision, ["by", "reason"]);
  const { by, reason } = decision;
  return { by: checkName(by), reason: reason === undefined ? reason : checkReason(reason) };
}
