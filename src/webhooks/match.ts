import type { PaymentStatus } from "../wire/payment-status.ts";
import type { PaymentEventData, WithdrawalEventData } from "../wire/webhook-event.ts";
import type { WithdrawalStatus } from "../wire/withdrawal.ts";
import {
  isKnownEvent,
  type VerifiedDelivery,
  type Webhook,
  type WebhookEventName,
} from "./event.ts";

/** The literals of a union that also accepts any other string. */
type Known<Status extends string> = Status extends unknown
  ? string & {} extends Status
    ? never
    : Status
  : never;

type Named<Kind extends string> = Extract<WebhookEventName, `${Kind}.${string}`>;

/** A branch for each known status, and one for unknown or missing statuses. */
type Branches<Name extends string, Data, Status extends string, Result> = {
  readonly [Value in Known<Status>]: (
    webhook: VerifiedDelivery<Name, Data & { readonly status: Value }>,
  ) => Result;
} & { readonly unknown: (webhook: VerifiedDelivery<Name, Data>) => Result };

/** The functions that `Webhooks.match` chooses from: one for each event and status, all required. */
export interface WebhookBranches<Result> {
  readonly payment: Branches<Named<"payment">, PaymentEventData, PaymentStatus, Result>;
  readonly withdrawal: Branches<Named<"withdrawal">, WithdrawalEventData, WithdrawalStatus, Result>;
  /** For unknown events. */
  readonly unknown: (webhook: Webhook) => Result;
}

export function match<Result>(webhook: Webhook, branches: WebhookBranches<Result>): Result {
  if (!isKnownEvent(webhook.event)) return branches.unknown(webhook);
  const kind = webhook.event.startsWith("payment.") ? "payment" : "withdrawal";
  // The branch's name narrows the webhook.
  const ofKind = branches[kind] as { readonly unknown: (webhook: Webhook) => Result };
  const { status } = webhook.data;
  // An inherited name, such as "constructor", is not a branch.
  const isBranch = typeof status === "string" && Object.hasOwn(ofKind, status);
  return ofKind[isBranch ? (status as "unknown") : "unknown"](webhook);
}
