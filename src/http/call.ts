import type { Outcome } from "../errors.ts";
import { credentialHeader } from "../wire/credential.ts";
import { checkOptions } from "../wire/fields.ts";
import type { Operation } from "../wire/operation.ts";
import { type ApiResponse, readReply, type Success } from "./answer.ts";
import { errorFor } from "./call-errors.ts";
import { answerFacts, type EventFacts, headersFrom, observersOf } from "./events.ts";
import { enter, Paces, RetryBudget } from "./pace.ts";
import { decide, type Failure, heldUp } from "./policy.ts";
import { askForCredential, type CallInput, prepareRequest, redactor } from "./request.ts";
import { createSender, type Reply } from "./send.ts";
import { callSchema, type HttpSettings, type RequestOptions } from "./settings.ts";
import { ServiceClock, type Time, within } from "./time.ts";

/** Shared by the calls of one client. */
export type Shared = ReturnType<typeof sharedBy>;

/** The state of one call. Its observers are those that were registered when it began. */
interface Call extends Shared {
  readonly settings: HttpSettings;
  readonly callId: number;
  readonly emit: (event: EventFacts) => void;
}

export function sharedBy(settings: HttpSettings, time: Time) {
  return {
    time,
    send: createSender(settings),
    paces: new Paces(time),
    limit: settings.limit,
    budget: new RetryBudget(time),
    serviceClock: new ServiceClock(time),
    calls: { count: 0 },
    observers: observersOf(settings.onEvent, settings.logger),
  };
}

/** How long a repeated key creates nothing twice (interface section 4.1). */
const keyLifetimeMs = 86_400_000;

/**
 * One call: identical attempts until success, a final failure, or the deadline.
 *
 * @throws {InvalidRequestError | ConfigurationError} when an argument can never be valid.
 */
