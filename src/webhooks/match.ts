import type { PaymentStatus } from "../wire/payment.ts";
import type { PaymentEventData, WithdrawalEventData } from "../wire/webhook-event.ts";
import type { WithdrawalStatus } from "../wire/withdrawal.ts";
import type { VerifiedDelivery, Webhook, WebhookEventName } from "./event.ts";

/** The literals of a union that also accepts any other string. */
type Known<Status extends string> = Status extends unknown
  ? string & {} extends Status
    ? never
    : Status
  : never;

type Named<Kind extends string> = Extract<WebhookEventName, `${Kind}.${string}`>;

/** A result for each known status, and one for unknown or missing statuses. */
type Results<Status extends string, Result> = {
  readonly [Value in Known<Status> | "unknown"]: Result;
};
export type PaymentResults<Result = unknown> = Results<PaymentStatus, Result>;
export type WithdrawalResults<Result = unknown> = Results<WithdrawalStatus, Result>;

/** A branch for each result. A mapped type, from which each branch's own result is inferred. */
type Branches<Name extends string, Data, Cases, Given> = {
  readonly [Value in keyof Given & keyof Cases]: (
    webhook: VerifiedDelivery<
      Name,
      Value extends "unknown" ? Data : Data & { readonly status: Value }
    >,
  ) => Given[Value];
};

/** The functions that `Webhooks.match` chooses from: one for each event and status, all required. */
export interface WebhookBranches<
  Result,
  Payment = PaymentResults<Result>,
  Withdrawal = WithdrawalResults<Result>,
> {
  readonly payment: Branches<Named<"payment">, PaymentEventData, PaymentResults, Payment>;
  readonly withdrawal: Branches<
    Named<"withdrawal">,
    WithdrawalEventData,
    WithdrawalResults,
    Withdrawal
  >;
  /** For unknown events. */
  readonly unknown: (webhook: Webhook) => Result;
}
