import { hash } from "node:crypto";
import { IdempotencyConflictError } from "../errors.ts";
import { differences, type PayoutBody } from "../resources/payouts/payout.ts";
import { canonicalJson, invalidArgument, nearest, parsedJson, show } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import { payoutStates } from "./tables.ts";

/**
 * - `planned`: nothing was sent. It is waiting for its turn, its budget or an approval.
 * - `approved`: the same, with an approval.
 * - `sending`: a request may have been sent.
 * - `sent`: the withdrawal exists and is on its way.
 * - `completed`, `failed`, `cancelled`: how it ended. A new payout needs a new `orderId`.
 * - `refused`: the service or an approver refused it. There is no withdrawal.
 * - `needs_decision`: a person has to find out whether there is a withdrawal; see `resolve`.
 */
export type PayoutState = (typeof payoutStates)[number];

/** A payout in the ledger. */
export interface Payout {
  readonly orderId: string;
  readonly state: PayoutState;
  /** USD cents. */
  readonly amountInCents: number;
  /** EVM chain id. */
  readonly chainId: number;
  readonly recipientAddress: string;
  readonly customMetadata: string | undefined;
  /** The withdrawal's id at the service, once known. */
  readonly withdrawalId: string | undefined;
  /** The hash of the transfer, once completed. */
  readonly transactionHash: string | undefined;
  /** Number of requests begun. */
  readonly attempts: number;
  /** Why it is waiting, failed or needs a person. */
  readonly problem: string | undefined;
  readonly plannedBy: string | undefined;
  readonly approvedBy: string | undefined;
  readonly plannedAt: Date;
  /** When its withdrawal was first known to exist. */
  readonly sentAt: Date | undefined;
  /** When it ended. */
  readonly finalAt: Date | undefined;
  /** Until when limits hold it back. */
  readonly waitsUntil: Date | undefined;
}

/** A payout's row. */
export interface PayoutRow {
  readonly id: number;
  readonly tenant: string;
  readonly order_id: string;
  readonly body: string;
  readonly amount: number;
  readonly recipient: string;
  readonly idempotency_key: string;
  readonly state: PayoutState;
  readonly chained: number;
  readonly planned_by: string | null;
  readonly planned_hash: string | null;
  readonly approved_by: string | null;
  readonly withdrawal_id: string | null;
  readonly tx_hash: string | null;
  readonly problem: string | null;
  readonly planned_at: number;
  readonly sent_at: number | null;
  readonly final_at: number | null;
  readonly doubt_since: number | null;
  readonly reserved_at: number | null;
  readonly waits_until: number | null;
  readonly fence: number;
  readonly failures: number;
  readonly attempts: number;
}

/** The columns of a `PayoutRow`. */
export const payoutColumns = `id, tenant, order_id, body, amount, recipient, idempotency_key, state, chained, planned_by,
  planned_hash, approved_by, withdrawal_id, tx_hash, problem, planned_at, sent_at, final_at, doubt_since, reserved_at, waits_until,
  fence, failures,
  (SELECT count(*) FROM {payout_attempts} WHERE payout_id = {payouts}.id) AS attempts`;

/** The condition for the tenant `$1`'s payouts, in a state or in any, and its values from `$4` on. */
export function payoutsIn(state: PayoutState | undefined): [condition: string, values: string[]] {
  // For `tenant = $1`, SQLite would sort all of them by id for each page.
  if (state === undefined) return ["tenant {without index} = $1", []];
  return ["tenant = $1 AND state = $4", [state]];
}

/** The part of a row that `plan` writes and nothing changes afterwards. */
export type PlannedRow = Pick<
  PayoutRow,
  "tenant" | "order_id" | "body" | "amount" | "recipient" | "idempotency_key" | "planned_by"
>;

/** Whether no request was sent for a payout in this state, or it is known to have had no effect. */
export function isUnsent(state: PayoutState): boolean {
  return state === "planned" || state === "approved";
}

/** The state of a payout once it is known that no request for it took effect. */
export function unsentState({ approved_by }: PayoutRow): "planned" | "approved" {
  return approved_by === null ? "planned" : "approved";
}

/** SHA-256 of what was planned, in hexadecimal. */
export function plannedHashOf(row: PlannedRow): string {
  const { tenant, order_id, body, amount, recipient, idempotency_key, planned_by } = row;
  const content = { tenant, order_id, body, amount, recipient, idempotency_key, planned_by };
  return hash("sha256", canonicalJson(content), "hex");
}

