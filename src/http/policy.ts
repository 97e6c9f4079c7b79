import type { ConfigurationError, Outcome } from "../errors.ts";
import type { ErrorFacts } from "../wire/envelope.ts";
import type { Replay } from "../wire/operation.ts";

/** Why an attempt produced no usable response. Each kind is a row of the retry table. */
export type Failure =
  | NetworkFailure
  /** The merchant's own code failed: a hook, or a fetch function that threw anything but a network error. */
  | {
      readonly kind: "custom_code";
      readonly option: "hooks" | "fetch";
      /** The failure, and whether anything was sent, in sentences. */
      readonly fact: string;
      readonly wasSent: boolean;
      readonly cause: Error | undefined;
    }
  | {
      readonly kind: "timeout";
      readonly limit: "timeoutMs" | "deadlineMs";
      readonly ms: number;
      /** If nothing was sent: what took the time, and what to do about it. */
      readonly spentOn?: string;
    }
  | { readonly kind: "aborted"; readonly reason: unknown }
  /** The function that returns the credential failed. */
  | { readonly kind: "no_credential"; readonly error: ConfigurationError }
  /** The client's pause after a 429 outlasts the call's deadline. */
  | { readonly kind: "paused"; readonly waitMs: number }
  | (Answered & { readonly kind: "redirect"; readonly origin: string | undefined })
  /** A status of 400 or more. */
  | (Answered & {
      readonly kind: "status";
      readonly facts: ErrorFacts;
      /** Whether the body has a form known to be the service's, so that the service itself answered. */
      readonly isFromService: boolean;
      readonly retryAfterMs: number | undefined;
    })
  /** A success with a body larger than `maxResponseBytes`. */
  | (Answered & { readonly kind: "too_large"; readonly maxBytes: number })
  /** A success without fields that a caller needs, or about something other than the request. */
  | (Answered & {
      readonly kind: "incomplete" | "differing";
      readonly fields: readonly string[];
      readonly body: unknown;
    })
  /** A success whose body is not the expected JSON. */
  | (Answered & { readonly kind: "unreadable"; readonly text: string });

/** A network failure, by how far the request got. */
export interface NetworkFailure {
  /**
   * `unreachable`: no connection was made (name lookup, refused, connect timeout). `tls`: the service's certificate or
   * protocol was not accepted. `not_taken`: fetch rejected something in `fetchOptions`. Nothing was sent in these
   * cases. `connection`: it broke, or failed at an unknown point.
   */
  readonly kind: "unreachable" | "tls" | "not_taken" | "connection";
  readonly code: string;
  readonly detail: string;
}

interface Answered {
  readonly status: number;
  readonly requestId: string | undefined;
}

/** What spent a call's time if nothing was sent, and what to do about it. */
export const heldUp =
  "before the request left. Find out what held it up: a beforeRequest hook, or a busy process.";

const baseWaitMs = 500;
const maxWaitMs = 8_000;
/** A shorter Retry-After is ignored, to avoid a busy loop. */
export const leastRetryAfterMs = 250;

export interface Situation {
  readonly replay: Replay;
  readonly failure: Failure;
  /** Number of the failed attempt; 0 if none was made yet. */
  readonly attempt: number;
  /** Whether an earlier attempt of this call may have taken effect. */
  readonly unknownBefore: boolean;
  /** Retries for reasons other than 429. */
  readonly retries: number;
  readonly maxRetries: number;
  readonly remainingMs: number;
  /** Whether the client's retry budget has a retry left. */
  readonly budgetLeft: boolean;
  /** Whether the credential can be requested again: once, if it expires. */
  readonly mayRenew: boolean;
  /** At least 0, less than 1. */
  readonly random: number;
}

/**
 * Decides what follows a failed attempt. The outcome is that of the whole call: once a creation's attempt may have
 * taken effect, no later attempt can undo that.
 *
 * @returns `outOfBudget`: whether only the client's empty retry budget prevents another attempt. `counted`: whether the
 * retry counts against `maxRetries` and the budget.
 */
