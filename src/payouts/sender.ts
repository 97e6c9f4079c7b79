import { InvalidRequestError, NotFoundError, SettlekitError } from "../errors.ts";
import { sql } from "../stores/store.ts";
import { thrownText } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import {
  beginAttempt,
  endAttempt,
  maxDoubtMs,
  mayTakeEffect,
  type Past,
  putOff,
  readPast,
} from "./attempts.ts";
import { put, renewing } from "./claims.ts";
import { decide, type PayoutsContext, tell } from "./context.ts";
import { readHead } from "./journal.ts";
import { requireSameMerchant, requireSameService } from "./merchant.ts";
import { readOthers } from "./others.ts";
import { isUnsent, type PayoutRow, type PayoutState } from "./payout.ts";
import { refuse } from "./refusals.ts";
import { needDecision, settle } from "./settle.ts";
import {
  concernsAll,
  doubtOf,
  heldUp,
  outcomeOf,
  problemOf,
  type StepResult,
  suspendedCode,
} from "./trouble.ts";

/** Huge lists take a long time to read. The lease is renewed in the meantime. */
const lookDeadlineMs = 900_000;
/** The longest wait after a failure, however long the service asks to wait. */
const longestBackoffMs = 600_000;

/**
 * Does the next step for a payout: sends it, looks it up, or follows its withdrawal. Returns an error that concerns
 * more than this payout, such as an unreachable service.
 *
 * @param looksFirst Whether to send a new request only if the service responds to a read.
 */
export async function work(
  context: PayoutsContext,
  row: PayoutRow,
  signal: AbortSignal,
  looksFirst = false,
): Promise<StepResult> {
  try {
    if (looksFirst && isUnsent(row.state)) await context.client.newest(signal);
    return row.state === "sent"
      ? await follow(context, row, signal)
      : await advance(context, row, signal);
  } catch (error) {
    // The worker is stopping, which says nothing about the payout. Another worker repeats the step.
    if (signal.aborted) return put(context, row, { dueAt: 0 });
    report(context, row, error);
    await retryLater(context, row, error);
    // A withdrawal that cannot be found concerns only this payout.
    return NotFoundError.is(error) ? undefined : (error as Error);
  }
}

function report(
  { report, tenant }: PayoutsContext,
  { order_id: orderId }: PayoutRow,
  error: unknown,
) {
  report({ type: "failed", tenant, orderId, error });
}

/** Postpones the payout after a failed read. After an hour of doubt, a person has to look. */
async function retryLater(context: PayoutsContext, row: PayoutRow, error: unknown): Promise<void> {
  const { now } = await context.store.transaction(() => readPast(row.id, context.quietMs));
  if (isDoubtOver(row, now)) return leaveToPerson(context, row, thrownText(error));
  await put(context, row, { dueAt: now + backoffMs(row.failures), problem: problemOf(error, row) });
}

/** Whether a request's outcome has been unknown for so long that a person has to find out. */
function isDoubtOver({ state, doubt_since }: PayoutRow, now: number): boolean {
  return state === "sending" && doubt_since !== null && now - doubt_since >= maxDoubtMs;
}

function backoffMs(failures: number): number {
  return Math.min(5_000 * 2 ** failures, longestBackoffMs);
}

/** The next step for a payout without a known withdrawal. */
async function advance(
  context: PayoutsContext,
  row: PayoutRow,
  signal: AbortSignal,
  lookFirst = context.lookFirst,
): Promise<StepResult> {
  const { store, client, tenant, quietMs } = context;
  requireSameService(context, row);
  if (row.state !== "sending" && !lookFirst) await readOthers(context, row, signal);
  // Only the claim's holder can have begun an attempt since.
  if (row.attempts === 0 && !lookFirst) return send(context, row, undefined, signal);
  await requireSameMerchant(context, row, { signal });
  const past = await store.transaction(function* () {
    const isStopped = typeof (yield* readHead(tenant))?.stopped_at === "number";
    return { ...(yield* readPast(row.id, quietMs)), isStopped };
  });
  const { now, withdrawalId, requests, isKeyAlive, isRefused, isStopped } = past;
  if (withdrawalId !== undefined)
    return settleWith(context, row, [await client.get(withdrawalId, signal)]);
  if (requests === 0) {
    return lookFirst ? look(context, row, past, signal) : send(context, row, undefined, signal);
  }
  // While the breaker is open, nothing may be repeated, so only the list ends the doubt.
  if (client.isKeyed && isKeyAlive && !isRefused && !isStopped && !isDoubtOver(row, now))
    return send(context, row, undefined, signal);
  if (now < past.lookAt) return put(context, row, { dueAt: past.lookAt });
  return look(context, row, past, signal);
}

