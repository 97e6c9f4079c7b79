import pLimit from "p-limit";
import { type Outcome, UnexpectedResponseError } from "../errors.ts";
import { type ApiResponse, readReply, type Success } from "./answer.ts";
import { type CallFacts, errorFor, pausedError } from "./call-errors.ts";
import { checkCallOptions } from "./checks.ts";
import { type EventFacts, headersFrom, type Observer, type RetryEvent } from "./events.ts";
import { enter, Paces, RetryBudget } from "./pace.ts";
import { decide, type Failure, hasStatus } from "./policy.ts";
import {
  askForCredential,
  type Callable,
  type CallInput,
  type PreparedRequest,
  prepareRequest,
  redactor,
  setCredential,
} from "./request.ts";
import { Sender } from "./send.ts";
import type { HttpSettings, RequestOptions } from "./settings.ts";
import { ServiceClock, type Time, within } from "./time.ts";

/** Shared by the calls of one client. */
export type Shared = ReturnType<typeof sharedBy>;

export function sharedBy(settings: HttpSettings, time: Time) {
  return {
    settings,
    time,
    sender: new Sender(settings),
    paces: new Paces(time),
    limit: pLimit(settings.maxConcurrency),
    budget: new RetryBudget(time),
    serviceClock: new ServiceClock(time),
    /** Calls made so far. */
    calls: { count: 0 },
    observers: new Set<Observer>(),
  };
}

export type Emit = (event: EventFacts) => void;

/** One call: attempts with identical bytes until success, a final failure, or the deadline. */
export class Call<T> {
  readonly #shared: Shared;
  readonly #operation: Callable<T>;
  readonly #request: PreparedRequest;
  readonly #beforeSend: CallInput["beforeSend"];
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #deadlineMs: number;
  readonly #deadlineAt: number;
  readonly #maxRetries: number;
  readonly #callId: number;
  readonly #emit: Emit;

  #credential = "";
  #redact = redactor("");
  #renewed = false;
  #attempts = 0;
  #retries = 0;
  #outcome: Outcome = "not_sent";
  #lastFailure: Failure | undefined;

  /** @throws {InvalidRequestError | ConfigurationError} when an argument can never be right. */
  constructor(
    shared: Shared,
    operation: Callable<T>,
    input: CallInput,
    options: RequestOptions,
    callId: number,
    emit: Emit,
  ) {
    checkCallOptions(options);
    const { settings, time } = shared;
    this.#shared = shared;
    this.#operation = operation;
    this.#beforeSend = input.beforeSend;
    this.#signal = options.signal;
    this.#timeoutMs = options.timeoutMs ?? settings.timeoutMs;
    this.#deadlineMs = options.deadlineMs ?? settings.deadlineMs;
    this.#maxRetries = options.maxRetries ?? settings.maxRetries;
    this.#deadlineAt = time.now() + this.#deadlineMs;
    this.#request = prepareRequest(operation, input, options, settings);
    this.#callId = callId;
    this.#emit = emit;
  }

  async run(): Promise<ApiResponse<T>> {
    await this.#authenticate();
    for (;;) {
      const result = await this.#inTurn();
      if (result.kind === "success") return this.#conclude(result);
      await this.#settle(result);
    }
  }