export function decide(situation: Situation) {
  const { failure, replay, attempt, maxRetries } = situation;
  const row = rowOf(failure, replay, attempt);
  const isUnknown = replay !== "safe" && situation.unknownBefore;
  const outcome = isUnknown ? "unknown" : row.outcome;
  const stop = { action: "stop", outcome, outOfBudget: false } as const;
  const limited = hasStatus(failure, 429);
  // A proxy's 401 may hide the service's response, so it must not lead to a second withdrawal.
  const isExpired = hasStatus(failure, 401) && (replay === "safe" || failure.isFromService);
  if (isExpired && situation.mayRenew && maxRetries > 0)
    return { action: "renew", waitMs: 0, outcome } as const;
  const retriesLeft = limited ? maxRetries > 0 : situation.retries < maxRetries;
  if (!retriesLeft || !row.mayRepeat) return stop;
  const waitMs = waitBefore(situation);
  if (waitMs >= situation.remainingMs) return stop;
  if (!limited && !situation.budgetLeft) return { ...stop, outOfBudget: true };
  return { action: "retry", waitMs, counted: !limited, outcome } as const;
}

type Row = { readonly outcome: Outcome; readonly mayRepeat: boolean };

/** The retry table: whether the request may have taken effect, and may be repeated. */
function rowOf(failure: Failure, replay: Replay, attempt: number): Row {
  const isHarmless = replay !== "unsafe";
  switch (failure.kind) {
    case "unreachable":
      return { outcome: "not_sent", mayRepeat: true };
    case "tls":
    case "not_taken":
    case "paused":
    case "no_credential":
      return { outcome: "not_sent", mayRepeat: false };
    case "custom_code":
      return { outcome: failure.wasSent ? "unknown" : "not_sent", mayRepeat: false };
    case "timeout":
      return failure.spentOn === undefined
        ? { outcome: "unknown", mayRepeat: isHarmless }
        : { outcome: "not_sent", mayRepeat: true };
    case "aborted":
      return { outcome: attempt === 0 ? "not_sent" : "unknown", mayRepeat: false };
    case "redirect":
      return { outcome: replay === "safe" ? "rejected" : "unknown", mayRepeat: false };
    case "too_large":
    case "incomplete":
    case "differing":
      return { outcome: "unknown", mayRepeat: false };
    case "status":
      return rowOfStatus(failure, replay, attempt);
    default:
      return { outcome: "unknown", mayRepeat: isHarmless };
  }
}

/** Statuses with which the service refuses a request. With others, or with a proxy's page, it may have acted. */
const rejections = new Set([400, 401, 403, 404, 405, 409, 413, 415, 422]);

export type StatusFailure = Extract<Failure, { kind: "status" }>;

function rowOfStatus(failure: StatusFailure, replay: Replay, attempt: number): Row {
  const { status, isFromService } = failure;
  if (status === 429) return { outcome: "rejected", mayRepeat: true };
  // On a retry, the conflict may be with this call's own earlier attempt, still in progress.
  if (status === 409 && replay !== "safe" && attempt > 1) {
    return { outcome: "unknown", mayRepeat: replay === "keyed" };
  }
  if (isFromService && rejections.has(status)) return { outcome: "rejected", mayRepeat: false };
  const isPassing = status >= 500 || status === 408 || status === 425;
  return { outcome: "unknown", mayRepeat: isPassing && replay !== "unsafe" };
}

function hasStatus(failure: Failure, status: number): failure is StatusFailure {
  return failure.kind === "status" && failure.status === status;
}

/** Full-jitter exponential backoff, unless the service says how long to wait. */
function waitBefore({ failure, attempt, random }: Situation): number {
  const asked = failure.kind === "status" ? failure.retryAfterMs : undefined;
  if (asked !== undefined && asked >= leastRetryAfterMs) return asked;
  return random * Math.min(maxWaitMs, baseWaitMs * 2 ** (Math.max(1, attempt) - 1));
}
