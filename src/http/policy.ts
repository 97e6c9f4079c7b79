import type { Outcome } from "../errors.ts";
import type { ErrorFacts } from "../wire/envelope.ts";
import type { Replay } from "../wire/operations.ts";
import { readHttpDate } from "./time.ts";

/** Why an attempt gave no usable answer. The kinds are the rows of the retry table. */
export type Failure =
  /** No connection was made: name lookup, refused, connect time-out. Nothing was sent. */
  | { readonly kind: "unreachable"; readonly code: string; readonly detail: string }
  /** The service's certificate or protocol was not accepted. Nothing was sent. */
  | { readonly kind: "tls"; readonly code: string; readonly detail: string }
  /** fetch did not take what `fetchOptions` holds. Nothing was sent. */
  | { readonly kind: "not_taken"; readonly code: string; readonly detail: string }
  /** The connection broke, or failed in a way that does not say when. */
  | { readonly kind: "connection"; readonly code: string; readonly detail: string }
  | {
      readonly kind: "timeout";
      readonly limit: "timeoutMs" | "deadlineMs";
      readonly ms: number;
      /** What the time went into when it was not a request: a fact and its cure. */
      readonly spentOn?: string;
    }
  | { readonly kind: "aborted"; readonly reason: unknown }
  | {
      readonly kind: "redirect";
      readonly status: number;
      readonly origin: string | undefined;
      readonly requestId: string | undefined;
    }
  /** A status of 400 or more. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly facts: ErrorFacts;
      readonly retryAfterMs: number | undefined;
      readonly requestId: string | undefined;
    }
  /** A success status whose body is not the JSON that is due. */
  | {
      readonly kind: "unreadable";
      readonly status: number;
      readonly text: string;
      readonly requestId: string | undefined;
    };

const baseWaitMs = 500;
const maxWaitMs = 8_000;

export interface Situation {
  readonly replay: Replay;
  readonly failure: Failure;
  /** Number of the attempt that failed; 0 when none was made yet. */
  readonly attempt: number;
  /** Whether an earlier attempt of this call may have taken effect. */
  readonly unknownBefore: boolean;
  /** Retries made for other reasons than 429. */
  readonly retries: number;
  readonly maxRetries: number;
  /** Time left until the deadline. */
  readonly remainingMs: number;
  /** Whether the client's retry budget has a retry left. */
  readonly budgetLeft: boolean;
  /** At least 0, less than 1. */
  readonly random: number;
}

type Decision =
  | {
      readonly action: "retry";
      readonly waitMs: number;
      /** Whether this retry counts against `maxRetries` and the budget. */
      readonly counted: boolean;
      readonly outcome: Outcome;
    }
  | {
      readonly action: "stop";
      readonly outcome: Outcome;
      /** Whether it would have been tried again, had the client's budget held another retry. */
      readonly outOfBudget: boolean;
    };

/**
 * What to do after a failed attempt. The outcome is that of the whole call: once an attempt may have
 * taken effect on a call that changes something, nothing later makes that untrue.
 */
export function decide(situation: Situation): Decision {
  const { failure, replay, attempt, maxRetries } = situation;
  const changes = replay !== "safe";
  const outcome =
    changes && situation.unknownBefore ? "unknown" : outcomeOf(failure, replay, attempt);
  const stop = { action: "stop", outcome, outOfBudget: false } as const;
  const limited = isLimited(failure);
  const retriesLeft = limited ? maxRetries > 0 : situation.retries < maxRetries;
  if (!retriesLeft || !isRepeatable(failure, replay, attempt)) return stop;
  const waitMs = waitBefore(situation);
  if (waitMs >= situation.remainingMs) return stop;
  if (!limited && !situation.budgetLeft) return { ...stop, outOfBudget: true };
  return { action: "retry", waitMs, counted: !limited, outcome };
}

/** What may have become of the request of one attempt. */
function outcomeOf(failure: Failure, replay: Replay, attempt: number): Outcome {
  switch (failure.kind) {
    case "unreachable":
    case "tls":
    case "not_taken":
      return "not_sent";
    case "aborted":
      return attempt === 0 ? "not_sent" : "unknown";
    case "redirect":
      // 303 is the one redirect that means "done, and the result is over there".
      return failure.status === 303 ? "unknown" : "rejected";
    case "status":
      if (failure.status >= 500) return "unknown";
      // After an earlier attempt, a conflict may be with that attempt, still in progress.
      return isOwnConflict(failure, replay, attempt) ? "unknown" : "rejected";
    default:
      return "unknown";
  }
}

function isRepeatable(failure: Failure, replay: Replay, attempt: number): boolean {
  switch (failure.kind) {
    case "unreachable":
      return true;
    case "tls":
    case "not_taken":
    case "aborted":
    case "redirect":
      return false;
    case "status":
      if (failure.status === 429) return true;
      if (failure.status < 500) return isOwnConflict(failure, replay, attempt);
      return replay !== "unsafe";
    default:
      return replay !== "unsafe";
  }
}

function isLimited(failure: Failure): boolean {
  return failure.kind === "status" && failure.status === 429;
}

function isOwnConflict(
  failure: Failure & { kind: "status" },
  replay: Replay,
  attempt: number,
): boolean {
  return failure.status === 409 && replay === "keyed" && attempt > 1;
}

/** Full-jitter exponential backoff, unless the service says how long to wait. */
function waitBefore({ failure, attempt, random }: Situation): number {
  const asked = failure.kind === "status" ? failure.retryAfterMs : undefined;
  // A Retry-After of zero says nothing about when; taken at its word it would become a busy loop.
  if (asked !== undefined && asked > 0) return asked;
  return random * Math.min(maxWaitMs, baseWaitMs * 2 ** (Math.max(1, attempt) - 1));
}

/**
 * Milliseconds that a Retry-After header asks to wait: seconds, or an HTTP date. A date is compared
 * with the answer's own Date header, so that a wrong local clock does not matter.
 */
export function readRetryAfter(headers: Headers, wallClockMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const until = readHttpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (readHttpDate(headers.get("date") ?? "") ?? wallClockMs));
}
