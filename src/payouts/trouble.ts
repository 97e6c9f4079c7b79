import {
  AuthenticationError,
  ConfigurationError,
  NotFoundError,
  OutcomeUnknownError,
  PermissionError,
  SettlekitError,
} from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";
import { thrownText } from "../values.ts";
import type { AttemptOutcome } from "./attempts.ts";
import type { PayoutRow } from "./payout.ts";

/** A 409 settles nothing: the request in progress may be this one, or a copy of it. A 429 is about one copy only. */
export function outcomeOf(error: unknown): AttemptOutcome {
  if (!SettlekitError.is(error) || error.status === 409) return "unknown";
  return error.status === 429 ? "limited" : error.outcome;
}

/**
 * The error of a request with an unknown outcome. The client's own advises repeating the call or using createOnce, which
 * a person must not do here.
 */
export function doubtOf(error: unknown): OutcomeUnknownError {
  const { operation, idempotencyKey, attempts, cause: reason } = Object(error) as SettlekitError;
  const cause = SettlekitError.is(reason) ? reason : error;
  const what = SettlekitError.is(cause) ? `${cause.name} ${cause.code}` : thrownText(cause);
  return new OutcomeUnknownError(inDoubt(`the request may have taken effect (${what})`), {
    code: "outcome_unknown",
    operation,
    idempotencyKey,
    attempts,
    cause,
  });
}

/** The problem of a payout whose next step failed. */
export function problemOf(error: unknown, { state }: PayoutRow): string {
  const text = thrownText(error);
  if (state !== "sending") return text;
  return `${inDoubt("a request may have taken effect")} The last step failed: ${text}`;
}

function inDoubt(fact: string): string {
  return `Outcome unknown: ${fact}. The ledger finds out by itself: do not pay the order in any other way.`;
}

/** The error for a request that was not sent, because it would have left too late. */
export function heldUp(leaveMs: number): SettlekitError {
  return new SettlekitError(
    `The request was delayed by more than ${leaveMs / 1_000} s, so it was not sent: the process was suspended, or the client ` +
      "paused after a 429 or had no free slot of maxConcurrency. It will be retried.",
    { code: suspendedCode },
  );
}

const suspendedCode = "process_suspended";

/** Whether the error of a request concerns all payouts. */
export function concernsAll(error: unknown): error is SettlekitError {
  // A request that left too late shows nothing about the service.
  if (SettlekitError.is(error) && error.code === suspendedCode) return false;
  return (
    AuthenticationError.is(error) ||
    PermissionError.is(error) ||
    ConfigurationError.is(error) ||
    NotFoundError.is(error) ||
    (SettlekitError.is(error) && error.outcome === "not_sent")
  );
}

/**
 * The result of a step: an error that concerns more than its payout, or whether the service answered a request for a
 * withdrawal, so that further requests are likely to be answered, too.
 */
export type StepResult = Error | "answered" | undefined;

/** What earlier requests say about new ones. */
interface Doubts {
  /** Whether new requests should be made one at a time, and only while the service can be read. */
  readonly isInDoubt: boolean;
  /** Whether it is too soon for a new request. */
  readonly isTooSoon: boolean;
}

export const noDoubts: Doubts = { isInDoubt: false, isTooSoon: false };

/** The longest time without a new request: then one is sent, to see whether the service responds again. */
const longestPauseMs = 600_000;

/**
 * Counts the payouts whose requests got no usable response since one was last answered. From the third on, each makes the
 * next new request wait four times as long, because that one would probably end in doubt, too. Meanwhile, those in doubt
 * are looked up and sent again.
 */
export function* readDoubts(tenant: string): Work<Doubts> {
  const [doubts] = yield* sql<{ count: number; latest: number | null; now: number }>(
    `WITH answered AS (
  SELECT sent_at FROM {payouts} WHERE tenant = $1 AND reserved_at IS NOT NULL AND sent_at IS NOT NULL
  ORDER BY reserved_at DESC LIMIT 1
)
SELECT count(CASE WHEN latest > COALESCE((SELECT sent_at FROM answered), 0) THEN 1 END) AS count,
  max(latest) AS latest, {now} AS now
FROM (
  SELECT max(COALESCE(ended_at, started_at)) AS latest FROM {payouts} JOIN {payout_attempts} ON payout_id = id
  WHERE tenant = $1 AND state IN ('sending', 'needs_decision')
    AND (outcome IN ('unknown', 'limited') OR outcome IS NULL AND lease_until <= {now})
  GROUP BY id
) AS doubts`,
    [tenant],
  );
  if (!doubts?.latest) return noDoubts;
  const { count, latest, now } = doubts;
  const pauseMs = count < 3 ? 0 : Math.min(1_000 * 4 ** count, longestPauseMs);
  // A time in the future comes from a clock that has been set back since.
  return { isInDoubt: true, isTooSoon: latest <= now && now - latest < pauseMs };
}
