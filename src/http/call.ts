import { type Outcome, UnexpectedResponseError } from "../errors.ts";

import type { Operation } from "../wire/operations.ts";
import { type ReadAnswer, readAnswer } from "./answer.ts";
import type { ApiResponse } from "./api-promise.ts";
import { type CallFacts, errorFor, pausedError } from "./call-errors.ts";
import type { ClientEvent } from "./events.ts";
import type { Concurrency, Pace, RetryBudget } from "./pace.ts";
import { decide, type Failure } from "./policy.ts";
import {
  askForCredential,
  type CallInput,
  type PreparedRequest,
  prepareRequest,
  setCredential,
} from "./request.ts";
import { attempt } from "./send.ts";
import {
  checkLimit,
  checkOptionNames,
  checkRetries,
  checkSignal,
  type HttpSettings,
  type RequestOptions,
} from "./settings.ts";
import { type ServiceClock, type Time, within } from "./time.ts";

/** What all calls of one client have in common. */
export interface Shared {
  readonly settings: HttpSettings;
  /** What every request of the client carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly time: Time;
  readonly pace: Pace;
  readonly concurrency: Concurrency;
  readonly budget: RetryBudget;
  readonly serviceClock: ServiceClock;
  /** Calls made so far. */
  readonly calls: { count: number };
}

/** One call: attempts with identical bytes until success, a final failure, or the deadline. */
export class Call<T> {
  readonly #shared: Shared;
  readonly #operation: Operation<T>;
  readonly #request: PreparedRequest;
  readonly #beforeSend: CallInput["beforeSend"];
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  readonly #deadlineAt: number;
  readonly #maxRetries: number;
  readonly #callId: number;
  readonly #emit: (event: ClientEvent) => void;

  #credential = "";
  #renewed = false;
  #attempts = 0;
  #retries = 0;
  #outcome: Outcome = "not_sent";
  #lastFailure: Failure | undefined;

  /** @throws {InvalidRequestError | ConfigurationError} when an argument can never be right. */
  constructor(
    shared: Shared,
    operation: Operation<T>,
    input: CallInput,
    options: RequestOptions,
    callId: number,
    emit: (event: ClientEvent) => void,
  ) {
    const { settings, time } = shared;
    checkOptionNames(options);
    this.#shared = shared;
    this.#operation = operation;
    this.#beforeSend = input.beforeSend;
    this.#signal = checkSignal(options.signal);
    this.#timeoutMs = checkLimit("timeoutMs", options.timeoutMs ?? settings.timeoutMs);
    this.#deadlineMs = checkLimit("deadlineMs", options.deadlineMs ?? settings.deadlineMs);
    this.#maxRetries = checkRetries(options.maxRetries ?? settings.maxRetries);
    this.#deadlineAt = time.now() + this.#deadlineMs;
    this.#request = prepareRequest(operation, input, options, shared);
    this.#callId = callId;
    this.#emit = emit;
  }

  async run(): Promise<ApiResponse<T>> {
    await this.#authenticate();
    for (;;) {
      const result = await this.#inTurn();
      if ("answer" in result) return this.#conclude(result);
      await this.#settle(result);
    }
  }

