import type { MerchantClient } from "../client.ts";
import { nearest, timeOf } from "../values.ts";
import type { Payment, PaymentStatus } from "../wire/payment.ts";
import { isPaid } from "../wire/payment-status.ts";
import type { Withdrawal, WithdrawalStatus } from "../wire/withdrawal.ts";

/** The object that a webhook is about. */
export interface Subjects {
  payment: Payment;
  withdrawal: Withdrawal;
}

/** `payment` or `withdrawal`. */
export type SubjectKind = "payment" | "withdrawal";

/** The states that a subject can be in. */
export interface SubjectStates {
  payment: PaymentStatus;
  withdrawal: WithdrawalStatus;
}

/** The part of the client that the inbox uses. */
export type InboxClient = Pick<MerchantClient, "payments" | "withdrawals">;

/**
 * How far each status has progressed, to detect that a signed status is ahead of the service's response. Money may
 * arrive after `expired`, so paid ranks higher.
 */
const ranks: Record<SubjectKind, ReadonlyMap<string, number>> = {
  payment: ranking({
    pending: 1,
    processing: 2,
    failed: 3,
    expired: 3,
    cancelled: 3,
    completed: 4,
    confirmed: 4,
    partially_refunded: 5,
    refunded: 6,
  }),
  withdrawal: ranking({ pending: 1, processing: 2, completed: 3, failed: 3, cancelled: 3 }),
};

/** A map, in which no inherited name, such as "constructor", is a status. */
function ranking(ranks: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(ranks));
}

/** Advice about a status that may be misspelt or new; undefined for a known one. */
export function unknownState(kind: SubjectKind, status: string): string | undefined {
  const known = [...ranks[kind].keys()];
  if (known.includes(status)) return undefined;
  const near = nearest(status, known);
  return near
    ? `Did you mean "${near}"?`
    : `The known statuses of a ${kind} are ${known.join(", ")}.`;
}

/** 0 for an unknown status, so that it is ahead of nothing. */
export function signedRank(kind: SubjectKind, status: unknown): number {
  return (typeof status === "string" && ranks[kind].get(status)) || 0;
}

/** Infinity for an unknown fetched status, so that it is behind nothing. */
export function fetchedRank(kind: SubjectKind, status: string): number {
  return ranks[kind].get(status) ?? Number.POSITIVE_INFINITY;
}

/** `confirmed` is another name for `completed`: effects run for only one of them. */
export function stateOf(kind: SubjectKind, status: string): string {
  return kind === "payment" && isPaid(status) ? "completed" : status;
}

/** When the status was reached, according to the service; undefined if it does not say. */
export function reachedAt(kind: SubjectKind, subject: Payment | Withdrawal): number | undefined {
  const { receipt, status } = subject as Payment;
  // The receipt has the time of the payment, not of the refund.
  if (status.includes("refunded")) return undefined;
  const time = kind === "withdrawal" ? (subject as Withdrawal).updatedAt : receipt?.txTimestamp;
  const ms = timeOf(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The client's methods for a kind. */
export function resourceOf({ payments, withdrawals }: InboxClient, kind: SubjectKind) {
  return kind === "payment" ? payments : withdrawals;
}
