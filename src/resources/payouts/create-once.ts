import {
  AbortError,
  IdempotencyConflictError,
  NotFoundError,
  type Outcome,
  OutcomeUnknownError,
  RateLimitError,
  SettlekitError,
  TimeoutError,
} from "../../errors.ts";
import type { ApiResponse } from "../../http/api-promise.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import { checkLimit, type RequestOptions } from "../../http/settings.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import { poll } from "../waiting.ts";
import { confirmed, differences, type SentWithdrawal, type WithdrawalRoute } from "./payout.ts";
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

/** Less than this is no time to create a withdrawal and learn of it. */
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

  /** What exists before this call sends anything. */
  async #existing(): Promise<ApiResponse<Withdrawal> | undefined> {
    const { time } = this.#http;
    const known = this.#recent.recall(this.#order.key, time);
    try {
      if (known?.withdrawalId !== undefined) return await this.#read(known.withdrawalId);
      const found = await this.#look();
      if (found || known === undefined || known.quietUntil <= time.now()) return found;
      return await this.#outwait(known.quietUntil);
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
      if (result.ok) return this.#theOne(result.value, [result.value.data]) ?? result.value;
      missing = result.error;
    }
    throw missing;
  }

  /** Looks until an earlier request of this process, whose answer is missing, can hardly take effect any more. */
  async #outwait(quietUntil: number): Promise<ApiResponse<Withdrawal> | undefined> {
    const deadlineAt = Math.min(this.#deadlineAt, quietUntil);
    for await (const result of poll(() => this.#look(), { ...this.#polling, deadlineAt })) {
      if (result.ok && result.value) return result.value;
    }
    if (quietUntil < this.#deadlineAt) return this.#look();
    throw new OutcomeUnknownError(
      `An earlier call sent a request for orderId "${this.#order.id}" whose outcome is still unknown, so this ` +
        `one sent nothing. ${this.#wayOn}`,
      { ...this.#facts, code: "outcome_unknown" },
    );
  }

  async #create(): Promise<ApiResponse<Withdrawal>> {
    const { path, create } = this.#route;
    const { body, key } = this.#order;
    let found: ApiResponse<Withdrawal> | undefined;
    const beforeSend = async (outcome: Outcome) => {
      this.#reached ||= outcome !== "not_sent";
      found = await this.#lookAgain().catch((error: unknown) => {
        this.#lookFailure = error;
        throw error;
      });
      if (found) throw new SettlekitError("It exists.", { code: "already_exists" });
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
    if (!found && this.#remainingMs < leastCreationMs) throw this.#tooLate();
    return found;
  }

  /** What a failed creation comes to: what was made after all, or the error. */
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
    if (this.#reached || isLimited) {
      // This request was refused. A copy of it, or the one before, may not have been.
      const found = await this.#lookSettled().catch((failure: unknown) => {
        if (SettlekitError.is(failure) && isFinalAnswer(failure)) {
          throw withOutcome(failure, "unknown");
        }
        throw this.#unknown(error, unread(failure));
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
    // The request to create has its turn. A look that queued behind such requests would wait for ever.
    return this.#look(this.#http.unqueued());
  }

  async #lookInDoubt(doubt: SettlekitError): Promise<ApiResponse<Withdrawal>> {
    let lastLook = "It was not in the list until the deadline.";
    try {
      for await (const result of poll(() => this.#look(), { ...this.#polling, mayPass })) {
        if (result.ok && result.value) return result.value;
        lastLook = result.ok ? "It was not in the list until the deadline." : unread(result.error);
      }
    } catch (error) {
      if (!AbortError.is(error)) throw error;
      throw new AbortError(
        `${this.#name} was aborted before it was known whether its withdrawal was created. ${this.#wayOn}`,
        {
          ...this.#facts,
          ...attemptsOf(doubt),
          code: "aborted",
          outcome: "unknown",
          cause: this.#options.signal?.reason,
        },
      );
    }
    throw this.#unknown(doubt, lastLook);
  }

  async #look(http = this.#http): Promise<ApiResponse<Withdrawal> | undefined> {
    const { list, path } = this.#route;
    const { createdAfter } = this.#options;
    const options = { ...this.#inTime(), createdAfter };
    const searched = { operation: list, path };
    const lookedAt = http.time.now();
    const found = await findByOrderId(http, searched, this.#order.id, options).withResponse();
    this.#lookedAt = lookedAt;
    return this.#theOne(found, found.data);
  }

  /**
   * @throws {IdempotencyConflictError} when the order has several withdrawals, or one that differs from
   * what is asked for.
   */
  #theOne(
    response: ApiResponse<unknown>,
    [data, ...others]: readonly Withdrawal[],
  ): ApiResponse<Withdrawal> | undefined {
    if (data === undefined) return undefined;
    const { id, body } = this.#order;
    const outcome: Outcome = this.#sends > 0 ? "unknown" : "not_sent";
    const facts = { ...this.#facts, param: "orderId", outcome } as const;
    const sent =
      this.#sends > 0
        ? "This call sent a request to create one, too, whose answer was lost."
        : "Nothing was sent.";
    if (others.length > 0) {
      const ids = [data, ...others].map((withdrawal) => withdrawal.id);
      throw new IdempotencyConflictError(
        `orderId "${id}" has ${ids.length} withdrawals: ${ids.join(", ")}. ${sent} Find out which is right, ` +
          "and use a new orderId for a new payout.",
        { ...facts, code: "several_withdrawals" },
      );
    }
    const differing = differences(body, data);
    if (differing.length > 0) {
      throw new IdempotencyConflictError(
        `orderId "${id}" already has the withdrawal ${data.id}, with another ${differing.join(", ")}. ${sent} ` +
          "A new payout takes a new orderId.",
        { ...facts, code: "idempotency_conflict" },
      );
    }
    return { ...response, data, idempotencyKey: this.#idempotencyKey };
  }

  get #name(): string {
    return `${this.#route.name}.createOnce`;
  }

  get #facts() {
    return { operation: this.#name, idempotencyKey: this.#idempotencyKey };
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

  /** The call's options, with what is left of its time. */
  #inTime() {
    const { createdAfter, ...options } = this.#options;
    return { ...options, deadlineMs: Math.max(1, this.#remainingMs) };
  }

  get #wayOn(): string {
    return (
      "Wait two minutes before you call createOnce again, as a request can arrive late and lists lag; or look " +
      `it up with ${this.#route.name}.findByOrderId, or on the dashboard.`
    );
  }

  #unknown(doubt: SettlekitError, lastLook: string): OutcomeUnknownError {
    const requests = this.#sends === 1 ? "one request was sent" : `${this.#sends} requests were sent`;
    const retryAfterMs =
      "retryAfterMs" in doubt && typeof doubt.retryAfterMs === "number"
        ? doubt.retryAfterMs
        : undefined;
    return new OutcomeUnknownError(
      `Outcome unknown: the withdrawal for orderId "${this.#order.id}" may have been created. ${requests}, ` +
        `and the last ended in ${doubt.name} ${doubt.code}. ${lastLook} ${this.#wayOn}`,
      { ...this.#facts, ...attemptsOf(doubt), retryAfterMs, code: "outcome_unknown", cause: doubt },
    );
  }

  #tooLate(): TimeoutError {
    return new TimeoutError(
      `Looking for the order's withdrawal took the whole deadlineMs (${this.#deadlineMs} ms), so nothing was ` +
        "sent. Raise deadlineMs, or pass createdAfter so that the lookup stops earlier.",
      { code: "deadline_exceeded", operation: this.#name },
    );
  }
}

function attemptsOf({ attempts, requestId }: SettlekitError) {
  return { attempts, requestId };
}

function unread(failure: unknown): string {
  const { name, code } = SettlekitError.is(failure) ? failure : { name: "an error", code: "" };
  return `The list could not be read (${name} ${code}).`;
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
