import {
  AbortError,
  IdempotencyConflictError,
  NotFoundError,
  type Outcome,
  OutcomeUnknownError,
  RateLimitError,
  SettlekitError,
} from "../../errors.ts";
import type { ApiResponse } from "../../http/answer.ts";
import { checkLimit } from "../../http/checks.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { RequestOptions } from "../../http/settings.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import { poll } from "../waiting.ts";
import { confirmed, type SentWithdrawal, type WithdrawalRoute } from "./payout.ts";
import {
  abortedInDoubt,
  earlierOutcomeUnknown,
  lookupTookAll,
  onlyWithdrawal,
  type PayoutFacts,
  unknownOutcome,
  unread,
} from "./payout-errors.ts";
import type { RecentPayouts } from "./recent-payouts.ts";

/** A call's options, without a key: `createOnce` derives its own from the `orderId`. */
export interface CreateOnceOptions extends Omit<RequestOptions, "idempotencyKey"> {
  /** When the order was placed: its withdrawal cannot be older. Lets the lookup stop early. */
  createdAfter?: FindOptions["createdAfter"];
}

/** The order that a withdrawal is for, and what is to be sent. */
export interface PayoutOrder {
  readonly id: string;
  readonly body: SentWithdrawal;
  /** Names the order in this process. */
  readonly key: string;
}

/** Less than this is not enough to create a withdrawal and learn of it. */
const leastCreationMs = 100;
/** An older look no longer says that there is none. */
const freshMs = 1_000;
/** How long a list is given to show what a refused request made after all, behind a proxy that repeats requests. */
const settleMs = 2_000;

/**
 * One run of `createOnce`: gives the order's withdrawal, the one that exists or a new one.
 *
 * A request to create it leaves only right after a complete look at the list, and again only when the one before
 * it cannot have taken effect. In doubt the run looks until its deadline.
 */
export class CreateOnce {
  readonly #http: Http;
  readonly #route: WithdrawalRoute;
  readonly #order: PayoutOrder;
  readonly #recent: RecentPayouts;
  readonly #options: CreateOnceOptions;
  readonly #deadlineMs: number;
  readonly #deadlineAt: number;
  readonly #idempotencyKey: string;
  /** Requests to create the withdrawal that left. */
  #sends = 0;
  /** Whether one of them may have reached the service. */
  #reached = false;
  #sentAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookFailure: unknown;

