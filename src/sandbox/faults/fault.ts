import { maxTimerMs } from "../../duration.ts";
import { checkOptionNames, isRecord, jsonText } from "../../values.ts";
import { operationTable } from "../../wire/operations.ts";
import { checkName, checkRule, isWholeWithin } from "../checks.ts";

/**
 * A failure of one request, either `before` it takes effect, so that nothing happens, or `after` it has taken effect,
 * so that the client does not find out.
 */
export type Fault = AnswerFault | LatencyFault | ResetFault | TruncationFault;

/** Replaces the service's response. */
export interface AnswerFault {
  /** HTTP status, 200 to 599. */
  readonly status: number;
  readonly when: "before" | "after";
  /** Value of the `Retry-After` header: seconds, or a date as text. */
  readonly retryAfter?: number | string | undefined;
  /** Text is sent unchanged, anything else as JSON. Default: the documented error envelope. */
  readonly body?: unknown;
  /** Delay of the response, in real milliseconds. Default 0. */
  readonly latencyMs?: number | undefined;
  /** Only for `ResetFault` and `TruncationFault`. */
  readonly connection?: undefined;
}

/** The request takes effect late (`before`), or immediately but with a late response (`after`). */
export interface LatencyFault {
  /** Real milliseconds, not those of the sandbox's clock. */
  readonly latencyMs: number;
  readonly when: "before" | "after";
  /** Only for `ResetFault` and `TruncationFault`. */
  readonly connection?: undefined;
}

/** The connection is reset, without a response or (`mid-answer`) after half of it. */
export interface ResetFault {
  readonly connection: "reset";
  readonly when: "before" | "after" | "mid-answer";
}

/** The request takes effect; the connection ends in the middle of the response. */
export interface TruncationFault {
  readonly connection: "truncated";
}

/** How often a fault or a disorder applies. */
export interface Frequency {
  /** How many are affected; `Infinity` for all until it is cleared. Default 1, or `Infinity` with a `probability`. */
  readonly times?: number | undefined;
  /** Probability for each request or webhook, above 0 and up to 1, drawn from the sandbox's seed. Default 1. */
  readonly probability?: number | undefined;
}
/** @deprecated Use `Frequency`. */
export type FaultOptions = Frequency;
/** @deprecated Use `Frequency`. */
export type Occasions = Frequency;

/** The service's rate limit. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  /** The value of `Retry-After`, in seconds. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * @throws {InvalidRequestError} code `invalid_fault`.
 * @throws {ConfigurationError} code `unknown_option`.
 */
export function checkFault(fault: Fault): Fault {
  check(isRecord(fault as unknown), "fault", "an object", fault);
  if ("status" in fault) {
    checkOptionNames(fault, ["status", "when", "retryAfter", "body", "latencyMs"]);
    const { status, retryAfter = "", latencyMs = 0 } = fault;
    check(isWholeWithin(status, 200, 599), "status", "a whole number from 200 to 599", status);
    // Otherwise an invalid header would only fail when the fault applies.
    const isText = typeof retryAfter === "string" && /^[\x20-\x7e]*$/.test(retryAfter);
    const isRetryAfter = isText || Number.isFinite(retryAfter);
    check(isRetryAfter, "retryAfter", "a number of seconds, or a date as a string", retryAfter);
    checkLatency(latencyMs);
    checkMoment(fault.when, ["before", "after"]);
  } else if ("latencyMs" in fault) {
    checkOptionNames(fault, ["latencyMs", "when"]);
    checkLatency(fault.latencyMs);
    checkMoment(fault.when, ["before", "after"]);
  } else if (fault.connection === "reset") {
    checkOptionNames(fault, ["connection", "when"]);
    checkMoment(fault.when, ["before", "after", "mid-answer"]);
  } else {
    checkOptionNames(fault, ["status", "latencyMs", "connection", "when", "retryAfter", "body"]);
    const rule = 'an object with a status, a latencyMs, or a connection of "reset" or "truncated"';
    check(fault.connection === "truncated", "fault", rule, fault);
    checkOptionNames(fault, ["connection"]);
  }
  // As JSON, like everything in the store, and a copy, because the caller may change the original.
  const json = jsonText(fault);
  const { body } = fault as AnswerFault;
  check(json !== undefined, "body", "text, or a value that JSON can hold", body);
  return JSON.parse(json);
}

