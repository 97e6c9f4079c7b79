import {
  AbortError,
  IdempotencyConflictError,
  NotFoundError,
  type Outcome,
  PermissionError,
  RateLimitError,
  SettlekitError,
} from "../../errors.ts";
import type { ApiResponse } from "../../http/answer.ts";
import type { Http } from "../../http/http.ts";
import type { ReadOptions } from "../../http/settings.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { objectAt } from "../arguments.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import { poll } from "../waiting.ts";
import {
  createOnceKey,
  creationOf,
  otherWithdrawal,
  type PayoutBody,
  type WithdrawalRoute,
} from "./payout.ts";
import {
  abortedInDoubt,
  isFinalAnswer,
  lookupTookAll,
  onlyWithdrawal,
  unknownOutcome,
  unread,
  unsent,
} from "./payout-errors.ts";
import {
  forget,
  type OrderNames,
  quietMs,
  type Recollection,
  recall,
  remember,
} from "./recent-payouts.ts";

/** A call's options, without a key: `createOnce` derives its own from the `orderId`. */
export interface CreateOnceOptions extends ReadOptions {
  /** The time when the order was placed. Its withdrawal cannot be older, so the lookup can stop there. */
  createdAfter?: FindOptions["createdAfter"];
}

/** Too little time to create a withdrawal and read the response. */
const leastCreationMs = 100;
/** How many remembered withdrawals to read: one credential function may serve many merchants with equal order ids. */
const mostReads = 5;
/** How long a lookup that found nothing stays valid. */
const freshMs = 1_000;
/** How long to wait before looking for the result of a refused request that a proxy may have repeated. */
const settleMs = 2_000;

/**
 * Returns the order's withdrawal: the existing one, or a new one.
 *
 * A request to create it is sent only right after a complete lookup, and again only when the previous one cannot have
 * taken effect. In doubt, it keeps looking until the deadline.
 *
 * @param order The order's names within this process.
 */
