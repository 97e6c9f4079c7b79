import type { ApiError, Outcome, SettlekitError } from "../errors.ts";
import * as errors from "../errors.ts";
import { runtimeName } from "../runtime.ts";
import { show } from "../values.ts";
import { codeForStatus } from "../wire/envelope.ts";
import type { Replay } from "../wire/operation.ts";
import type { Failure, StatusFailure } from "./policy.ts";
import type { HttpSettings } from "./settings.ts";

interface CallFacts {
  readonly operation: string;
  readonly replay: Replay;
  readonly service: Pick<HttpSettings, "baseUrl" | "environment">;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;
  /** Whether the call ended early because the client's retry budget was empty. */
  readonly outOfBudget?: boolean;
  /** Removes credentials from a text that the service sent. */
  readonly redact?: (text: string) => string;
}

/** The error that ends a call, with the call's outcome. */
export function errorFor(failure: Failure, outcome: Outcome, call: CallFacts): SettlekitError {
  const error = failureError(failure, outcome, call);
  // An abort is the caller's own decision, and the others are still successes.
  const speaksForItself = ["aborted", "too_large", "incomplete", "differing"];
  if (outcome !== "unknown" || call.replay === "safe" || speaksForItself.includes(failure.kind)) {
    return error;
  }
  return outcomeUnknownError(failure, error, call);
}

