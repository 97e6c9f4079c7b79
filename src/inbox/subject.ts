import type { MerchantClient } from "../client.ts";
import { nearest } from "../values.ts";
import type { Payment } from "../wire/payment.ts";
import { isPaid, type PaymentStatus } from "../wire/payment-status.ts";
import type { Withdrawal, WithdrawalStatus } from "../wire/withdrawal.ts";

/** What webhooks are about. */
export interface Subjects {
  payment: Payment;
  withdrawal: Withdrawal;
}

/** `payment` or `withdrawal`. */
export type SubjectKind = keyof Subjects;

/** The states that a subject can be in. */
export interface SubjectStates {
  payment: PaymentStatus;
  withdrawal: WithdrawalStatus;
}

/** The part of the client that is used. */
export type InboxClient = Pick<MerchantClient, "payments" | "withdrawals">;

/**
 * How far a status is on its way, so that a signed status which the service does not show yet is recognised. Late money
 * may follow `expired`, so that paid is further.
 */
const ranks: Record<SubjectKind, Readonly<Record<string, number>>> = {
  payment: {
    pending: 1,
    processing: 2,
    failed: 3,
    expired: 3,
    cancelled: 3,
    completed: 4,
    confirmed: 4,
    partially_refunded: 5,
    refunded: 6,
  },
  withdrawal: { pending: 1, processing: 2, completed: 3, failed: 3, cancelled: 3 },
};

/** The known status that an unknown one resembles: it may be misspelt, or new. */
export function similarState(kind: SubjectKind, status: string): string | undefined {
  return nearest(status, Object.keys(ranks[kind]));
}

/** 0 for a status that is not known, which is ahead of nothing. */
export function signedRank(kind: SubjectKind, status: unknown): number {
  return (typeof status === "string" && ranks[kind][status]) || 0;
}

/** A fetched status that is not known is behind nothing. */
export function fetchedRank(kind: SubjectKind, status: string): number {
  return ranks[kind][status] ?? Number.POSITIVE_INFINITY;
}

/** `confirmed` is another name of `completed`: what is done for one is not done again for the other. */
export function stateOf(kind: SubjectKind, status: string): string {
  return kind === "payment" && isPaid(status) ? "completed" : status;
}

/** When the service says that the status was reached; undefined where it does not. */
export function reachedAt(kind: SubjectKind, subject: Payment | Withdrawal): number | undefined {
  const { receipt, status } = subject as Payment;
  // A receipt is of the payment: it does not say when it was refunded.
  if (status.includes("refunded")) return undefined;
  const time = kind === "withdrawal" ? (subject as Withdrawal).updatedAt : receipt?.txTimestamp;
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** The client's methods for a kind. */
export function resourceOf({ payments, withdrawals }: InboxClient, kind: SubjectKind) {
  return kind === "payment" ? payments : withdrawals;
}