/** Whether the row still holds what was planned. The body need not be JSON any more. */
export function isAsPlanned(row: PlannedRow & Pick<PayoutRow, "planned_hash">): boolean {
  return row.planned_hash === null || row.planned_hash === plannedHashOf(row);
}

export function bodyOf(row: Pick<PayoutRow, "body">): PayoutBody {
  return JSON.parse(row.body) as PayoutBody;
}

export function payoutFrom(row: PayoutRow): Payout {
  // Outside the ledger, a body may have been changed to something that is not JSON: the payout is still listed.
  const body: Partial<PayoutBody> = Object(parsedJson(row.body));
  const { amountInCents = row.amount, recipientAddress = row.recipient, customMetadata } = body;
  return {
    orderId: row.order_id,
    state: row.state,
    amountInCents,
    chainId: Number(String(body.chainId).replace(/^eip155:/, "")),
    recipientAddress,
    customMetadata,
    withdrawalId: row.withdrawal_id ?? undefined,
    transactionHash: row.tx_hash ?? undefined,
    attempts: row.attempts,
    problem: row.problem ?? undefined,
    plannedBy: row.planned_by ?? undefined,
    approvedBy: row.approved_by ?? undefined,
    plannedAt: new Date(row.planned_at),
    sentAt: dateOf(row.sent_at),
    finalAt: dateOf(row.final_at),
    waitsUntil: dateOf(row.waits_until),
  };
}

function dateOf(ms: number | null): Date | undefined {
  return ms === null ? undefined : new Date(ms);
}

/**
 * The fields in which a withdrawal differs from the planned one. Metadata that the service leaves out is not one: no
 * money depends on it.
 */
export function differsFrom(row: Pick<PayoutRow, "body">, found: Withdrawal): string[] {
  return differences(bodyOf(row), found, true);
}

/** @throws {IdempotencyConflictError} when the existing row was planned with other parameters. */
export function requireSame(row: PayoutRow, body: PayoutBody): void {
  if (row.body === canonicalJson(body)) return;
  const differing = differences(body, bodyOf(row) as unknown as Withdrawal);
  if (differing.length === 0) return;
  throw new IdempotencyConflictError(
    `orderId ${show(row.order_id)} is already planned, with a different ${differing.join(", ")}. Nothing was changed. Use ` +
      "a new orderId for a new payout.",
    { code: "idempotency_conflict", param: "orderId" },
  );
}

/** Text from the service, which may send anything instead, fit for a column: PostgreSQL cannot store NUL. */
export function storable(text: unknown): string | null {
  return typeof text === "string" ? text.replaceAll("\0", "").slice(0, 2_000) : null;
}

/** @throws {InvalidRequestError} when it cannot be the name of a person or program. */
export function checkName(value: unknown): string {
  return checkLine("by", "name the person who decides, in", value);
}

/** @throws {InvalidRequestError} when it is not a reason on one line. */
export function checkReason(value: unknown): string {
  return checkLine("reason", "say why, in one line of", value);
}

function checkLine(param: string, rule: string, value: unknown): string {
  const isText =
    typeof value === "string" && value.trim() !== "" && value.length <= 255 && value.isWellFormed();
  if (isText && !/\p{Cc}/u.test(value)) return value;
  throw invalidArgument(
    param,
    `${param} must ${rule} 1 to 255 characters without line breaks, got ${show(value)}.`,
  );
}

/** @throws {InvalidRequestError} when it cannot be a payout's `orderId`. */
export function checkOrderId(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidArgument("orderId", `orderId must be a non-empty string, got ${show(value)}.`);
}

/** @throws {InvalidRequestError} when it is not a whole number of at least `min`. */
export function checkCount(param: string, value: unknown, min: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= min) return;
  throw invalidArgument(
    param,
    `${param} must be a whole number, ${min} or more, got ${show(value)}.`,
  );
}

/** @throws {InvalidRequestError} for an unknown state. */
export function checkState(value: unknown): PayoutState {
  const state = payoutStates.find((known) => known === value);
  if (state !== undefined) return state;
  const near = nearest(value, payoutStates);
  const cure = near ? `Did you mean ${near}?` : `The states are: ${payoutStates.join(", ")}.`;
  throw invalidArgument("state", `There is no state ${show(value)}. ${cure}`);
}
