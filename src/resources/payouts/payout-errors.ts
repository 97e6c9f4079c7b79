import {
  AbortError,
  IdempotencyConflictError,
  OutcomeUnknownError,
  SettlekitError,
  TimeoutError,
} from "../../errors.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { differences, type SentWithdrawal } from "./payout.ts";
import type { Recollection } from "./recent-payouts.ts";

export interface PayoutFacts {
  /** The resource that was called, such as `withdrawals`. */
  readonly name: string;
  readonly orderId: string;
  readonly idempotencyKey: string;
  /** How many requests to create the withdrawal have been sent. */
  readonly sends: number;
}

/**
 * The order's withdrawal among those found; undefined if there is none.
 *
 * @throws {IdempotencyConflictError} when there are several, or one that differs from the one requested.
 */
export function onlyWithdrawal(
  asked: SentWithdrawal,
  found: readonly Withdrawal[],
  facts: PayoutFacts,
): Withdrawal | undefined {
  const [withdrawal, ...others] = found;
  if (withdrawal === undefined) return undefined;
  const { orderId, sends } = facts;
  const outcome = sends > 0 ? "unknown" : "not_sent";
  const about = { ...common(facts), param: "orderId", outcome } as const;
  const lost = "This call also sent a request to create one, whose response was lost.";
  const sent = sends > 0 ? lost : "Nothing was sent.";
  if (others.length > 0) {
    throw new IdempotencyConflictError(
      `orderId "${orderId}" has ${found.length} withdrawals: ${found.map(({ id }) => id).join(", ")}. ${sent} ` +
        "Find out which one is right, and use a new orderId for a new payout.",
      { ...about, code: "several_withdrawals" },
    );
  }
  const differing = differences(asked, withdrawal, sends > 0);
  if (differing.length === 0) return withdrawal;
  throw new IdempotencyConflictError(
    `orderId "${orderId}" already has the withdrawal ${withdrawal.id}, with a different ${differing.join(", ")}. ` +
      `${sent} Use a new orderId for a new payout.`,
    { ...about, code: "idempotency_conflict" },
  );
}

/** The withdrawal may exist: a request was sent, and nothing has shown its outcome. */
export function unknownOutcome(
  facts: PayoutFacts,
  doubt: SettlekitError,
  lastLook: string,
): OutcomeUnknownError {
  const requests = facts.sends === 1 ? "1 request was sent" : `${facts.sends} requests were sent`;
  const { attempts, requestId, status, retryAfterMs } = doubt;
  // An OutcomeUnknownError of the request says the same as this error, so its cause is more useful.
  const cause =
    OutcomeUnknownError.is(doubt) && SettlekitError.is(doubt.cause) ? doubt.cause : doubt;
  return new OutcomeUnknownError(
    `Outcome unknown: the withdrawal for orderId "${facts.orderId}" may have been created. ${requests}, and the ` +
      `last one ended in ${cause.name} ${cause.code}. ${lastLook} ${nextStep(facts)}`,
    { ...common(facts), attempts, requestId, status, retryAfterMs, code: "outcome_unknown", cause },
  );
}

/**
 * The error of a call that sent nothing. It concerns the order's withdrawal, not a single request.
 *
 * @param earlier An earlier call, which may have created it.
 */
export function unsent(error: unknown, facts: PayoutFacts, earlier?: Recollection): unknown {
  if (!SettlekitError.is(error)) return error;
  if (earlier && AbortError.is(error)) return abortedInDoubt(facts, error, error.cause);
  if (AbortError.is(error)) {
    const message = `${facts.name}.createOnce was aborted. Nothing was sent.`;
    return new AbortError(message, { ...common(facts), code: "aborted", cause: error.cause });
  }
  if (!earlier || isFinalAnswer(error)) return Object.assign(error, { outcome: "not_sent" });
  const did = earlier.withdrawalId
    ? `returned the withdrawal ${earlier.withdrawalId}, which could not be read`
    : "sent a request that may still take effect";
  return new OutcomeUnknownError(
    `Outcome unknown for orderId "${facts.orderId}": an earlier call ${did}. This one sent nothing. ${nextStep(facts)}`,
    { ...common(facts), attempts: 0, code: "outcome_unknown", cause: error },
  );
}

/** An abort, or a conflicting withdrawal found by a lookup. A 409 from the service has a status and settles nothing. */
export function isFinalAnswer(error: unknown): boolean {
  if (IdempotencyConflictError.is(error)) return error.status === undefined;
  return AbortError.is(error);
}

export function abortedInDoubt(
  facts: PayoutFacts,
  { attempts, requestId }: SettlekitError,
  reason: unknown,
): AbortError {
  return new AbortError(
    `${facts.name}.createOnce was aborted before it was known whether the withdrawal for orderId ` +
      `"${facts.orderId}" was created. ${nextStep(facts)}`,
    { ...common(facts), attempts, requestId, code: "aborted", outcome: "unknown", cause: reason },
  );
}

export function lookupTookAll(facts: PayoutFacts, deadlineMs: number): TimeoutError {
  return new TimeoutError(
    `Looking up the order's withdrawal used up deadlineMs (${deadlineMs} ms), so nothing was sent. ` +
      "Raise deadlineMs, or pass createdAfter so that the lookup stops earlier.",
    { ...common(facts), code: "deadline_exceeded" },
  );
}

/** The reason why a lookup was inconclusive. */
export function unread(failure: unknown): string {
  const reason = SettlekitError.is(failure) ? `${failure.name} ${failure.code}` : String(failure);
  return `The list could not be read (${reason}).`;
}

function common({ name, idempotencyKey }: PayoutFacts) {
  return { operation: `${name}.createOnce`, idempotencyKey };
}

function nextStep({ name }: PayoutFacts): string {
  return (
    "Wait two minutes before you call createOnce again, because a request can arrive late and lists lag; or look " +
    `it up with ${name}.findByOrderId, or on the dashboard.`
  );
}