function failureError(failure: Failure, outcome: Outcome, call: CallFacts): SettlekitError {
  const { operation, replay, service, idempotencyKey, attempts, redact = String } = call;
  const { origin } = new URL(service.baseUrl);
  const requestId = "requestId" in failure ? failure.requestId : undefined;
  const facts = { operation, idempotencyKey, attempts, outcome, requestId };
  const unrepeated = call.outOfBudget ? outOfBudget : "";
  const next = nextStep(call);
  const mayHaveActed = replay === "safe" ? "" : ` It may have taken effect. ${next}`;
  switch (failure.kind) {
    case "unreachable":
      return new errors.ConnectionError(
        `No connection to ${origin} (${failure.code}: ${failure.detail}). Nothing was sent. Check the base URL, and ` +
          `that the service is running and reachable from here.${service.environment === "sandbox" ? startSandbox : ""}${unrepeated}`,
        { ...facts, code: failure.code },
      );
    case "tls":
      return new errors.ConnectionError(
        `No TLS connection to ${origin} (${failure.code}: ${failure.detail}). Nothing was sent. ` +
          "Check the base URL and its port, this machine's clock and its certificate authorities.",
        { ...facts, code: failure.code },
      );
    case "not_taken":
      return new errors.ConfigurationError(
        `fetch rejected fetchOptions (${failure.code}: ${failure.detail}). Nothing was ` +
          `sent. ${failure.code === "invalid_argument" ? "Correct the option that it names." : foreignDispatcher}`,
        { ...facts, code: "invalid_option", param: "fetchOptions" },
      );
    case "connection":
      return new errors.ConnectionError(
        `The connection to ${origin} broke before the whole response arrived (${failure.code}: ` +
          `${failure.detail}). Call again; if it persists, check the network and any proxy between here and the ` +
          `service${runtimeName() ? "" : ", and that the page's connect-src and the service's CORS headers allow it"}.${unrepeated}`,
        { ...facts, code: failure.code },
      );
    case "custom_code": {
      const { option: param, fact: message, cause } = failure;
      return param === "hooks"
        ? new errors.ConfigurationError(message, { ...facts, code: "hook_failed", param, cause })
        : new errors.ConnectionError(message, { ...facts, code: "fetch_failed", param, cause });
    }
    case "timeout": {
      const { limit, ms, spentOn } = failure;
      const span = `${limit} (${Math.round(ms)} ms)`;
      const message = spentOn
        ? `Nothing was sent: ${operation} spent its ${span} ${spentOn}`
        : `${operation} got no complete response within ${span}. Call again, or raise ${limit} if the service is ` +
          "known to take longer.";
      return new errors.TimeoutError(message + unrepeated, {
        ...facts,
        code: limit === "timeoutMs" ? "attempt_timeout" : "deadline_exceeded",
      });
    }
    case "aborted":
      return new errors.AbortError(
        outcome === "not_sent"
          ? `${operation} was aborted before anything was sent.`
          : `${operation} was aborted${replay === "safe" ? "." : `; the service may have acted on it. ${next}`}`,
        { ...facts, code: "aborted", cause: failure.reason },
      );
    case "no_credential": {
      // A copy: concurrent calls may have failed with the same error.
      const { code, param, message, cause } = failure.error;
      return new errors.ConfigurationError(message, { ...facts, code, param, cause });
    }
    case "redirect":
      return new errors.ConfigurationError(
        `${origin} responded with ${failure.status} ${failure.origin ? `and a redirect to ${failure.origin}` : "without a usable Location"}. ` +
          "settlekit does not follow redirects, so that credentials stay with the origin you configured. Set " +
          "baseUrl to the service's actual URL.",
        { ...facts, code: "redirected", param: "baseUrl" },
      );
    case "status":
      return apiError(failure, facts, unrepeated);
    case "paused": {
      const { waitMs } = failure;
      return new errors.RateLimitError(
        `Nothing was sent: after a 429, this client pauses for another ${Math.ceil(waitMs / 1000)} s, ` +
          "which is past the call's deadline. Call again then, or raise deadlineMs.",
        { ...facts, code: "rate_limited", retryAfterMs: waitMs },
      );
    }
    case "too_large":
      return new errors.UnexpectedResponseError(
        `The service responded to ${operation} with ${failure.status} and a body of more than ${failure.maxBytes} ` +
          `bytes; the rest was not read. Raise maxResponseBytes, or request less at once.${mayHaveActed}`,
        { ...facts, code: "response_too_large", status: failure.status, body: undefined },
      );
    case "incomplete": {
      const { status, fields, body } = failure;
      return new errors.UnexpectedResponseError(
        `The service responded to ${operation} with ${status}, but without ${fields.join(", ")}. error.body holds the ` +
          `whole response: keep it, and report this to the service.${mayHaveActed}`,
        { ...facts, code: "incomplete_response", status, body },
      );
    }
    case "differing": {
      const { status, fields, body } = failure;
      const { chainId, id = chainId, paymentId = id } = { ...(body as Record<string, unknown>) };
      const what = Array.isArray(body) ? "a list" : `the object ${redact(show(paymentId))}`;
      const cure =
        replay === "safe"
          ? "error.body holds it. Do not use it: find out whether it came from a cache or proxy, and report it to the service."
          : "It is unknown what was created; error.body holds the whole response. Do not repeat the call: check what was " +
            "created, and report it to the service.";
      return new errors.UnexpectedResponseError(
        `The service responded to ${operation} with ${what}, which does not match the ` +
          `request (different ${fields.join(", ")}). ${cure}`,
        { ...facts, code: "answer_differs", status, body },
      );
    }
    case "unreadable":
      return new errors.UnexpectedResponseError(
        `The service responded to ${operation} with ${failure.status}, but not with the expected JSON. ` +
          "error.body holds what arrived. Check that baseUrl is the service's and that no proxy responds in its place." +
          unrepeated,
        { ...facts, code: "unreadable_response", status: failure.status, body: failure.text },
      );
  }
}

const startSandbox = ' "npx settlekit sandbox" starts a sandbox.';

const foreignDispatcher =
  "A dispatcher works only with the fetch of its own copy of undici: pass that as fetch, too.";

const outOfBudget =
  " It was not retried: so many of this client's recent calls failed that its retries are used up. " +
  "Time and successful calls restore them.";

