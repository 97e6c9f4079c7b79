import type { MerchantClient } from "../client.ts";
import { toRecipientAddress } from "../evm/address.ts";
import type { CreateOnceInput } from "../resources/payouts/payout.ts";
import type { EventLogger } from "../stores/observers.ts";
import type { Store, StoreMode } from "../stores/store.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import type { PayoutsEvent } from "./events.ts";
import { checkName, checkReason, type PayoutState } from "./payout.ts";

/** How much may be sent. Amounts are USD cents; what is left out has no limit. */
export interface PayoutLimits {
  /** The largest payout. `plan` refuses more. */
  readonly perPayout?: number | undefined;
  /** For each day, in UTC. What is above it waits for the next day. */
  readonly perDay?: number | undefined;
  /** For any 24 hours. */
  readonly per24Hours?: number | undefined;
  /** For one recipient and day, in UTC. */
  readonly perRecipientAndDay?: number | undefined;
  /** The only recipients. `plan` refuses others. */
  readonly recipients?: readonly string[] | undefined;
  /** Larger payouts wait for `approve`. 0 for all of them. */
  readonly approveAbove?: number | undefined;
}

/** The part of the client that is used. */
export type PayoutsClient = Pick<MerchantClient, "withdrawals">;

/** The part of an inbox that is used: withdrawals settle by its webhooks. It must have the same store. */
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
  /** Registers the handler of a task. */
  task(
    name: string,
    handler: (payload: unknown, tools: { readonly tenant: string }) => unknown,
  ): unknown;
}

/** The options of `createPayouts`. */
export interface PayoutsOptions<Client, Mode extends StoreMode> {
  /** Sends and looks. It has to be the same merchant's for as long as the tables exist. */
  readonly client: PayoutsClient;
  /** `sqlite(...)` or `postgres(...)`. */
  readonly store: Store<Client, Mode>;
  /**
   * How long a request may take at most to take effect, and a withdrawal at most to be listed, in milliseconds. Until
   * then, that the list shows none proves nothing.
   *
   * @defaultValue 120_000
   */
  readonly quietMs?: number | undefined;
  /** How much may be sent. */
  readonly limits?: PayoutLimits | undefined;
  /**
   * Whether the list is searched before the first request for an order, too. Needed while anything else, such as
   * `createOnce` in a script, may have paid the same order ids, and after an older backup was restored. It reads all
   * withdrawals of the merchant for each payout.
   *
   * @defaultValue false
   */
  readonly lookFirst?: boolean | undefined;
  /** Tells of withdrawals that ended. Without one, the service is asked now and then. */
  readonly inbox?: PayoutsInbox<Client, Mode> | undefined;
  /**
   * Whose payouts these are: each tenant has its own journal, limits and breaker. Tenants that share a merchant account
   * need different order ids, such as with a prefix: at the service, withdrawals are found by order id alone.
   *
   * @defaultValue ""
   */
  readonly tenant?: string | undefined;
  /** Told of everything that happens. What it throws is ignored. */
  readonly onEvent?: ((event: PayoutsEvent) => unknown) | undefined;
  /** Told of what a person has to look at. Default: the console. */
  readonly logger?: EventLogger | undefined;
}

/** A payout to plan: what `withdrawals.createOnce` takes. */
export type PayoutInput = CreateOnceInput;

/** Who plans a payout, and in which transaction. */
export interface PlanOptions<Client> {
  /** Your own open transaction: the payout is planned when it commits. */
  readonly tx?: Client | undefined;
  /** Who plans it: the same person cannot approve it. */
  readonly by?: string | undefined;
}

/** Who decides, and why. */
export interface Decision {
  /** The name of the person. */
  readonly by: string;
  /** For the journal. */
  readonly reason?: string | undefined;
}

/** Which payouts `list` gives. */
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
 * @throws {ConfigurationError | InvalidRequestError} when an option is unknown, missing or cannot be right.
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
  const { on, task } = Object(inbox);
  if (inbox !== undefined && (typeof on !== "function" || typeof task !== "function")) {
    throw invalidOption("inbox", `inbox must be what createInbox gives, got ${show(inbox)}.`);
  }
  if (typeof tenant !== "string") throw invalidOption("tenant", "tenant must be text.");
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
    throw invalidOption("limits.recipients", "limits.recipients must be a list.");
  return { ...limits, recipients: recipients.map((it) => toRecipientAddress(it).toLowerCase()) };
}

/** @throws {ConfigurationError | InvalidRequestError} for an unknown name, or without the name of a person. */
export function checkDecision(decision: Decision): Decision {
  checkOptionNames(decision, ["by", "reason"]);
  const { by, reason } = decision;
  return { by: checkName("by", by), reason: reason === undefined ? reason : checkReason(reason) };
}