export async function makeCall<T>(
  { settings, send, time, paces, limit, budget, serviceClock, observers, callId, emit }: Call,
  operation: Operation<T>,
  input: CallInput<T>,
  given: RequestOptions,
): Promise<ApiResponse<T>> {
  const options = checkOptions(callSchema, given);
  const { name, replay, credential: kind } = operation;
  const { signal } = options;
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
  const longestMs = replay === "keyed" ? keyLifetimeMs : Number.POSITIVE_INFINITY;
  const deadlineMs = Math.min(options.deadlineMs ?? settings.deadlineMs, longestMs);
  const maxRetries = options.maxRetries ?? settings.maxRetries;
  const deadlineAt = time.now() + deadlineMs;
  const clocksApartMs = time.wallClock() - time.now();
  const request = prepareRequest(operation, input, options, settings);
  const { idempotencyKey } = request;

  let pace = paces.of("");
  let redact = redactor("");
  let mayRenew = kind === "accessToken" && typeof settings.credential.value === "function";
  let attempts = 0;
  let retries = 0;
  let outcome: Outcome = "not_sent";
  let lastFailure: Failure | undefined;

  const pastDeadline = { kind: "timeout", limit: "deadlineMs", ms: deadlineMs } as const;
  const remainingMs = () => deadlineAt - time.now();

  async function authenticate(): Promise<void> {
    throwIfAborted();
    if (kind === "none") return;
    const { credential: source } = settings;
    const given = await askForCredential(source, time, remainingMs(), signal, pastDeadline);
    if (typeof given !== "string") {
      return stop(given.kind === "timeout" && lastFailure ? lastFailure : given);
    }
    // A dashboard's token may change with every call, but its merchant does not.
    pace = paces.of(source.path?.merchantId ?? given);
    const [earlier, later] = [redact, redactor(given)];
    redact = (text) => later(earlier(text));
    const header = credentialHeader(kind, settings.wire.headerPrefix);
    request.headers[header.name.toLowerCase()] = header.scheme + given;
  }

  /** Makes an attempt as soon as the client's pace and concurrency allow it, unless it is too late by then. */
  async function inTurn(): Promise<Success<T> | Failure> {
    for (;;) {
      // Before taking a slot: a call that waits for its pace must not block others.
      await inPace();
      const { turn, leave } = enter(limit);
      try {
        if (turn && !(await within(turn, remainingMs(), time, signal))) {
          const fact = "maxConcurrency requests were running the whole time";
          return tooLate(`waiting for its turn: ${fact}. Raise maxConcurrency, or deadlineMs.`);
        }
        if (pace.isPaused) continue;
        const known = await input.beforeSend?.(outcome);
        if (known) return { ...known, kind: "success", drift: [] };
        return await attempt();
      } finally {
        leave();
      }
    }
  }

  async function inPace(): Promise<void> {
    for (;;) {
      throwIfAborted();
      const { waitMs } = pace;
      if (waitMs >= remainingMs()) {
        if (waitMs === 0 || lastFailure) tooLate();
        stop({ kind: "paused", waitMs });
      }
      const slotMs = pace.reserve();
      if (slotMs === 0) return;
      emit({ type: "pause", waitMs: slotMs });
      await time.sleep(slotMs, signal);
      if (signal?.aborted) pace.release();
      else if (!pace.isPaused && remainingMs() > 0) return;
    }
  }

  async function attempt(): Promise<Success<T> | Failure> {
    const sentAt = time.now();
    const leftMs = remainingMs();
    const { result, wasSent } = await send({
      ...request,
      headers: {
        ...headersFrom(observers, callId, { ...request, redact }, settings.wire.headerPrefix),
        ...request.headers,
        // Shows retries to the service. Not in browsers, where CORS would have to allow the header.
        ...(kind === "secretKey" && { "x-settlekit-retry-count": String(attempts) }),
      },
      withinMs: Math.min(timeoutMs, leftMs),
      late:
        timeoutMs <= leftMs ? { kind: "timeout", limit: "timeoutMs", ms: timeoutMs } : pastDeadline,
      signal,
      redact,
      beforeBody: input.beforeBody,
    });
    if (!wasSent && result.kind !== "reply") return result;
    attempts += 1;
    const answer = result.kind === "reply" ? read(result) : result;
    if (answer.kind === "status" && answer.status === 429) {
      pace.limited(sentAt, answer.retryAfterMs);
    } else if ("status" in answer) pace.accepted(sentAt);
    emit({
      type: "attempt",
      attempt: attempts,
      durationMs: time.now() - sentAt,
      ...("status" in answer && answerFacts(answer)),
      ...(answer.kind !== "success" && { failure: answer.kind }),
    });
    return answer;
  }

  /** Reads a response. However malformed, it must not hide that a request was sent. */
  function read(reply: Reply): Success<T> | Failure {
    try {
      return readReply(operation, input, reply, settings, time, redact);
    } catch {
      const { body, response } = reply;
      const text = typeof body === "string" ? redact(body) : "";
      return { kind: "unreadable", status: response.status, text, requestId: undefined };
    }
  }

  /** Waits before the next attempt, or ends the call with its error. */
  async function settle(failure: Failure): Promise<void> {
    lastFailure = failure;
    const decision = decide({
      replay,
      failure,
      attempt: attempts,
      unknownBefore: outcome === "unknown",
      retries,
      maxRetries,
      remainingMs: remainingMs(),
      budgetLeft: budget.hasRetry,
      mayRenew,
      random: time.random(),
    });
    outcome = decision.outcome;
    if (decision.action === "stop") return stop(failure, decision.outOfBudget);
    const reason = failure.kind === "status" ? String(failure.status) : failure.kind;
    emit({ type: "retry", attempt: attempts + 1, reason, waitMs: decision.waitMs });
    if (decision.action === "renew") {
      mayRenew = false;
      return authenticate();
    }
    if (decision.counted) {
      retries += 1;
      budget.spend();
    }
    await time.sleep(decision.waitMs, signal);
  }

  function throwIfAborted(): void {
    if (signal?.aborted) stop({ kind: "aborted", reason: signal.reason });
  }

  /** Ends a call that was aborted, or reached its deadline, while waiting. */
  function tooLate(spentOn = heldUp): never {
    throwIfAborted();
    stop(lastFailure ?? { ...pastDeadline, spentOn });
  }

  /** Ends the call without another attempt. */
  function stop(failure: Failure, outOfBudget = false): never {
    // Between attempts, an earlier one may have taken effect.
    if (failure.kind === "aborted" && attempts > 0) outcome = "unknown";
    const call = { operation: name, replay, service: settings, idempotencyKey, attempts, redact };
    throw errorFor(failure, outcome, { ...call, outOfBudget });
  }

  await authenticate();
  let result = await inTurn();
  for (; result.kind !== "success"; result = await inTurn()) await settle(result);
  const { kind: _, drift: paths, ...response } = result;
  budget.succeeded();
  // If the device slept meanwhile, the response may have waited, and its Date be long past.
  if (time.wallClock() - time.now() < clocksApartMs + 1_000) serviceClock.observe(response.headers);
  if (paths.length > 0) emit({ type: "drift", paths });
  return { ...response, idempotencyKey, attempts };
}