function apiError(
  failure: StatusFailure,
  call: Partial<errors.ApiErrorOptions>,
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
  const options = { ...call, ...facts, code, status, retryAfterMs, requestId };
  return new ErrorClass(message + unrepeated, options);
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: errors.InvalidRequestError,
  401: errors.AuthenticationError,
  403: errors.PermissionError,
  404: errors.NotFoundError,
  409: errors.IdempotencyConflictError,
  422: errors.InvalidRequestError,
  429: errors.RateLimitError,
};

/** The class of an error response. The document maps no codes to statuses, so a 4xx's type or code takes precedence. */
function errorClass({ status, facts: { type, code } }: StatusFailure): typeof ApiError {
  if (status >= 500) return errors.ServerError;
  if (status === 429) return errors.RateLimitError;
  if (type === "authentication_error" || code === "invalid_api_key")
    return errors.AuthenticationError;
  if (code === "idempotency_conflict") return errors.IdempotencyConflictError;
  return classForStatus(status);
}

/** The class of an error response that has nothing but its status. */
export function classForStatus(status: number): typeof ApiError {
  return classes[status] ?? errors.ApiError;
}

function cure({ kind }: typeof ApiError, failure: StatusFailure): string {
  const { facts, retryAfterMs: ms } = failure;
  // The service's own responses are JSON or empty.
  const isPage = typeof facts.body === "string" && facts.body !== "";
  if (isPage && /^(Api|InvalidRequest|Authentication|Permission)/.test(kind)) {
    return "This is not the service's JSON: check baseUrl, and any proxy between here and the service.";
  }
  const pause = ms === undefined ? undefined : `Call again in ${Math.ceil(ms / 1000)} s.`;
  const cures: Readonly<Record<string, string>> = {
    InvalidRequestError: `Correct ${facts.param ?? "the request"} before calling again.`,
    AuthenticationError: "Check that the credential is complete and belongs to this environment.",
    PermissionError: "If your account should be allowed to do this, ask the service to enable it.",
    NotFoundError:
      "Check the id, that it belongs to this environment and key, and that baseUrl ends before /v1.",
    IdempotencyConflictError:
      "An earlier request with this key is still running, or had other parameters. Repeat it unchanged, or find out what it " +
      "created before you use a new key.",
    RateLimitError: pause ?? "Send fewer requests at once.",
    ServerError: `The service failed. ${pause ?? "Call again later."}`,
  };
  return cures[kind] ?? "Check the request, baseUrl and any proxy before calling again.";
}

function outcomeUnknownError(
  failure: Failure,
  cause: SettlekitError,
  call: CallFacts,
): SettlekitError {
  const { operation, idempotencyKey, attempts } = call;
  const { requestId, retryAfterMs } = cause;
  const requests = attempts === 1 ? "1 request" : `${attempts} requests`;
  const status = "status" in failure ? failure.status : undefined;
  const facts = { operation, idempotencyKey, attempts, requestId, status, retryAfterMs };
  const isForeign = failure.kind === "status" && failure.status < 500 && !failure.isFromService;
  const first =
    isForeign || failure.kind === "redirect" || failure.kind === "unreadable"
      ? "Check that baseUrl is the service's and that no proxy responds in its place. "
      : "";
  return new errors.OutcomeUnknownError(
    `Outcome unknown: ${operation} may have succeeded. ${requests} sent, without a conclusive response (last: ` +
      `${cause.name} ${cause.code}). ${first}${nextStep(call)}`,
    { ...facts, code: "outcome_unknown", cause },
  );
}

function nextStep({ operation, replay, idempotencyKey }: CallFacts): string {
  if (replay === "keyed") {
    return (
      `Repeat the same call with idempotencyKey "${idempotencyKey}" within 24 hours of the first ` +
      "attempt: it returns the original response and creates nothing twice."
    );
  }
  if (!operation.endsWith("withdrawals.create")) return "Do not repeat it: look it up first.";
  return (
    "Do not repeat it. Wait two minutes, because a request can arrive late and lists lag, then call createOnce with " +
    "the same orderId. Without one, look for its amount and recipient in the list."
  );
}
