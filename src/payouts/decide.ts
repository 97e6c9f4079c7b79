import { InvalidRequestError } from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";
import { show } from "../values.ts";
import { disproveAttempts, readPast } from "./attempts.ts";
import { decide, type PayoutsContext } from "./context.ts";
import type { Ledger } from "./journal.ts";
import { isOfOtherMerchant, requireSameMerchant, requireSameService } from "./merchant.ts";
import { bodyOf, differsFrom, type PayoutRow, unsentState } from "./payout.ts";
import { lockedRow, requireRow, requireState } from "./plan.ts";
import { settle } from "./settle.ts";

/** A person found the payout's withdrawal. */
export interface SentResolution {
  /** The person who decides. */
  readonly by: string;
  /** The service's id of the withdrawal. */
  readonly withdrawalId: string;
  /** Accepts a withdrawal of the same order whose other parameters differ from the plan. */
  readonly acceptDifferences?: boolean | undefined;
  readonly neverSent?: undefined;
}

/** A person found that no withdrawal exists or will be created. */
export interface NeverSentResolution {
  /** The person who decides. */
  readonly by: string;
  readonly neverSent: true;
  /**
   * `false` cancels the payout instead.
   *
   * @defaultValue true
   */
  readonly sendAgain?: boolean | undefined;
  readonly withdrawalId?: undefined;
}

/** A person's finding about a payout in doubt. */
export type Resolution = SentResolution | NeverSentResolution;

export const resolutionNames = [
  "by",
  "withdrawalId",
  "acceptDifferences",
  "neverSent",
  "sendAgain",
] as const;

const open = ["sending", "needs_decision"] as const;

/**
 * Applies a person's decision about a payout in doubt, unless the service contradicts it.
 *
 * @throws {InvalidRequestError} code `contradicted` when the service contradicts the decision.
 */
export async function resolvePayout(
  context: PayoutsContext,
  orderId: string,
  resolution: Resolution,
): Promise<PayoutRow> {
  const row = await context.store.transaction(() => requireRow(context.tenant, orderId));
  requireState(row, "resolved", open);
  requireSameService(context, row);
  const { withdrawalId, neverSent } = resolution;
  if (withdrawalId !== undefined && neverSent === undefined)
    return resolveSent(context, row, resolution);
  if (neverSent === true && withdrawalId === undefined)
    return resolveNeverSent(context, row, resolution);
  throw new InvalidRequestError(
    "Say what happened to the payout: pass either withdrawalId, or neverSent: true.",
    { code: "invalid_request", param: "withdrawalId" },
  );
}

async function resolveSent(
  context: PayoutsContext,
  row: PayoutRow,
  { by, withdrawalId, acceptDifferences = false }: SentResolution,
): Promise<PayoutRow> {
  const { store, client, quietMs } = context;
  const withdrawal = await client.get(withdrawalId);
  const past = await store.transaction(() => readPast(row.id, quietMs));
  const differing = differsFrom(row, withdrawal);
  const isOthers = await store.transaction(() => isOfOtherMerchant(context.tenant, withdrawal));
  if (isOthers) differing.push("merchantId");
  requireFits(row, withdrawal.id, differing, acceptDifferences, past.withdrawalId === withdrawalId);
  return decide(context, function* (ledger) {
    const current = yield* lockedRow(ledger, row.order_id, "resolved", open);
    ledger.note(row.order_id, "resolved", { by, withdrawalId, acceptDifferences });
    // The decision is about this withdrawal, even if another one was known before.
    yield* sql("UPDATE {payouts} SET withdrawal_id = $2 WHERE id = $1", [current.id, withdrawalId]);
    yield* settle(ledger, row.order_id, withdrawal, { by });
    return yield* requireRow(context.tenant, row.order_id);
  });
}

