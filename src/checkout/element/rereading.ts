import { endedUnpaid, type Known } from "./state.ts";

/** The wait between reads of a payment that is collecting confirmations, or could not be read, or without a connection. */
const usualMs = 3_000;
/** The wait between reads of a payment that the service refuses. */
const refusedMs = 15_000;
/** The wait between reads of a payment that ended unpaid, and how long after its end late money is expected. */
const late = { waitMs: 30_000, lastsMs: 900_000 };

/**
 * The wait until a payment is read again. It is also read each time that its status changes.
 *
 * @param isStale Whether the payment is known to have changed since the last read.
 * @param sinceMs How long ago its status changed.
 */
export function rereadMs(
  { payment, problem, isOffline }: Known,
  isStale: boolean,
  sinceMs: number,
): number {
  if (problem && problem.kind !== "unavailable") return refusedMs;
  if (isStale || isOffline || payment?.status === "processing") return usualMs;
  const isLate = endedUnpaid(payment?.status) && sinceMs < late.lastsMs;
  return isLate ? late.waitMs : Number.POSITIVE_INFINITY;
}
