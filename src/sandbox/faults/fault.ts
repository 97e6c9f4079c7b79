import { maxTimerMs } from "../../duration.ts";
import { checkOptionNames, invalidArgument, isRecord, jsonText, show } from "../../values.ts";
import { operationTable } from "../../wire/operations.ts";
import { isWholeWithin } from "../checks.ts";

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
  if (!isRecord(fault as unknown)) throw invalidFault("fault", "must be an object");
  if ("status" in fault) {
    checkOptionNames(fault, ["status", "when", "retryAfter", "body", "latencyMs"]);
    if (!isWholeWithin(fault.status, 200, 599)) {
      throw invalidFault("status", "must be a whole number from 200 to 599");
    }
    // Otherwise an invalid header would only fail when the fault applies.
    const { retryAfter = "" } = fault;
    const isText = typeof retryAfter === "string" && /^[\x20-\x7e]*$/.test(retryAfter);
    if (!isText && !Number.isFinite(retryAfter)) {
      throw invalidFault("retryAfter", "must be a number of seconds, or a date as a string");
    }
    checkLatency(fault.latencyMs ?? 0);
    checkMoment(fault.when, ["before", "after"]);
  } else if ("latencyMs" in fault) {
    checkOptionNames(fault, ["latencyMs", "when"]);
    checkLatency(fault.latencyMs);
    checkMoment(fault.when, ["before", "after"]);
  } else if (fault.connection === "reset") {
    checkOptionNames(fault, ["connection", "when"]);
    checkMoment(fault.when, ["before", "after", "mid-answer"]);
  } else if (fault.connection === "truncated") {
    checkOptionNames(fault, ["connection"]);
  } else {
    throw invalidFault(
      "fault",
      'must have a status, a latencyMs, or a connection of "reset" or "truncated"',
    );
  }
  // As JSON, like everything in the store, and a copy, because the caller may change the original.
  const json = jsonText(fault);
  if (json === undefined) throw invalidFault("body", "must be text, or a value that JSON can hold");
  return JSON.parse(json);
}

function checkLatency(latencyMs: number): void {
  // Longer timers fire at once.
  if (isWholeWithin(latencyMs, 0, maxTimerMs)) return;
  throw invalidFault("latencyMs", `must be a whole number of milliseconds up to ${maxTimerMs}`);
}

function checkMoment(when: string, moments: readonly string[]): void {
  if (!moments.includes(when)) throw invalidFault("when", `must be ${moments.join(" or ")}`);
}

/** @throws {InvalidRequestError} code `invalid_fault`. */
export function checkedRate(rate: RateLimit): Required<RateLimit> {
  if (!isRecord(rate as unknown)) throw invalidFault("limit", "must be an object, or null");
  checkOptionNames(rate, ["requestsPerSecond", "retryAfterSeconds"]);
  const { requestsPerSecond, retryAfterSeconds = 1 } = rate;
  for (const [name, value] of Object.entries({ requestsPerSecond, retryAfterSeconds })) {
    if (!isWholeWithin(value, 0, Number.MAX_SAFE_INTEGER)) {
      throw invalidFault(name, "must be zero or a positive whole number");
    }
  }
  return { requestsPerSecond, retryAfterSeconds };
}

function invalidFault(param: string, problem: string) {
  return invalidArgument(param, `${param} ${problem}.`, "invalid_fault");
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
  const message =
    `The service has no route that begins with ${show(route)}. Pass a method and a path, such as "POST /payments", ` +
    '"GET /withdrawals/{withdrawalId}" or "POST /payments/{paymentId}/quotes", or "*".';
  throw invalidArgument("route", message, "unknown_route");
}
