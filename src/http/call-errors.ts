import {
  AbortError,
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  IdempotencyConflictError,
  InvalidRequestError,
  NotFoundError,
  type Outcome,
  OutcomeUnknownError,
  PermissionError,
  RateLimitError,
  ServerError,
  type SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";
import { codeForStatus } from "../wire/envelope.ts";
import type { Replay } from "../wire/operation.ts";
import type { Failure } from "./policy.ts";

export interface CallFacts {
  readonly operation: string;
  readonly replay: Replay;
  /** The service's origin. */
  readonly origin: string;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;
  /** Whether the call ended early because the client's retry budget was empty. */
  readonly outOfBudget?: boolean;
}

/** The error that ends a call, with the call's outcome. */
export function errorFor(failure: Failure, outcome: Outcome, call: CallFacts): SettlekitError {
  const error = failureError(failure, outcome, call);
  const ambiguous = outcome === "unknown" && call.replay !== "safe" && !speaksForItself(failure);
  return ambiguous ? outcomeUnknownError(failure, error, call) : error;
}

/** An abort is the caller's own decision, and an answer that is too large is still a success. */
function speaksForItself({ kind }: Failure): boolean {
  return kind === "aborted" || kind === "too_large";
}

/** The error of a call for which the client's pause after a 429 is too long. */
export function pausedError(waitMs: number, call: CallFacts): RateLimitError {
  const { operation, idempotencyKey, attempts } = call;
  return new RateLimitError(
    `Nothing was sent: after a 429 this client waits its turn, another ${Math.ceil(waitMs / 1000)} s, ` +
      "which is longer than the call's deadline. Call again then, or raise deadlineMs.",
    {
      code: "rate_limited",
      outcome: "not_sent",
      operation,
      idempotencyKey,
      attempts,
      retryAfterMs: waitMs,
    },
  );
}

function failureError(failure: Failure, outcome: Outcome, call: CallFacts): SettlekitError {
  const { operation, idempotencyKey, attempts, origin } = call;
  const facts = { outcome, operation, idempotencyKey, attempts };
  const unrepeated = call.outOfBudget ? outOfBudget : "";
  switch (failure.kind) {
    case "unreachable":
      return new ConnectionError(
        `No connection to ${origin} (${failure.code}: ${failure.detail}). Nothing was sent. Check the ` +
          `base URL, and that the service is running and reachable from here.${unrepeated}`,
        { ...facts, code: failure.code },
      );
    case "tls":
      return new ConnectionError(
        `${origin} could not prove who it is (${failure.code}: ${failure.detail}). Nothing was sent. ` +
          "Check the base URL and its port, this machine's clock and its certificate authorities.",
        { ...facts, code: failure.code },
      );
    case "not_taken":
      return new ConfigurationError(
        `fetch rejected fetchOptions (${failure.code}: ${failure.detail}). Nothing was ` +
          "sent. A dispatcher works with the fetch of its own undici only: pass that as fetch.",
        { ...facts, code: "invalid_option", param: "fetchOptions" },
      );
    case "connection":
      return new ConnectionError(
        `The connection to ${origin} broke before the whole answer arrived (${failure.code}: ` +
          `${failure.detail}). Call again; if it persists, check what lies between here and the service.` +
          unrepeated,
        { ...facts, code: failure.code },
      );
    case "custom_code": {
      const { fact, wasSent, cause } = failure;
      const message = `${fact} ${wasSent ? "The request had been sent." : "Nothing was sent."}`;
      return failure.option === "hooks"
        ? new ConfigurationError(message, { ...facts, code: "hook_failed", param: "hooks", cause })
        : new ConnectionError(message, { ...facts, code: "fetch_failed", param: "fetch", cause });
    }
    case "timeout":
      return new TimeoutError(timeoutMessage(failure, call) + unrepeated, {
        ...facts,
        code: failure.limit === "timeoutMs" ? "attempt_timeout" : "deadline_exceeded",
      });
    case "aborted":
      return new AbortError(abortMessage(outcome, call), {
        ...facts,
        code: "aborted",
        cause: failure.reason,
      });
    case "redirect":
      return new ConfigurationError(
        `${origin} answered ${failure.status} and points to ${failure.origin ?? "another place"}. ` +
          "settlekit follows no redirect, so that credentials stay with the origin you configured. Set " +
          "baseUrl to where the service really is.",
        { ...facts, code: "redirected", param: "baseUrl", requestId: failure.requestId },
      );
    case "status":
      return apiError(failure, facts, unrepeated);
    case "too_large":
      return new UnexpectedResponseError(
        `The service answered ${operation} with ${failure.status} and more than ${failure.maxBytes} bytes, ` +
          "which were not read to their end. Raise maxResponseBytes, or ask for less at once." +
          (call.replay === "safe"
            ? ""
            : ` It may have taken effect. ${nextStep(call.replay, idempotencyKey)}`),
        {
          ...facts,
          code: "response_too_large",
          status: failure.status,
          requestId: failure.requestId,
          body: undefined,
        },
      );
    case "unreadable":
      return new UnexpectedResponseError(
        `The service answered ${operation} with ${failure.status}, but not with the JSON that is due. ` +
          "error.body holds what arrived. Check that baseUrl is the service's and no proxy answers for it." +
          unrepeated,
        {
          ...facts,
          code: "unreadable_response",
          status: failure.status,
          requestId: failure.requestId,
          body: failure.text,
        },
      );
  }
}

const outOfBudget =
  " It was not tried again: so many of this client's calls failed lately that its retries are used up. " +
  "Time and successful calls restore them.";

type TimeoutFailure = Extract<Failure, { kind: "timeout" }>;

function timeoutMessage({ limit, ms, spentOn }: TimeoutFailure, call: CallFacts): string {
  const span = `${limit} (${Math.round(ms)} ms)`;
  if (spentOn !== undefined) {
    return `Nothing was sent: ${call.operation} spent its ${span} ${spentOn}`;
  }
  return (
    `${call.operation} was not answered within ${span}. Call again, or raise ${limit} if the service is ` +
    "known to take longer."
  );
}

type StatusFailure = Extract<Failure, { kind: "status" }>;

function apiError(
  failure: StatusFailure,
  call: Pick<ApiErrorOptions, "outcome" | "operation" | "idempotencyKey" | "attempts">,
  unrepeated: string,
): ApiError {
  const { status, facts, retryAfterMs, requestId } = failure;
  const ErrorClass = errorClass(failure);
  const code = facts.code ?? codeForStatus(status);
  const said = facts.message ?? "The service gave no reason.";
  const where = [String(status), code, facts.param && `param ${facts.param}`, requestId]
    .filter(Boolean)
    .join(", ");
  const message = `${said.replace(/[.!]?$/, ".")} [${where}] ${cure(ErrorClass, failure)}`;
  return new ErrorClass(message.trim() + unrepeated, {
    ...call,
    ...facts,
    code,
    status,
    retryAfterMs,
    requestId,
  });
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: IdempotencyConflictError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** The class of an error answer. The document does not map its codes to statuses, so a 4xx that names its kind decides. */
function errorClass({ status, facts: { type, code } }: StatusFailure): typeof ApiError {
  if (status >= 500) return ServerError;
  if (status === 429) return RateLimitError;
  if (type === "authentication_error" || code === "invalid_api_key") return AuthenticationError;
  if (code === "idempotency_conflict") return IdempotencyConflictError;
  return classes[status] ?? ApiError;
}

function cure(ErrorClass: typeof ApiError, { facts, retryAfterMs }: StatusFailure): string {
  switch (ErrorClass) {
    case InvalidRequestError:
      return `Correct ${facts.param ?? "the request"} before calling again.`;
    case AuthenticationError:
      return "Check that the credential is complete and belongs to this environment.";
    case PermissionError:
      return "Ask the service to enable this for your merchant account.";
    case NotFoundError:
      return "Check the id, that it belongs to this environment and key, and that baseUrl ends before /v1.";
    case IdempotencyConflictError:
      return "Use a new idempotency key for new parameters, or repeat the first request unchanged.";
    case RateLimitError:
      return retryAfterMs === undefined
        ? "Send fewer requests at once."
        : `Call again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    case ServerError:
      return "The fault is the service's; call again later.";
    default:
      return "";
  }
}

function abortMessage(outcome: Outcome, { operation, replay, idempotencyKey }: CallFacts): string {
  if (outcome === "not_sent") return `${operation} was aborted before anything was sent.`;
  if (replay === "safe") return `${operation} was aborted.`;
  return `${operation} was aborted; the service may have acted on it. ${nextStep(replay, idempotencyKey)}`;
}

function outcomeUnknownError(
  failure: Failure,
  cause: SettlekitError,
  { operation, replay, idempotencyKey, attempts }: CallFacts,
): OutcomeUnknownError {
  const requests = attempts === 1 ? "1 request" : `${attempts} requests`;
  const status = "status" in failure ? failure.status : undefined;
  const retryAfterMs = failure.kind === "status" ? failure.retryAfterMs : undefined;
  return new OutcomeUnknownError(
    `Outcome unknown: ${operation} may have succeeded. ${requests} sent, and no answer settled it (last: ` +
      `${cause.name} ${cause.code}). ${nextStep(replay, idempotencyKey)}`,
    {
      code: "outcome_unknown",
      operation,
      idempotencyKey,
      attempts,
      requestId: cause.requestId,
      status,
      retryAfterMs,
      cause,
    },
  );
}

function nextStep(replay: Replay, idempotencyKey: string | undefined): string {
  return replay === "keyed"
    ? `Repeat the same call with idempotencyKey "${idempotencyKey}" within 24 hours of the first ` +
        "attempt: it gives the original answer and creates nothing twice."
    : "Do not repeat it: look it up first, or use createOnce, which does.";
}