/** Reads the whole list, then records the withdrawal found, or sends. */
async function look(context: PayoutsContext, row: PayoutRow, past: Past, signal: AbortSignal) {
  const { client } = context;
  const { now, requests, provenAt } = past;
  const options = { deadlineMs: lookDeadlineMs, signal };
  const found = await renewing(context, row, () => client.find(row.order_id, options));
  if (found.length > 0) return settleWith(context, row, found);
  if (requests === 0 || now >= provenAt) {
    if (isDoubtOver(row, now)) {
      return leaveToPerson(context, row, "The list shows no withdrawal for this order.");
    }
    return send(context, row, now, signal);
  }
  return put(context, row, { dueAt: provenAt });
}

/** Sends one request, after committing everything about it. */
async function send(
  context: PayoutsContext,
  row: PayoutRow,
  lookedAt: number | undefined,
  signal: AbortSignal,
): Promise<StepResult> {
  const { store, client, tenant, leaveMs } = context;
  const sender = await client.sender(signal);
  const begun = await decide(context, (ledger) =>
    beginAttempt(ledger, context, row, { lookedAt, sender }),
  );
  if (begun.kind === "fenced") {
    context.report({ type: "fenced", tenant, orderId: row.order_id });
    return undefined;
  }
  if (begun.kind === "listed") return advance(context, row, signal, true);
  // A lookup has shown that nothing was sent.
  const back = lookedAt === undefined ? {} : { state: unsentState(row) };
  if (begun.kind === "held") {
    const { dueAt, hold } = begun;
    const { reason, until } = hold;
    const later = { dueAt, problem: reason, ...back };
    const isHeld = await store.transaction(() => putOff(row, later, until));
    const event = { orderId: row.order_id, reason, until: new Date(until) };
    if (isHeld && row.waits_until !== until) context.report({ type: "waiting", tenant, ...event });
    return undefined;
  }
  if (begun.kind !== "begun") {
    if (begun.kind === "stranger") await requireSameMerchant(context, row, { signal });
    const { now } = await store.transaction(() => readPast(row.id, 0));
    const isHeldBack = begun.kind === "stopped" || begun.kind === "unapproved";
    const isNext = begun.kind === "settled" || begun.kind === "stranger";
    const dueAt = isNext ? now : now + 5_000;
    return put(context, row, { dueAt, ...(isHeldBack && back) });
  }
  let withdrawal: Withdrawal;
  try {
    withdrawal = await client.create(begun.body, {
      idempotencyKey: row.idempotency_key,
      signal,
      // A process that was suspended in the meantime must not send: another one may have looked and sent.
      beforeBody() {
        if (begun.elapsedMs() > leaveMs) throw heldUp(leaveMs);
      },
    });
  } catch (error) {
    return failed(context, row, error, lookedAt !== undefined);
  }
  await settleWith(context, row, [withdrawal], true);
  return "answered";
}

/** The state of a payout for which nothing was sent. */
function unsentState({ approved_by }: PayoutRow): PayoutState {
  return approved_by === null ? "planned" : "approved";
}

/**
 * Records what an error says about the request.
 *
 * @param hasLooked Whether a lookup had shown that no earlier request took effect.
 */
