import { InvalidRequestError, NotFoundError, SettlekitError } from "../errors.ts";
import { sql } from "../stores/store.ts";
import { thrownText } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import {
  type Begun,
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
import { type PayoutRow, unsentState } from "./payout.ts";
import { refuse } from "./refusals.ts";
import { needDecision, settle } from "./settle.ts";
import { concernsAll, doubtOf, heldUp, outcomeOf, problemOf, type StepResult } from "./trouble.ts";

/** Huge lists take a long time to read. The lease is renewed in the meantime. */
const lookDeadlineMs = 900_000;
/** The longest wait after a failure, however long the service asks to wait. */
const longestBackoffMs = 600_000;

/**
 * Takes a payout's next step. Returns an error that concerns more than this payout, such as an unreachable service.
 *
 * @param isInDoubt Whether the service has to respond to a read before it gets a new request.
 */
export async function work(
  context: PayoutsContext,
  row: PayoutRow,
  signal: AbortSignal,
  isInDoubt = false,
): Promise<StepResult> {
  try {
    if (row.state === "sent") return await track(context, row, signal);
    requireSameService(context, row);
    if (row.state === "sending") return await clarify(context, row, signal);
    if (isInDoubt) await context.client.newest(signal);
    return await begin(context, row, signal);
  } catch (error) {
    // The worker is stopping, which says nothing about the payout. Another worker repeats the step.
    if (signal.aborted) return put(context, row, {});
    tellFailure(context, row, error);
    await retryLater(context, row, error);
    // A withdrawal that cannot be found concerns only this payout.
    return NotFoundError.is(error) ? undefined : (error as Error);
  }
}

function tellFailure({ report, tenant }: PayoutsContext, { order_id }: PayoutRow, error: unknown) {
  report({ type: "failed", tenant, orderId: order_id, error });
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

/** Planned or approved: sends the payout, at once if no request for it was ever begun. */
async function begin(context: PayoutsContext, row: PayoutRow, signal: AbortSignal) {
  if (context.lookFirst) return clarify(context, row, signal);
  await readOthers(context, row, signal);
  // Only the claim's holder can have begun an attempt since.
  if (row.attempts === 0) return send(context, row, undefined, signal);
  return clarify(context, row, signal);
}

/** Sending: finds out what became of the payout's requests. Sends another one only if that cannot pay twice. */
async function clarify(
  context: PayoutsContext,
  row: PayoutRow,
  signal: AbortSignal,
  lookFirst = context.lookFirst,
): Promise<StepResult> {
  const { store, client, tenant, quietMs } = context;
  await requireSameMerchant(context, row, { signal });
  const past = await store.transaction(function* () {
    const isStopped = typeof (yield* readHead(tenant))?.stopped_at === "number";
    return { ...(yield* readPast(row.id, quietMs)), isStopped };
  });
  const { now, withdrawalId, requests, isKeyAlive, isRefused, isStopped, lookAt } = past;
  if (withdrawalId !== undefined)
    return settleWith(context, row, [await client.get(withdrawalId, signal)]);
  if (requests === 0 && !lookFirst) return send(context, row, undefined, signal);
  // While the breaker is open, nothing may be repeated, so only the list ends the doubt.
  const mayRepeat = client.isKeyed && isKeyAlive && !isRefused && !isStopped;
  if (requests > 0 && mayRepeat && !isDoubtOver(row, now))
    return send(context, row, undefined, signal);
  return now < lookAt ? put(context, row, { dueAt: lookAt }) : look(context, row, past, signal);
}

/** Reads the whole list, then records the withdrawal found, or sends. */
async function look(
  context: PayoutsContext,
  row: PayoutRow,
  { now, provenAt }: Past,
  signal: AbortSignal,
): Promise<StepResult> {
  const found = await findAll(context, row, signal);
  if (found.length > 0) return settleWith(context, row, found);
  if (now < provenAt) return put(context, row, { dueAt: provenAt });
  if (isDoubtOver(row, now)) {
    return leaveToPerson(context, row, "The list shows no withdrawal for this order.");
  }
  return send(context, row, now, signal);
}

function findAll(context: PayoutsContext, row: PayoutRow, signal: AbortSignal) {
  const options = { deadlineMs: lookDeadlineMs, signal };
  return renewing(context, row, () => context.client.find(row.order_id, options));
}

/**
 * Begins an attempt, and sends its request.
 *
 * @param lookedAt When a lookup began that has shown that no earlier request took effect.
 */
async function send(
  context: PayoutsContext,
  row: PayoutRow,
  lookedAt: number | undefined,
  signal: AbortSignal,
): Promise<StepResult> {
  const { client, report, tenant } = context;
  const orderId = row.order_id;
  const sender = await client.sender(signal);
  const begun = await decide(context, (ledger) =>
    beginAttempt(ledger, context, row, { lookedAt, sender }),
  );
  switch (begun.kind) {
    case "begun":
      return request(context, row, begun, lookedAt !== undefined, signal);
    case "listed":
      return clarify(context, row, signal, true);
    case "unknown_key":
      await requireSameMerchant(context, row, { signal });
      return put(context, row, {});
    case "fenced":
      report({ type: "fenced", tenant, orderId });
      break;
    case "held":
      if (begun.hold.until !== row.waits_until) {
        const { reason, until } = begun.hold;
        report({ type: "waiting", tenant, orderId, reason, until: new Date(until) });
      }
  }
  return undefined;
}

/** Sends the request of a committed attempt, and records its outcome. */
async function request(
  context: PayoutsContext,
  row: PayoutRow,
  { body, elapsedMs }: Begun,
  hasLooked: boolean,
  signal: AbortSignal,
): Promise<StepResult> {
  const { client, leaveMs } = context;
  let withdrawal: Withdrawal;
  try {
    withdrawal = await client.create(body, {
      idempotencyKey: row.idempotency_key,
      signal,
      // A process that was suspended in the meantime must not send: another one may have looked and sent.
      beforeBody() {
        if (elapsedMs() > leaveMs) throw heldUp(leaveMs);
      },
    });
  } catch (error) {
    return failed(context, row, error, hasLooked);
  }
  await settleWith(context, row, [withdrawal], true);
  return "answered";
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
  const askedMs = (SettlekitError.is(error) && error.retryAfterMs) || 0;
  const waitMs = Math.max(backoffMs(row.failures), Math.min(askedMs, longestBackoffMs));
  // One transaction, so that a crash cannot leave a payout in doubt whose request was not sent.
  const refused = await decide(context, function* (ledger) {
    // Locks the payout before its attempt, as every transaction does: another worker may be releasing it.
    yield* sql("UPDATE {payouts} SET failures = failures WHERE id = $1", [row.id]);
    yield* endAttempt(row, outcome);
    const past = yield* readPast(row.id, quietMs);
    // A later response does not undo the effect of an earlier request, or of another copy of this one.
    const isInDoubt = hasLooked ? mayTakeEffect(outcome) : past.requests > 0;
    if (outcome === "rejected" && !isInDoubt && InvalidRequestError.is(error))
      return yield* refuse(ledger, row, problem, error.param);
    const backoff = past.now + waitMs;
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
  tellFailure(context, row, error);
  return concernsAll(error) ? error : undefined;
}

/** Sent: reads the withdrawal's current status. */
async function track(context: PayoutsContext, row: PayoutRow, signal: AbortSignal) {
  const { client } = context;
  const withdrawal = await client.get(row.withdrawal_id ?? "", signal);
  const isEnd = ["completed", "failed", "cancelled"].includes(withdrawal.status);
  if (!isEnd || row.attempts < 2) return settleWith(context, row, [withdrawal]);
  // With more than one request, the list shows whether several took effect.
  const found = await findAll(context, row, signal);
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
  const options = { hasInbox: context.hasInbox, found, answers: isAnswer ? row : undefined };
  const settled = await decide(context, function* (ledger) {
    let changed: PayoutRow | undefined;
    for (const withdrawal of withdrawals) {
      changed = (yield* settle(ledger, row.order_id, withdrawal, options)) ?? changed;
      if (isAnswer) yield* endAttempt(row, "created", withdrawal.id);
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