export async function createOnce(
  http: Http,
  route: WithdrawalRoute,
  body: PayoutBody,
  order: OrderNames,
  { createdAfter, ...options }: CreateOnceOptions & { readonly deadlineMs: number },
  deadlineAt: number,
): Promise<ApiResponse<Withdrawal>> {
  const { time, settings } = http;
  const { signal, deadlineMs } = options;
  // A sandbox can be reset to a state before a withdrawal, and then reuse its id.
  const mayGoBack = settings.environment === "sandbox";
  const polling = { time, signal, intervalMs: 500, maxIntervalMs: 8000, deadlineAt };
  const idempotencyKey = createOnceKey(settings, body.orderId);
  /** How many requests to create the withdrawal have been sent. */
  let sends = 0;
  /** Whether one of them may have reached the service. */
  let reached = false;
  /** What is known of an earlier call, until a lookup has shown its result. */
  let earlier: Recollection | undefined;
  /** The failure of a creation that may have taken effect. */
  let doubt: SettlekitError | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const remainingMs = () => deadlineAt - time.now();
  const inTime = () => ({ ...options, deadlineMs: Math.max(1, remainingMs()) });
  const facts = () => ({ name: route.name, orderId: body.orderId, idempotencyKey, sends });

  /** Looks for the order's withdrawal before this call sends anything. */
  async function existing(): Promise<ApiResponse<Withdrawal> | undefined> {
    const memory = recall(order, time);
    const made = memory.filter(({ withdrawalId }) => withdrawalId !== undefined);
    const unanswered = memory.filter(({ withdrawalId }) => withdrawalId === undefined);
    const quietUntil = quietMs + Math.max(...unanswered.map(({ at }) => at));
    for (earlier of made.slice(0, mostReads)) {
      const known = await read(earlier);
      if (known) return known;
    }
    [earlier] = unanswered;
    const found = (await look()) ?? (earlier ? await outwait(quietUntil) : undefined);
    earlier = undefined;
    if (found) remember(order, time, found.data.id);
    return found;
  }

  /**
   * Reads a withdrawal that this process made by its id, because a lagging list may not show it yet.
   * One made with another credential from the same function may belong to another merchant: failing to read it then
   * proves nothing.
   */
  async function read({
    withdrawalId = "",
    own,
  }: Recollection): Promise<ApiResponse<Withdrawal> | undefined> {
    const isOwn = own === order.own;
    const reading = () => http.call(route.get, objectAt({ withdrawalId }), inTime()).withResponse();
    const isMissing = (error: unknown) =>
      NotFoundError.is(error) || (!isOwn && PermissionError.is(error));
    const untilFound = { ...polling, mayPass: isMissing };
    let missing: unknown;
    for await (const { value, error } of poll(reading, untilFound)) {
      const isGone = mayGoBack && value?.data.orderId !== body.orderId;
      if (value && !isGone) return theOne(value, [value.data]) ?? value;
      if (!isOwn || isGone) return undefined;
      missing = error;
    }
    throw missing;
  }

  /** Keeps looking until an unanswered earlier request of this process is no longer expected to take effect. */
  async function outwait(quietUntil: number): Promise<ApiResponse<Withdrawal> | undefined> {
    const until = Math.min(deadlineAt, quietUntil);
    for await (const { value } of poll(() => look(), { ...polling, deadlineAt: until })) {
      if (value) return value;
    }
    if (quietUntil < deadlineAt) return look();
    throw lookupTookAll(facts(), deadlineMs);
  }

  async function create(): Promise<ApiResponse<Withdrawal>> {
    if (remainingMs() < leastCreationMs) throw lookupTookAll(facts(), deadlineMs);
    const beforeSend = async (outcome: Outcome) => {
      reached ||= outcome !== "not_sent";
      const isFresh = time.now() - lookedAt <= freshMs;
      // A proxy may have repeated a request that reached the service, and returned only the second response.
      const isLater = !reached || lookedAt > sentAt;
      const found = isFresh && isLater ? undefined : await lookSettled();
      if (found) return found;
      if (remainingMs() < leastCreationMs) throw lookupTookAll(facts(), deadlineMs);
      sends += 1;
      sentAt = time.now();
      remember(order, time);
      return undefined;
    };
    const input = { ...creationOf(body), beforeSend };
    const creating = http.call(route.create, input, { ...inTime(), idempotencyKey });
    const answer = await creating.withResponse().catch((error: unknown) => {
      const other = otherWithdrawal(error);
      if (other) remember(order, time, other.id);
      if (SettlekitError.is(error) && !other) return afterFailure(error);
      throw error;
    });
    remember(order, time, answer.data.id);
    return answer;
  }

  /** The result of a failed creation: the withdrawal if it exists after all, otherwise the error. */
  async function afterFailure(error: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    const isOwnLook = error.operation !== route.create.name;
    if (!reached && (isOwnLook || error.outcome === "not_sent")) {
      forget(order);
      throw unsent(error, facts());
    }
    doubt = error;
    if (isFinalAnswer(error)) throw error;
    const isConflict = IdempotencyConflictError.is(error);
    if (isOwnLook || isConflict || error.outcome === "unknown") return lookInDoubt(error);
    reached ||= RateLimitError.is(error);
    if (reached) {
      // This request was refused, but a copy of it or an earlier request may have succeeded.
      const found = await lookSettled().catch((failure: unknown) => {
        throw isFinalAnswer(failure) ? failure : unknownOutcome(facts(), error, unread(failure));
      });
      if (found) return found;
    }
    forget(order);
    throw error;
  }

  async function lookSettled(): Promise<ApiResponse<Withdrawal> | undefined> {
    const settledAt = reached ? sentAt + settleMs : Number.NEGATIVE_INFINITY;
    const waitMs = Math.min(settledAt - time.now(), remainingMs() / 2);
    if (waitMs > 0) await time.sleep(waitMs, signal);
    // The creation already holds a slot. A lookup that waited for another one could wait forever.
    const found = await look(http.unqueued());
    // Looking too soon proves nothing.
    if (!found && time.now() < settledAt) throw lookupTookAll(facts(), deadlineMs);
    return found;
  }

  async function lookInDoubt(creation: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    // A failed lookup proves nothing.
    const untilFinal = { ...polling, mayPass: (error: unknown) => !isFinalAnswer(error) };
    let failure: SettlekitError | undefined;
    for await (const { value, error } of poll(() => look(), untilFinal)) {
      if (value) return value;
      failure = error;
    }
    const unseen = "It did not appear in the list before the deadline.";
    throw unknownOutcome(facts(), creation, failure ? unread(failure) : unseen);
  }

  async function look(through = http): Promise<ApiResponse<Withdrawal> | undefined> {
    const lookOptions = { ...inTime(), createdAfter };
    const found = await findByOrderId(through, route.list, body.orderId, lookOptions);
    lookedAt = time.now();
    return theOne(found, found.data);
  }

  function theOne(
    response: ApiResponse<unknown>,
    found: readonly Withdrawal[],
  ): ApiResponse<Withdrawal> | undefined {
    const data = onlyWithdrawal(body, found, facts());
    return data && { ...response, data, idempotencyKey };
  }

  try {
    return (await existing()) ?? (await create());
  } catch (error) {
    if (doubt && AbortError.is(error)) throw abortedInDoubt(facts(), doubt, error.cause);
    throw sends > 0 ? error : unsent(error, facts(), earlier);
  }
}