async function failed(
  context: PayoutsContext,
  row: PayoutRow,
  error: unknown,
  hasLooked: boolean,
): Promise<StepResult> {
  const { client, quietMs, tenant } = context;
  const outcome = outcomeOf(error);
  const doubt = outcome === "unknown" ? doubtOf(error) : undefined;
  const problem = doubt?.message ?? thrownText(error);
  const wasSuspended = SettlekitError.is(error) && error.code === suspendedCode;
  const askedMs = (SettlekitError.is(error) && error.retryAfterMs) || 0;
  const usualMs = Math.max(backoffMs(row.failures), Math.min(askedMs, longestBackoffMs));
  // One transaction, so that a crash cannot leave a payout in doubt whose request was not sent.
  const refused = await decide(context, function* (ledger) {
    // Locks the payout before its attempt, as every transaction does: another worker may be releasing it.
    yield* sql("UPDATE {payouts} SET failures = failures WHERE id = $1", [row.id]);
    yield* endAttempt(row, outcome, { problem });
    const past = yield* readPast(row.id, quietMs);
    // A later response does not undo the effect of an earlier request, or of another copy of this one.
    const isInDoubt = hasLooked ? mayTakeEffect(outcome) : past.requests > 0;
    if (outcome === "rejected" && !isInDoubt && InvalidRequestError.is(error))
      return yield* refuse(ledger, row, problem, error.param);
    const backoff = past.now + (wasSuspended ? 1_000 : usualMs);
    const isKeyed = client.isKeyed && past.isKeyAlive;
    const dueAt = isInDoubt && !isKeyed ? Math.max(past.lookAt, backoff) : backoff;
    yield* putOff(row, { dueAt, problem, ...(!isInDoubt && { state: unsentState(row) }) });
    return undefined;
  });
  if (refused !== undefined) return tell(context, refused);
  if (doubt !== undefined) {
    context.report({ type: "doubt", tenant, orderId: row.order_id, error: doubt });
    // A 409 is about this request alone. Otherwise the service is in trouble: every further request would end in doubt.
    return Object(error).status === 409 ? "answered" : doubt;
  }
  report(context, row, error);
  return concernsAll(error) && !wasSuspended ? error : undefined;
}

/** Reads the withdrawal's current status. */
async function follow(context: PayoutsContext, row: PayoutRow, signal: AbortSignal) {
  const { client } = context;
  const withdrawal = await client.get(row.withdrawal_id ?? "", signal);
  const isEnd = ["completed", "failed", "cancelled"].includes(withdrawal.status);
  if (!isEnd || row.attempts < 2) return settleWith(context, row, [withdrawal]);
  // With more than one request, the list shows whether several took effect.
  const options = { deadlineMs: lookDeadlineMs, signal };
  const found = await renewing(context, row, () => client.find(row.order_id, options));
  const others = found.filter(({ id }) => id !== withdrawal.id);
  return settleWith(context, row, [...others, withdrawal]);
}

/** Records the order's withdrawals. With several, a person has to decide. */
async function settleWith(
  context: PayoutsContext,
  row: PayoutRow,
  withdrawals: readonly Withdrawal[],
  isAnswer = false,
): Promise<undefined> {
  const found = withdrawals.map(({ id }) => id);
  const options = { isSlow: context.hasInbox, found, answers: isAnswer ? row : undefined };
  const settled = await decide(context, function* (ledger) {
    let changed: PayoutRow | undefined;
    for (const withdrawal of withdrawals) {
      changed = (yield* settle(ledger, row.order_id, withdrawal, options)) ?? changed;
      if (isAnswer) yield* endAttempt(row, "created", { withdrawalId: withdrawal.id });
    }
    return changed;
  });
  return tell(context, settled);
}

async function leaveToPerson(
  context: PayoutsContext,
  row: PayoutRow,
  lastLook: string,
): Promise<undefined> {
  const problem =
    "The outcome of a request has been unknown for an hour. " +
    `${lastLook} Check the service's dashboard.`;
  const left = await decide(context, function* (ledger) {
    // Locks it, so that the decision does not undo what a webhook has just shown.
    const held = yield* sql(
      "UPDATE {payouts} SET failures = failures WHERE id = $1 AND fence = $2 AND state = 'sending' RETURNING id",
      [row.id, row.fence],
    );
    return held.length === 0 ? undefined : yield* needDecision(ledger, row, problem);
  });
  return tell(context, left);
}