  constructor(
    http: Http,
    route: WithdrawalRoute,
    order: PayoutOrder,
    recent: RecentPayouts,
    options: CreateOnceOptions,
  ) {
    const { baseUrl, idempotencyNamespace, deadlineMs } = http.settings;
    this.#http = http;
    this.#route = route;
    this.#order = order;
    this.#recent = recent;
    this.#options = options;
    this.#deadlineMs = checkLimit("deadlineMs", options.deadlineMs ?? deadlineMs);
    this.#deadlineAt = http.time.now() + this.#deadlineMs;
    // From the order alone: with other parameters the same key collides at the service, as it should.
    this.#idempotencyKey = idempotencyKeyFrom(
      "createOnce",
      baseUrl,
      idempotencyNamespace,
      order.id,
    );
  }

  async run(): Promise<ApiResponse<Withdrawal>> {
    return (await this.#existing()) ?? this.#create();
  }

  /** The order's withdrawal before this call sends anything. */
  async #existing(): Promise<ApiResponse<Withdrawal> | undefined> {
    const { time } = this.#http;
    const known = this.#recent.recall(this.#order.key, time);
    try {
      if (known?.withdrawalId !== undefined) return await this.#read(known.withdrawalId);
      let found = await this.#look();
      const isQuiet = known !== undefined && known.quietUntil > time.now();
      if (!found && isQuiet) found = await this.#outwait(known.quietUntil);
      if (found) this.#recent.exists(this.#order.key, time, found.data.id);
      return found;
    } catch (error) {
      throw withOutcome(error, "not_sent");
    }
  }

  /** Reads what this process made: a list that lags would not show it yet. */
  async #read(withdrawalId: string): Promise<ApiResponse<Withdrawal>> {
    const path = { ...this.#route.path, withdrawalId };
    const read = () => this.#http.call(this.#route.get, { path }, this.#inTime()).withResponse();
    let missing: unknown;
    for await (const result of poll(read, { ...this.#polling, mayPass: isNotFound })) {
      if (result.value) return this.#theOne(result.value, [result.value.data]) ?? result.value;
      missing = result.error;
    }
    throw missing;
  }

  /** Looks until an earlier request of this process, whose answer is missing, can hardly take effect any more. */
  async #outwait(quietUntil: number): Promise<ApiResponse<Withdrawal> | undefined> {
    const deadlineAt = Math.min(this.#deadlineAt, quietUntil);
    for await (const result of poll(() => this.#look(), { ...this.#polling, deadlineAt })) {
      if (result.value) return result.value;
    }
    if (quietUntil < this.#deadlineAt) return this.#look();
    throw earlierOutcomeUnknown(this.#facts);
  }

  async #create(): Promise<ApiResponse<Withdrawal>> {
    const { path, create } = this.#route;
    const { body, key } = this.#order;
    if (this.#remainingMs < leastCreationMs) throw lookupTookAll(this.#facts, this.#deadlineMs);
    let found: ApiResponse<Withdrawal> | undefined;
    const beforeSend = async (outcome: Outcome) => {
      this.#reached ||= outcome !== "not_sent";
      found = await this.#lookAgain().catch((error: unknown) => {
        this.#lookFailure = error;
        throw error;
      });
      // Stops the call: the withdrawal is given below.
      if (found) throw new Error("The withdrawal exists.");
      this.#sends += 1;
      this.#sentAt = this.#http.time.now();
      this.#recent.sent(key, this.#http.time, this.#timeoutMs);
    };
    const call = { ...this.#inTime(), idempotencyKey: this.#idempotencyKey };
    const creating = this.#http.call(create, { path, body, beforeSend }, call).withResponse();
    const answer = await creating.catch((error: unknown) => {
      if (found) return found;
      if (SettlekitError.is(error)) return this.#afterFailure(error);
      throw error;
    });
    this.#recent.exists(key, this.#http.time, answer.data.id);
    return confirmed(create.name, body, answer);
  }

  /**
   * Looks once more before a request leaves when the last look is not fresh, because the request had to wait,
   * or because one reached the service since: a proxy may have repeated it, and have passed on the answer to the
   * second copy.
   */
  async #lookAgain(): Promise<ApiResponse<Withdrawal> | undefined> {
    const { time } = this.#http;
    const isFresh = time.now() - this.#lookedAt <= freshMs;
    const isLater = !this.#reached || this.#lookedAt > this.#sentAt;
    const found = isFresh && isLater ? undefined : await this.#lookSettled();
    if (!found && this.#remainingMs < leastCreationMs)
      throw lookupTookAll(this.#facts, this.#deadlineMs);
    return found;
  }

  /** The result of a failed creation: the withdrawal if it exists after all, or the error. */
  async #afterFailure(error: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    const isOwnLook = error === this.#lookFailure;
    if (this.#sends === 0) throw withOutcome(error, "not_sent");
    if (!this.#reached && (isOwnLook || error.outcome === "not_sent")) {
      this.#recent.refused(this.#order.key);
      throw withOutcome(error, "not_sent");
    }
    if (isFinalAnswer(error)) throw withOutcome(error, "unknown");
    const isConflict: boolean = IdempotencyConflictError.is(error);
    if (isOwnLook || isConflict || error.outcome === "unknown") return this.#lookInDoubt(error);
    const isLimited: boolean = RateLimitError.is(error);
    this.#reached ||= isLimited;
    if (this.#reached) {
      // This request was refused. A copy of it, or the one before, may not have been.
      const found = await this.#lookSettled().catch((failure: unknown) => {
        if (SettlekitError.is(failure) && isFinalAnswer(failure)) {
          throw withOutcome(failure, "unknown");
        }
        throw unknownOutcome(this.#facts, error, unread(failure));
      });
      if (found) return found;
    }
    this.#recent.refused(this.#order.key);
    throw error;
  }

  async #lookSettled(): Promise<ApiResponse<Withdrawal> | undefined> {
    const { time } = this.#http;
    const settledAt = this.#reached ? this.#sentAt + settleMs : Number.NEGATIVE_INFINITY;
    const waitMs = Math.min(settledAt - time.now(), this.#remainingMs / 2);
    if (waitMs > 0) await time.sleep(waitMs, this.#options.signal);
    // The request to create has its turn. A look that queued behind such requests would wait forever.
    const found = await this.#look(this.#http.unqueued());
    // A look that came too soon proves nothing.
    if (!found && time.now() < settledAt) throw lookupTookAll(this.#facts, this.#deadlineMs);
    return found;
  }

  async #lookInDoubt(doubt: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    let lastLook = "It was not in the list until the deadline.";
    try {
      for await (const result of poll(() => this.#look(), { ...this.#polling, mayPass })) {
        if (result.value) return result.value;
        lastLook = result.error
          ? unread(result.error)
          : "It was not in the list until the deadline.";
      }
    } catch (error) {
      if (!AbortError.is(error)) throw error;
      throw abortedInDoubt(this.#facts, doubt, this.#options.signal?.reason);
    }
    throw unknownOutcome(this.#facts, doubt, lastLook);
  }

  async #look(http = this.#http): Promise<ApiResponse<Withdrawal> | undefined> {
    const { list, path } = this.#route;
    const { createdAfter } = this.#options;
    const options = { ...this.#inTime(), createdAfter };
    const searched = { operation: list, path };
    const found = await findByOrderId(http, searched, this.#order.id, options);
    this.#lookedAt = http.time.now();
    return this.#theOne(found, found.data);
  }

  get #facts(): PayoutFacts {
    const { name } = this.#route;
    const { id } = this.#order;
    return { name, orderId: id, idempotencyKey: this.#idempotencyKey, sends: this.#sends };
  }

  #theOne(
    response: ApiResponse<unknown>,
    found: readonly Withdrawal[],
  ): ApiResponse<Withdrawal> | undefined {
    const data = onlyWithdrawal(this.#order.body, found, this.#facts);
    return data && { ...response, data, idempotencyKey: this.#idempotencyKey };
  }

  get #remainingMs(): number {
    return this.#deadlineAt - this.#http.time.now();
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? this.#http.settings.timeoutMs;
  }

  get #polling() {
    const { time } = this.#http;
    const { signal } = this.#options;
    return { time, signal, intervalMs: 500, maxIntervalMs: 8000, deadlineAt: this.#deadlineAt };
  }

  #inTime() {
    const { createdAfter, ...options } = this.#options;
    return { ...options, deadlineMs: Math.max(1, this.#remainingMs) };
  }
}

function isNotFound(error: SettlekitError): boolean {
  return NotFoundError.is(error);
}

/** An abort, or a look that found other withdrawals than the one asked for. A 409 has a status, and leaves a doubt. */
function isFinalAnswer(error: SettlekitError): boolean {
  if (IdempotencyConflictError.is(error)) return error.status === undefined;
  return AbortError.is(error);
}

/** In doubt, a failure to look says nothing. */
function mayPass(error: SettlekitError): boolean {
  return !isFinalAnswer(error);
}

/** The same error, with what it means for the withdrawal instead of for one request. */
function withOutcome(error: unknown, outcome: Outcome): unknown {
  if (!SettlekitError.is(error) || OutcomeUnknownError.is(error)) return error;
  return Object.assign(error, { outcome });
}
