import { sql, type Work } from "../stores/store.ts";
import { invalidArgument, show } from "../values.ts";
import type { PayoutLimits } from "./options.ts";
import type { PayoutRow } from "./payout.ts";

const dayMs = 86_400_000;

/** Why a payout may not be sent now, and when to check again. */
export interface Hold {
  readonly reason: string;
  readonly until: number;
}

/** @throws {InvalidRequestError} when the limits can never allow the payout. */
export function requireAllowed(limits: PayoutLimits, amount: number, recipient: string): void {
  const problem = neverAllowed(limits, amount, recipient);
  if (problem === undefined) return;
  throw invalidArgument(problem.param, `${problem.reason} Nothing was planned.`, "over_limit");
}

function neverAllowed(limits: PayoutLimits, amount: number, recipient: string) {
  for (const name of ["perPayout", "perDay", "per24Hours", "perRecipientAndDay"] as const) {
    const limit = limits[name];
    if (limit === undefined || amount <= limit) continue;
    return {
      param: "amountInCents",
      reason:
        `amountInCents is ${amount}, above limits.${name} of ${limit} cents. Check the amount. If it is right, raise the ` +
        "limit, and have large payouts approved with limits.approveAbove.",
    };
  }
  if (limits.recipients === undefined || limits.recipients.includes(recipient)) return undefined;
  return {
    param: "recipientAddress",
    reason: `recipientAddress ${show(recipient)} is not in limits.recipients. Add it there first.`,
  };
}

/** Whether a payout of this amount needs an approval. */
export function needsApproval({ approveAbove }: PayoutLimits, amount: number): boolean {
  return approveAbove !== undefined && amount > approveAbove;
}

/** What a payout of this amount waits for, unless it is approved. */
export function approvalOf(limits: PayoutLimits, amount: number): string | null {
  if (!needsApproval(limits, amount)) return null;
  return `It is above limits.approveAbove of ${limits.approveAbove} cents, and waits for an approval.`;
}

/**
 * Why the budget does not allow the payout now. Called under the journal's lock, so that no other process reserves at
 * the same time.
 */
export function* holdOf(
  tenant: string,
  limits: PayoutLimits,
  row: PayoutRow,
  now: number,
): Work<Hold | undefined> {
  const { id, amount, recipient } = row;
  const never = neverAllowed(limits, amount, recipient);
  // The payout may have been planned with other limits: by another process, or before they were lowered.
  if (never !== undefined) return { reason: never.reason, until: now + 600_000 };
  const { perDay, per24Hours, perRecipientAndDay } = limits;
  // Without a budget limit, skip the sums: others are waiting for the lock.
  if (perDay === undefined && per24Hours === undefined && perRecipientAndDay === undefined) {
    return undefined;
  }
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const [sums] = yield* sql<{ day: number; rolling: number; recipient: number }>(
    `SELECT COALESCE(sum(CASE WHEN reserved_at >= $3 THEN amount END), 0) AS day,
  COALESCE(sum(amount), 0) AS rolling,
  COALESCE(sum(CASE WHEN reserved_at >= $3 AND recipient = $4 THEN amount END), 0) AS recipient
FROM {payouts} WHERE tenant = $1 AND reserved_at > $2 AND id <> $5`,
    [tenant, now - dayMs, dayStart, recipient, id],
  );
  const used = sums ?? { day: 0, rolling: 0, recipient: 0 };
  const tomorrow = dayStart + dayMs;
  if (perRecipientAndDay !== undefined && used.recipient + amount > perRecipientAndDay) {
    return over("perRecipientAndDay", perRecipientAndDay, used.recipient, tomorrow);
  }
  if (perDay !== undefined && used.day + amount > perDay) {
    return over("perDay", perDay, used.day, tomorrow);
  }
  if (per24Hours === undefined || used.rolling + amount <= per24Hours) return undefined;
  const missing = used.rolling + amount - per24Hours;
  const [freed] = yield* sql<{ at: number | null }>(
    `SELECT min(reserved_at) AS at FROM (
  SELECT reserved_at, sum(amount) OVER (ORDER BY reserved_at) AS freed
  FROM {payouts} WHERE tenant = $1 AND reserved_at > $2 AND id <> $3
) AS oldest WHERE freed >= $4`,
    [tenant, now - dayMs, id, missing],
  );
  return over("per24Hours", per24Hours, used.rolling, (freed?.at ?? now) + dayMs);
}

function over(name: string, limit: number, used: number, until: number): Hold {
  const reason =
    `limits.${name} is ${limit} cents, of which ${used} are used. The payout waits until ` +
    `${new Date(until).toISOString()}.`;
  return { reason, until };
}