/** @param isAnswer Whether the service returned this withdrawal for one of the payout's requests. */
function requireFits(
  row: PayoutRow,
  id: string,
  differing: readonly string[],
  acceptDifferences: boolean,
  isAnswer: boolean,
): void {
  if (differing.includes("orderId") && !isAnswer) {
    throw contradicted(
      "withdrawalId",
      `According to the service, the withdrawal ${id} does not belong to the order ${show(row.order_id)}.`,
    );
  }
  if (differing.length === 0 || acceptDifferences) return;
  throw contradicted(
    "withdrawalId",
    `The withdrawal ${id} has a different ${differing.join(", ")} than planned. If ` +
      "it is this payout anyway, accept the differences.",
  );
}

async function resolveNeverSent(
  context: PayoutsContext,
  row: PayoutRow,
  { by, sendAgain = true }: NeverSentResolution,
): Promise<PayoutRow> {
  const { client, store, quietMs } = context;
  // A person may decide without the key of the requests, which may have been revoked since.
  await requireSameMerchant(context, row, { isDecided: true });
  const before = await store.transaction(() => readPast(row.id, quietMs));
  if (before.now < before.provenAt) {
    const at = new Date(before.provenAt).toISOString();
    throw contradicted(
      "neverSent",
      `A request for ${show(row.order_id)} may still take effect, or be listed late. Try again after ${at}.`,
    );
  }
  const listed = await client.find(row.order_id, { deadlineMs: 900_000 });
  // The list may not show a withdrawal that the service has returned or reported: it may have another orderId.
  const withdrawalId = before.withdrawalId ?? row.withdrawal_id ?? undefined;
  const isListed = withdrawalId === undefined || listed.some(({ id }) => id === withdrawalId);
  const found = isListed ? listed : [...listed, await client.get(withdrawalId)];
  // A differing withdrawal may be another system's, so the payout can be cancelled, but not sent in addition.
  const isForeign = !sendAgain && found.every((it) => differsFrom(row, it).length > 0);
  if (found.length > 0 && !isForeign) {
    throw contradicted(
      "neverSent",
      `The service has created ${found.map(({ id }) => id).join(" and ")} for ${show(row.order_id)}. Resolve it with the ` +
        "right withdrawal.",
    );
  }
  return decide(context, function* (ledger): Work<PayoutRow> {
    const current = yield* lockedRow(ledger, row.order_id, "resolved", open);
    const after = yield* readPast(row.id, quietMs);
    if (after.requests !== before.requests || current.fence !== row.fence) {
      throw contradicted("neverSent", "A worker processed the payout in the meantime. Try again.");
    }
    yield* disproveAttempts(row.id);
    yield* sql(
      `UPDATE {payouts} SET state = $2, problem = $3, doubt_since = NULL, reserved_at = NULL, fence = fence + 1,
  lease_until = 0, failures = 0, due_at = {now}, final_at = CASE WHEN $4 = 1 THEN {now} END WHERE id = $1`,
      [
        row.id,
        sendAgain ? unsentState(current) : "cancelled",
        `${by} decided that it was never sent.`,
        sendAgain ? 0 : 1,
      ],
    );
    const withdrawals = found.map(({ id }) => id);
    const facts = { by, neverSent: true, sendAgain, body: bodyOf(row) };
    ledger.note(row.order_id, "resolved", {
      ...facts,
      ...(withdrawals.length > 0 && { withdrawals }),
    });
    return yield* requireRow(context.tenant, row.order_id);
  });
}

function contradicted(param: string, fact: string): InvalidRequestError {
  return new InvalidRequestError(`${fact} Nothing was changed.`, { code: "contradicted", param });
}

/** Closes the breaker, on behalf of a person who has found the cause. */
export function* reopen(ledger: Ledger, by: string, reason: string): Work<boolean> {
  const { stopped_at } = yield* ledger.lock();
  if (stopped_at === null) return false;
  yield* sql("UPDATE {payout_heads} SET stopped_at = NULL, accepted_seq = seq WHERE tenant = $1", [
    ledger.tenant,
  ]);
  ledger.note(null, "reopened", { by, reason });
  return true;
}