  get #remainingMs(): number {
    return this.#deadlineAt - this.#shared.time.now();
  }

  async #authenticate(): Promise<void> {
    this.#throwIfAborted();
    const { settings, time } = this.#shared;
    const { name, credential: kind } = this.#operation;
    if (kind === "none") return;
    const source = settings.credential;
    const limitMs = this.#remainingMs;
    const facts = { operation: name, attempts: this.#attempts, outcome: this.#outcome };
    const credential = await askForCredential(source, time, limitMs, this.#signal, facts);
    if (credential === undefined) {
      return this.#tooLate(
        `waiting for what the ${source.param} function gives. Find out what that function waits for.`,
      );
    }
    const [earlier, redact] = [this.#redact, redactor(credential)];
    this.#credential = credential;
    this.#redact = (text) => redact(earlier(text));
    setCredential(this.#request.headers, kind, credential, settings);
  }

  /** Makes an attempt when the client's concurrency and pace allow it, unless that is too late. */
  async #inTurn(): Promise<Success<T> | Failure> {
    const { limit, time } = this.#shared;
    const { turn, leave } = enter(limit);
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
    const { time, paces } = this.#shared;
    const pace = paces.of(this.#credential);
    for (;;) {
      this.#throwIfAborted();
      const waitMs = pace.waitMs;
      if (waitMs >= this.#remainingMs) {
        if (waitMs === 0 || this.#lastFailure) this.#tooLate();
        throw pausedError(waitMs, this.#facts);
      }
      const slotMs = pace.reserve();
      if (slotMs === 0) return;
      this.#emit({ type: "pause", waitMs: slotMs });
      await time.sleep(slotMs, this.#signal);
      if (!pace.isPaused && !this.#signal?.aborted && this.#remainingMs > 0) return;
    }
  }

  async #attempt(): Promise<Success<T> | Failure> {
    const { settings, sender, time, observers, paces } = this.#shared;
    const pace = paces.of(this.#credential);
    const sentAt = time.now();
    const remainingMs = this.#remainingMs;
    const redact = this.#redact;
    const { credential } = this.#operation;
    const { result, wasSent } = await sender.send({
      ...this.#request,
      headers: {
        ...(observers.size > 0 && headersFrom(observers, this.#callId, this.#request)),
        ...this.#request.headers,
        // Marks repetitions for the service. Left out for calls from browsers, where CORS would have to allow it.
        ...(credential === "secretKey" && { "x-settlekit-retry-count": String(this.#attempts) }),
      },
      limit:
        this.#timeoutMs <= remainingMs
          ? { name: "timeoutMs", ms: this.#timeoutMs }
          : { name: "deadlineMs", ms: remainingMs },
      signal: this.#signal,
      redact,
    });
    if (!wasSent && result.kind !== "reply") return result;
    this.#attempts += 1;
    const answer =
      result.kind === "reply" ? readReply(this.#operation, result, settings, time, redact) : result;
    if (answer.kind === "status" && answer.status === 429) {
      pace.limited(sentAt, answer.retryAfterMs);
    } else if ("status" in answer) pace.accepted();
    const { status, requestId } = { status: undefined, requestId: undefined, ...answer };
    this.#emit({
      type: "attempt",
      attempt: this.#attempts,
      durationMs: time.now() - sentAt,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      ...(answer.kind !== "success" && { failure: answer.kind }),
    });
    return answer;
  }

  #conclude(result: Success<T>): ApiResponse<T> {
    const { data, status, headers, rawBody, requestId, drift: paths, missing } = result;
    this.#shared.budget.succeeded();
    this.#shared.serviceClock.observe(headers);
    if (missing.length > 0) {
      const body: unknown = JSON.parse(rawBody);
      throw new UnexpectedResponseError(
        `The service answered ${this.#operation.name} with ${status}, but without ${missing.join(", ")}. The request ` +
          "took effect; error.body holds the whole answer. Keep it, and tell the service.",
        { ...this.#facts, code: "incomplete_response", status, requestId, body },
      );
    }
    if (paths.length > 0) this.#emit({ type: "drift", paths });
    const { attempts, idempotencyKey } = this.#facts;
    return { data, status, headers, rawBody, requestId, idempotencyKey, attempts };
  }

  /** Waits before the next attempt, or ends the call with its error. */
  async #settle(failure: Failure): Promise<void> {
    const { time, budget } = this.#shared;
    if (this.#mayRenewAfter(failure)) {
      this.#renewed = true;
      this.#lastFailure = failure;
      if (this.#outcome === "not_sent") this.#outcome = "rejected";
      this.#emit(this.#retryEvent(failure, 0));
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
    this.#emit(this.#retryEvent(failure, waitMs));
    if (counted) {
      this.#retries += 1;
      budget.spend();
    }
    await time.sleep(waitMs, this.#signal);
  }

  /**
   * Requests an expired token again, once. A proxy's 401 may hide an answer of the service, so it must not lead to a
   * second withdrawal.
   */
  #mayRenewAfter(failure: Failure): boolean {
    const { renewable } = this.#shared.settings.credential;
    const { credential, replay } = this.#operation;
    if (!renewable || credential === "none" || this.#renewed || this.#maxRetries === 0)
      return false;
    return hasStatus(failure, 401) && (replay === "safe" || failure.isFromService);
  }

  #retryEvent(failure: Failure, waitMs: number): EventFacts<RetryEvent> {
    const reason = failure.kind === "status" ? String(failure.status) : failure.kind;
    return { type: "retry", attempt: this.#attempts + 1, reason, waitMs };
  }

  #throwIfAborted(): void {
    if (this.#signal?.aborted) this.#stop({ kind: "aborted", reason: this.#signal.reason });
  }

  /** Ends a call that was aborted, or whose deadline passed, while it waited. */
  #tooLate(spentOn?: string): never {
    this.#throwIfAborted();
    const late = { kind: "timeout", limit: "deadlineMs", ms: this.#deadlineMs } as const;
    this.#stop(this.#lastFailure ?? (spentOn === undefined ? late : { ...late, spentOn }));
  }

  /** Ends the call without another attempt. */
  #stop(failure: Failure): never {
    // Between attempts, an earlier one may have taken effect.
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
}
