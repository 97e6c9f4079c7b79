import {
  AbortError,
  IdempotencyConflictError,
  type Outcome,
  OutcomeUnknownError,
  SettlekitError,
  TimeoutError,
} from "../../errors.ts";
import type { ApiResponse } from "../../http/api-promise.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import { checkLimit, type RequestOptions } from "../../http/settings.ts";

import * as operations from "../../wire/operations.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import { poll } from "../waiting.ts";
import { type SentWithdrawal, withdrawalDifferences } from "./payout.ts";

/** A call's options, without a key: `createOnce` derives its own from the `orderId`. */
export interface CreateOnceOptions extends Omit<RequestOptions, "idempotencyKey"> {
  /** When the order was placed: its withdrawal cannot be older. Lets the lookup stop early. */
  createdAfter?: FindOptions["createdAfter"];
}

/** The order that a withdrawal is for, and what is to be sent. */
interface PayoutOrder {
  readonly id: string;
  readonly body: SentWithdrawal;
}

/** Less than this is no time to have a withdrawal created and hear of it. */
const leastCreationMs = 100;

const operation = "withdrawals.createOnce";

/**
 * Gives the order's withdrawal: the one that exists, or a new one. Sends at most one request to create
 * it; when that leaves a doubt, looks for the withdrawal until the deadline.
 */
export async function createOnce(
  http: Http,
  order: PayoutOrder,
  { createdAfter, ...options }: CreateOnceOptions,
): Promise<ApiResponse<Withdrawal>> {
  const { time, settings } = http;
  const { signal } = options;
  const deadlineMs = checkLimit("deadlineMs", options.deadlineMs ?? settings.deadlineMs);
  const deadlineAt = time.now() + deadlineMs;
  const inTime = () => ({ ...options, deadlineMs: Math.max(1, deadlineAt - time.now()) });
  // From the order alone: with other parameters the same key collides at the service, as it should.
  const { baseUrl, idempotencyNamespace } = settings;
  const idempotencyKey = idempotencyKeyFrom("createOnce", baseUrl, idempotencyNamespace, order.id);

  async function look(wasSent: boolean): Promise<ApiResponse<Withdrawal> | undefined> {
    const call = { ...inTime(), createdAfter };
    const list = operations.listWithdrawals;
    const answer = await findByOrderId(http, { operation: list }, order.id, call).withResponse();
    const data = theOne(order, answer.data, { idempotencyKey, wasSent });
    return data && { ...answer, data, idempotencyKey };
  }

  const existing = await look(false).catch((error: unknown) => {
    // Only a lookup failed: no withdrawal was asked for.
    throw withOutcome(error, "not_sent");
  });
  if (existing) return existing;
  if (deadlineAt - time.now() < leastCreationMs) throw lookupTookAll(deadlineMs);

  const { body } = order;
  const call = { ...inTime(), idempotencyKey };
  let doubt: SettlekitError;
  try {
    return await http.call(operations.createWithdrawal, { body }, call).withResponse();
  } catch (error) {
    if (!leavesDoubt(error)) throw error;
    doubt = error;
  }

  let lastLook = "It was not in the list until the deadline.";
  const waits = { time, signal, intervalMs: 500, maxIntervalMs: 8000, deadlineAt, mayPass };
  try {
    for await (const result of poll(() => look(true), waits)) {
      if (result.ok && result.value) return result.value;
      lastLook = result.ok
        ? "It was not in the list until the deadline."
        : `The list could not be read (${result.error.name} ${result.error.code}).`;
    }
  } catch (error) {
    if (!AbortError.is(error)) throw error;
    throw new AbortError(
      `${operation} was aborted while nobody knew whether its withdrawal was created. ${wayOn}`,
      { ...doubtFacts(), code: "aborted", outcome: "unknown", cause: signal?.reason },
    );
  }
  throw new OutcomeUnknownError(
    `Nobody knows yet whether the withdrawal for orderId "${order.id}" was created: one request was sent ` +
      `and ended in ${doubt.name} ${doubt.code}. ${lastLook} ${wayOn}`,
    { ...doubtFacts(), code: "outcome_unknown", cause: doubt },
  );

  function doubtFacts() {
    const { attempts, requestId } = doubt;
    return { operation, idempotencyKey, attempts, requestId };
  }
}

const wayOn =
  "Look it up with withdrawals.findByOrderId, or on the dashboard, before you call createOnce again.";

/** Whether a failed creation may have made the withdrawal, or met one that is being made. */
function leavesDoubt(error: unknown): error is SettlekitError {
  const aborted: boolean = AbortError.is(error);
  const conflict: boolean = IdempotencyConflictError.is(error);
  return SettlekitError.is(error) && !aborted && (error.outcome === "unknown" || conflict);
}

/** In doubt, every failure to look says nothing; only what was found, or an abort, ends the looking. */
function mayPass(error: SettlekitError): boolean {
  return !AbortError.is(error) && !IdempotencyConflictError.is(error);
}

/**
 * @throws {IdempotencyConflictError} when the order has several withdrawals, or one that differs from
 * what is asked for.
 */
function theOne(
  order: PayoutOrder,
  found: readonly Withdrawal[],
  { idempotencyKey, wasSent }: { readonly idempotencyKey: string; readonly wasSent: boolean },
): Withdrawal | undefined {
  const [withdrawal, ...others] = found;
  if (withdrawal === undefined) return undefined;
  const outcome: Outcome = wasSent ? "unknown" : "not_sent";
  const facts = { param: "orderId", operation, idempotencyKey, outcome } as const;
  const sent = wasSent
    ? "This call sent a request to create one, too, whose answer was lost."
    : "Nothing was sent.";
  if (others.length > 0) {
    throw new IdempotencyConflictError(
      `orderId "${order.id}" has ${found.length} withdrawals: ${found.map(({ id }) => id).join(", ")}. ` +
        `${sent} Find out which is right, and use a new orderId for a new payout.`,
      { ...facts, code: "several_withdrawals" },
    );
  }
  const differences = withdrawalDifferences(order.body, withdrawal);
  if (differences.length === 0) return withdrawal;
  throw new IdempotencyConflictError(
    `orderId "${order.id}" already has the withdrawal ${withdrawal.id}, with another ` +
      `${differences.join(", ")}. ${sent} A new payout takes a new orderId.`,
    { ...facts, code: "idempotency_conflict" },
  );
}

function lookupTookAll(deadlineMs: number): TimeoutError {
  return new TimeoutError(
    `Looking for the order's withdrawal took the whole deadlineMs (${deadlineMs} ms), so nothing was sent. ` +
      "Raise deadlineMs, or give createdAfter so that the lookup stops earlier.",
    { code: "deadline_exceeded", operation },
  );
}

/** The same error, with what it means for the withdrawal instead of for one request. */
function withOutcome(error: unknown, outcome: Outcome): unknown {
  return SettlekitError.is(error) ? Object.assign(error, { outcome }) : error;
}