  get #remainingMs(): number {
    return this.#deadlineAt - this.#shared.time.now();
  }

  async #authenticate(): Promise<void> {
    if (this.#signal?.aborted) this.#stop(this.#aborted());
    const { settings, time } = this.#shared;
    const { credential: source } = settings;
    const credential = await askForCredential(source, time, {
      limitMs: this.#remainingMs,
      signal: this.#signal,
      facts: () => ({ ...this.#facts, outcome: this.#outcome }),
    });
    if (credential === undefined) {
      return this.#tooLate(
        `waiting for what the ${source.param} function gives. Find out what that function waits for.`,
      );
    }
    this.#credential = credential;
    setCredential(this.#request.headers, this.#operation, credential, settings);
  }

  /** Makes an attempt when the client's concurrency and pace allow it, unless that is too late. */
  async #inTurn(): Promise<ReadAnswer<T> | Failure> {
    const { concurrency, time } = this.#shared;
    const { turn, leave } = concurrency.enter();
    try {
      const waited = turn && (await within(turn, this.#remainingMs, time, this.#signal));
      if (turn && !waited) {
        return this.#tooLate(
          "waiting for its turn: maxConcurrency requests were under way all the time. Raise " +
            "maxConcurrency, or deadlineMs.",
        );
      }
      await this.#inPace();
      await this.#beforeSend?.(this.#outcome);
      if (this.#remainingMs <= 0 || this.#signal?.aborted) this.#tooLate();
      return await this.#attempt();
    } finally {
      leave();
    }
  }

  async #inPace(): Promise<void> {
    const { pace, time } = this.#shared;
    for (;;) {
      if (this.#signal?.aborted) this.#stop(this.#aborted());
      const waitMs = pace.waitMs;
      if (waitMs >= this.#remainingMs) {
        if (waitMs === 0 || this.#lastFailure) this.#tooLate();
        throw pausedError(waitMs, this.#facts);
      }
      const slotMs = pace.reserve();
      if (slotMs === 0) return;
      await time.sleep(slotMs, this.#signal);
      if (!pace.isPaused && !this.#signal?.aborted && this.#remainingMs > 0) return;
    }
  }

  async #attempt(): Promise<ReadAnswer<T> | Failure> {
    const { settings, time, pace } = this.#shared;
    const attemptNumber = ++this.#attempts;
    const sentAt = time.now();
    const remainingMs = this.#remainingMs;
    const received = await attempt({
      method: this.#operation.method,
      url: this.#request.url,
      headers: this.#headers(attemptNumber),
      body: this.#request.body,
      fetch: settings.fetch,
      fetchOptions: settings.fetchOptions,
      limit:
        this.#timeoutMs <= remainingMs
          ? { name: "timeoutMs", ms: this.#timeoutMs }
          : { name: "deadlineMs", ms: remainingMs },
      signal: this.#signal,
      requestIdHeader: settings.wire.requestIdHeader,
      wallClock: time.wallClock,
      redact: (text) => text.replaceAll(this.#credential, "[redacted]"),
    });
    if (received.kind === "status" && received.status === 429) {
      pace.limited(sentAt, received.retryAfterMs);
    } else if ("status" in received) pace.accepted();
    const result = received.kind === "answer" ? readAnswer(this.#operation, received) : received;
    this.#emit({
      type: "attempt",
      callId: this.#callId,
      operation: this.#operation.name,
      attempt: attemptNumber,
      durationMs: time.now() - sentAt,
      ...("status" in received && { status: received.status }),
      ...("requestId" in received &&
        received.requestId !== undefined && { requestId: received.requestId }),
      ...(!("answer" in result) && { failure: result.kind }),
    });
    return result;
  }

  #headers(attemptNumber: number): Record<string, string> {
    // Tells the service what is a repetition. Left out where a browser calls, and would need leave.
    if (this.#operation.credential !== "secretKey") return this.#request.headers;
    return { ...this.#request.headers, "x-settlekit-retry-count": String(attemptNumber - 1) };
  }

  #conclude(result: ReadAnswer<T>): ApiResponse<T> {
    const { status, headers, requestId } = result.answer;
    this.#shared.budget.succeeded();
    this.#shared.serviceClock.observe(headers);
    const { name: operation } = this.#operation;
    if (result.kind === "incomplete") {
      const { missing, body } = result;
      throw new UnexpectedResponseError(
        `The service answered ${operation} with ${status}, but without ${missing.join(", ")}. What was ` +
          "asked for was done; error.body holds the whole answer. Keep it, and tell the service.",
        { ...this.#facts, code: "incomplete_response", status, requestId, body },
      );
    }
    const { value: data, drift: paths } = result;
    if (paths.length > 0) this.#emit({ type: "drift", callId: this.#callId, operation, paths });
    const { idempotencyKey } = this.#request;
    return { data, status, headers, requestId, idempotencyKey, attempts: this.#attempts };
  }

  /** Waits before the next attempt, or ends the call with its error. */
  async #settle(failure: Failure): Promise<void> {
    const { time, budget } = this.#shared;
    if (this.#mayRenewAfter(failure)) {
      this.#renewed = true;
      this.#lastFailure = failure;
      if (this.#outcome === "not_sent") this.#outcome = "rejected";
      this.#announceRetry(failure, 0);
      return this.#authenticate();
    }
    const decision = decide({
      replay: this.#operation.replay,
      failure,
      attempt: this.#attempts,
      unknownBefore: this.#outcome === "unknown",
      retries: this.#retries,
      maxRetries: this.#maxRetries,
      remainingMs: this.#remainingMs,
      budgetLeft: budget.hasRetry,
      random: time.random(),
    });
    this.#outcome = decision.outcome;
    this.#lastFailure = failure;
    if (decision.action === "stop") {
      const { outcome, outOfBudget } = decision;
      throw errorFor(failure, outcome, { ...this.#facts, outOfBudget });
    }
    const { waitMs, counted } = decision;
    this.#announceRetry(failure, waitMs);
    if (counted) {
      this.#retries += 1;
      budget.spend();
    }
    await time.sleep(waitMs, this.#signal);
  }

  /** A token that expired is asked for again, once. */
  #mayRenewAfter(failure: Failure): boolean {
    const { renewable } = this.#shared.settings.credential;
    const mayRepeat = renewable && !this.#renewed && this.#maxRetries > 0;
    return mayRepeat && failure.kind === "status" && failure.status === 401;
  }

  #announceRetry(failure: Failure, waitMs: number): void {
    this.#emit({
      type: "retry",
      callId: this.#callId,
      operation: this.#operation.name,
      attempt: this.#attempts + 1,
      reason: failure.kind === "status" ? String(failure.status) : failure.kind,
      waitMs,
    });
  }

  /** Ends a call that waited for something until its abort or its deadline. */
  #tooLate(spentOn?: string): never {
    if (this.#signal?.aborted) this.#stop(this.#aborted());
    return this.#stop(this.#lastFailure ?? this.#deadlineExceeded(spentOn));
  }

  /** Ends the call without another attempt. */
  #stop(failure: Failure): never {
    // Aborting ends the call between attempts too, when an earlier one may have taken effect.
    if (failure.kind === "aborted" && this.#attempts > 0) this.#outcome = "unknown";
    throw errorFor(failure, this.#outcome, this.#facts);
  }

  get #facts(): CallFacts {
    return {
      operation: this.#operation.name,
      replay: this.#operation.replay,
      origin: new URL(this.#shared.settings.baseUrl).origin,
      idempotencyKey: this.#request.idempotencyKey,
      attempts: this.#attempts,
    };
  }

  #aborted(): Failure {
    return { kind: "aborted", reason: this.#signal?.reason };
  }

  #deadlineExceeded(spentOn?: string): Failure {
    return {
      kind: "timeout",
      limit: "deadlineMs",
      ms: this.#deadlineMs,
      ...(spentOn !== undefined && { spentOn }),
    };
  }
}
