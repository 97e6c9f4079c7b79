import { invalidArgument, show } from "../values.ts";

/**
 * Whether a payment with this status is paid: `completed` or `confirmed`, which the interface document does not
 * reconcile (section 3.1). Unknown statuses are not paid.
 *
 * @throws {InvalidRequestError} for anything but text, such as the payment itself.
 */
export function isPaid(status: string): boolean {
  if (typeof status === "string") return paidStatuses.has(status);
  const rule = "must be the status as a string, such as payment.status";
  throw invalidArgument("status", `status ${rule}, got ${show(status)}.`);
}

/**
 * Whether a status is not expected to change: paid, refunded, failed, expired or cancelled. Money may still arrive
 * after `expired`. Unknown statuses are not final.
 *
 * @throws {InvalidRequestError} for anything but text, such as the payment itself.
 */
export function isFinal(status: string): boolean {
  return isPaid(status) || endedStatuses.has(status);
}

const paidStatuses = /* @__PURE__ */ new Set(["completed", "confirmed"]);
const endedStatuses = /* @__PURE__ */ new Set([
  "failed",
  "expired",
  "cancelled",
  "refunded",
  "partially_refunded",
]);
