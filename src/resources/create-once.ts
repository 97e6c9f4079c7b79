import { AbortError } from "../errors/abort-error.ts";
import { IdempotencyConflictError } from "../errors/idempotency-conflict-error.ts";
import { OutcomeUnknownError } from "../errors/outcome-unknown-error.ts";
import { type Outcome, SettlekitError } from "../errors/settlekit-error.ts";
import type { ApiResponse } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import { idempotencyKeyFrom } from "../http/idempotency.ts";
import type { RequestOptions } from "../http/settings.ts";
import { checkLimit } from "../http/settings-checks.ts";
import * as operations from "../wire/operations.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import type { SentWithdrawal } from "./create-withdrawal.ts";
import { type FindOptions, findByOrderId } from "./find-by-order-id.ts";
import { poll } from "./poll.ts";
import { withdrawalDifferences } from "./withdrawal-differences.ts";

export interface CreateOnceOptions extends Omit<RequestOptions, "idempotencyKey"> {
  /** When the order was placed: its withdrawal cannot be older. Lets the lookup stop early. */
  createdAfter?: FindOptions["createdAfter"];
}

interface Order {
  readonly id: string;
  readonly body: SentWithdrawal;
}

/**
 * Gives the order's withdrawal: the one that exists, or a new one. Sends at most one request to create
 * it; when that leaves a doubt, looks for the withdrawal until the deadline.
 */
export async function createOnce(
  http: Http,
  order: Order,
  { createdAfter, ...options }: CreateOnceOptions,
): Promise<ApiResponse<Withdrawal>> {
  const { baseUrl, idempotencyNamespace, deadlineMs } = http.settings;
  // From the order alone: with other parameters the same key collides at the service, as it should.
  const idempotencyKey = idempotencyKeyFrom("createOnce", baseUrl, idempotencyNamespace, order.id);
  const deadlineAt = http.time.now() + checkLimit("deadlineMs", options.deadlineMs ?? deadlineMs);
  const remaining = () => ({
    ...options,
    deadlineMs: Math.max(1, deadlineAt - http.time.now()),
  });
  const look = async () => {
    const find = { ...remaining(), createdAfter };
    const answer = await findByOrderId(
      http,
      operations.listWithdrawals,
      order.id,
      find,
    ).withResponse();
    const data = theOne(order, answer.data, idempotencyKey);
    return data && { ...answer, data, idempotencyKey };
  };

  const existing = await look().catch((error: unknown) => {
    // Only a lookup failed: no withdrawal was asked for.
    throw withOutcome(error, "not_sent");
  });
  if (existing) return existing;

  const doubt = await create().catch((error: unknown) => error);
  if (!(doubt instanceof Error)) return doubt as ApiResponse<Withdrawal>;
  if (!leavesDoubt(doubt)) throw doubt;
  return untilFound(doubt);

  function create(): Promise<ApiResponse<Withdrawal>> {
    const call = { ...remaining(), idempotencyKey };
    return http.call(operations.createWithdrawal, { body: order.body }, call).withResponse();
  }

  async function untilFound(cause: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    const { signal } = options;
    try {
      const waits = { time: http.time, signal, intervalMs: 500, maxIntervalMs: 8000 };
      for await (const result of poll(look, waits)) {
        if (result.ok && result.value) return result.value;
        if (deadlineAt <= http.time.now()) break;
      }
    } catch (error) {
      if (IdempotencyConflictError.is(error)) throw error;
      if (AbortError.is(error)) throw withOutcome(error, "unknown");
      // A lookup that cannot go on leaves the doubt as it was.
    }
    throw new OutcomeUnknownError(
      `Nobody knows yet whether the withdrawal for orderId "${order.id}" was created: ${cause.message} It ` +
        "was not in the list until the deadline. Nothing was sent twice. Look it up with " +
        "withdrawals.findByOrderId, or on the dashboard, before you call createOnce again.",
      {
        code: "outcome_unknown",
        operation: "withdrawals.createOnce",
        idempotencyKey,
        attempts: cause.attempts,
        requestId: cause.requestId,
        cause,
      },
    );
  }
}

/** Whether a failed creation may have made the withdrawal, or met one that is being made. */
function leavesDoubt(error: Error): error is SettlekitError {
  const aborted: boolean = AbortError.is(error);
  const conflict: boolean = IdempotencyConflictError.is(error);
  return SettlekitError.is(error) && !aborted && (error.outcome === "unknown" || conflict);
}

/**
 * @throws {IdempotencyConflictError} when the order has several withdrawals, or one that differs from
 * what is asked for.
 */
function theOne(
  order: Order,
  found: readonly Withdrawal[],
  idempotencyKey: string,
): Withdrawal | undefined {
  const [withdrawal, ...others] = found;
  if (withdrawal === undefined) return undefined;
  const facts = { param: "orderId", operation: "withdrawals.createOnce", idempotencyKey } as const;
  if (others.length > 0) {
    throw new IdempotencyConflictError(
      `orderId "${order.id}" has ${found.length} withdrawals: ${found.map(({ id }) => id).join(", ")}. ` +
        "Nothing was sent. Find out which is right, and use a new orderId for a new payout.",
      { ...facts, code: "several_withdrawals" },
    );
  }
  const differences = withdrawalDifferences(order.body, withdrawal);
  if (differences.length === 0) return withdrawal;
  throw new IdempotencyConflictError(
    `orderId "${order.id}" already has the withdrawal ${withdrawal.id}, with another ` +
      `${differences.join(", ")}. Nothing was sent. A new payout takes a new orderId.`,
    { ...facts, code: "idempotency_conflict" },
  );
}

/** The same error, with what it means for the withdrawal instead of for one request. */
function withOutcome(error: unknown, outcome: Outcome): unknown {
  return SettlekitError.is(error) ? Object.assign(error, { outcome }) : error;
}