function checkLatency(latencyMs: number): void {
  // Longer timers fire at once.
  const rule = `a whole number of milliseconds up to ${maxTimerMs}`;
  check(isWholeWithin(latencyMs, 0, maxTimerMs), "latencyMs", rule, latencyMs);
}

function checkMoment(when: string, moments: readonly string[]): void {
  check(moments.includes(when), "when", moments.join(" or "), when);
}

/** @throws {InvalidRequestError} code `invalid_fault`. */
export function checkedRate(rate: RateLimit): Required<RateLimit> {
  check(isRecord(rate as unknown), "limit", "an object, or null", rate);
  checkOptionNames(rate, ["requestsPerSecond", "retryAfterSeconds"]);
  const { requestsPerSecond, retryAfterSeconds = 1 } = rate;
  for (const [name, value] of Object.entries({ requestsPerSecond, retryAfterSeconds })) {
    const isCount = isWholeWithin(value, 0, Number.MAX_SAFE_INTEGER);
    check(isCount, name, "zero or a positive whole number", value);
  }
  return { requestsPerSecond, retryAfterSeconds };
}

function check(isRight: boolean, param: string, rule: string, value: unknown): asserts isRight {
  checkRule(isRight, param, rule, value, "invalid_fault");
}

/** The requests that a fault applies to: a method and a path prefix, such as `POST /payments`, or `*` for all. */
export type FaultRoute =
  | "*"
  | `${"GET" | "POST"} ${"/payments" | "/payments/{paymentId}/quotes" | "/withdrawals"}`
  | `GET ${"/payments/{paymentId}" | "/payments/{paymentId}/status"}`
  | "POST /payments/{paymentId}/refresh-status"
  | `GET /withdrawals/${"config" | "{withdrawalId}"}`
  | `GET /${"chains" | "chains/{chainId}" | "tokens" | "tokens/{tokenId}" | "wallet/balances"}`
  // The intersection keeps TypeScript from dropping the routes above, which editors complete.
  | (`${"GET" | "POST"} /${string}` & Record<never, never>);

/** The part of a path before the routes of faults. */
export const routeGroup = /^\/v1\/(?:external(?:\/[\w-]+-auth)?|merchants\/[^/]+)/;

/**
 * Whether a request matches a route. The route's path starts after the group of routes (`/v1/external/secretkey-auth`,
 * `/v1/external/payment-secret-auth`, `/v1/external`, `/v1/merchants/{merchantId}`), or with `/v1` to match one group
 * only. It matches every path that begins with the same segments; `{…}` matches any segment.
 */
export function isOnRoute(route: FaultRoute, method: string, pathname: string): boolean {
  if (route === "*") return true;
  const [, wantedMethod, path = ""] = /^(GET|POST) (\/\S*)$/.exec(route) ?? [];
  if (wantedMethod !== method) return false;
  const wanted = path.split("/").filter(Boolean);
  const segments = (wanted[0] === "v1" ? pathname : pathname.replace(routeGroup, ""))
    .split("/")
    .filter(Boolean);
  // Either segment may be a placeholder: paths of operations have them too, paths of requests do not.
  return wanted.every((part, index) => {
    const segment = segments[index];
    return part === segment || (segment && (part.startsWith("{") || segment.startsWith("{")));
  });
}

/** @throws {InvalidRequestError} code `unknown_route` when it can never match an operation. */
export function checkRoute(route: FaultRoute): void {
  const operations = Object.values(operationTable);
  if (operations.some(({ method, path }) => isOnRoute(route, method, path))) return;
  const known = operations.map(({ method, path }) => `${method} ${path.replace(routeGroup, "")}`);
  checkName("route", route, ["*", ...new Set(known)], "unknown_route");
}
