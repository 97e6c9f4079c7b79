/**
 * Whether a payment with this status is paid: `completed` or `confirmed`, which the interface
 * document does not reconcile (section 3.1). Unknown statuses are not.
 */
export function isPaid(status: string): boolean {
  return status === "completed" || status === "confirmed";
}

/**
 * Whether a status is expected to stay: paid, failed, expired or cancelled. Money may still arrive
 * after `expired`. Unknown statuses are not final.
 */
export function isFinal(status: string): boolean {
  return isPaid(status) || status === "failed" || status === "expired" || status === "cancelled";
}
