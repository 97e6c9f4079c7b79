// Longer than 300 lines: every public error class, in one file.

/**
 * Whether the request behind an error may have taken effect. `not_sent`: nothing left this process. `rejected`: the
 * service refused it. `unknown`: it may or may not have taken effect.
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/** The options of every error. */
export interface SettlekitErrorOptions
  extends Partial<Pick<SettlekitError, (typeof factNames)[number]>> {
  /** Stable machine-readable code, in snake case. */
  readonly code: string;
  /** @defaultValue `not_sent` */
  readonly outcome?: Outcome | undefined;
  /** The response body: parsed JSON, or text. Classes without a `body` ignore it. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** Shared by every copy of the package in a process, so that `is` works across copies. */
const kindsKey = Symbol.for("settlekit.error.kinds");

/**
 * The options that become fields, in the order in which they are printed. Not the body, which is the service's text.
 */
const factNames = [
  "param",
  "operation",
  "idempotencyKey",
  "attempts",
  "requestId",
  "lastStatus",
  "status",
  "type",
  "retryAfterMs",
] as const;

/** The bodies of errors, kept where nothing prints them. */
const bodies = /* @__PURE__ */ new WeakMap<SettlekitError, unknown>();

/** Node calls a method with this name to print an object. */
const inspectKey = Symbol.for("nodejs.util.inspect.custom");

/**
 * The base class of every error that settlekit throws on purpose. Messages state the fact and the cure. No error shows
 * a credential, whether printed, inspected or serialised.
 *
 * @example
 * ```ts
 * try {
 *   await client.payments.get(paymentId);
 * } catch (error) {
 *   if (SettlekitError.is(error)) console.error(error.code, error.outcome, error.message);
 * }
 * ```
 */
export class SettlekitError extends Error {
  /** The class's name, even if a minifier renames the class. */
  static readonly kind: string = "SettlekitError";

  /** Stable machine-readable code. */
  readonly code: string;
  /** Whether the request may have taken effect; `not_sent` for errors without a request. */
  readonly outcome: Outcome;
  /** Name of the field or option at fault. */
  declare readonly param?: string | undefined;
  /** Name of the operation that was called, such as `payments.create`. */
  declare readonly operation?: string | undefined;
  /** The key that every attempt of a creation carried. */
  declare readonly idempotencyKey?: string | undefined;
  /** Requests sent for the call, the first one included; for a wait, its reads. */
  declare readonly attempts?: number | undefined;
  /** The service's id of the last request that it answered. Quote it to the service's support. */
  declare readonly requestId?: string | undefined;
  /** HTTP status of the last response; absent if there was none. */
  declare readonly status?: number | undefined;
  /** The service's `error.type`, such as `invalid_request_error`. */
  declare readonly type?: string | undefined;
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number | undefined;
  /** The last status that was read, if a wait ended without a final one. */
  declare readonly lastStatus?: string | undefined;

  constructor(message: string, options: SettlekitErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.outcome = options.outcome ?? "not_sent";
    bodies.set(this, options.body);
    // Leave out undefined facts, to keep printed errors short.
    for (const name of factNames) {
      if (options[name] !== undefined) Object.assign(this, { [name]: options[name] });
    }
    const kind = new.target.kind;
    Object.defineProperty(this, "name", { value: kind, configurable: true, writable: true });
  }

  /** The section of the guide that explains this error: a file in the package, under `node_modules`, with an anchor. */
  get docs(): string {
    return `settlekit/docs/errors.md#${this.name.toLowerCase()}`;
  }

  /** Everything that is safe to log, as a plain object. */
  toJSON(): Record<string, unknown> {
    const { name, message, docs, cause } = this;
    const facts: Record<string, unknown> = { name, message };
    Object.assign(facts, this, { docs });
    if (SettlekitError.is(cause)) facts.cause = cause.toJSON();
    return facts;
  }

  /** Node's output. It shows fields but no getters: bodies are behind getters. @internal */
  [inspectKey](
    depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ) {
    if (depth < 0) return `[${this.name}]`;
    const { stack, cause } = this;
    const facts = cause === undefined ? { ...this } : { ...this, cause };
    return `${stack ?? this} ${inspect(facts, options)}`;
  }

  /** Whether a value is an error of this class, even from another copy of the package, where `instanceof` fails. */
  static is<C extends new (...parameters: never) => SettlekitError>(
    this: C & { readonly kind: string },
    value: unknown,
  ): value is InstanceType<C> {
    const kinds: unknown = Object(value)[kindsKey];
    // biome-ignore lint/complexity/noThisInStatic: the result depends on the subclass that `is` was called on.
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }

  /** The names of this error's class and its superclasses. @internal */
  get [kindsKey](): string[] {
    const kinds: string[] = [];
    let type = this.constructor as Partial<typeof SettlekitError>;
    for (; type.kind !== undefined; type = Object.getPrototypeOf(type)) kinds.push(type.kind);
    return kinds;
  }
}

/** The options of an `ApiError`. */
export type ApiErrorOptions = SettlekitErrorOptions;

/**
 * The service answered with an error (interface section 7), or settlekit found the same mistake before sending; then
 * there is no `status`. `code` and `param` are the service's own. A status without its own class becomes a plain
 * `ApiError`.
 */
export class ApiError extends SettlekitError {
  static override readonly kind: string = "ApiError";

  /** The response body as received. Not printed with the error: it is the service's text, not ours. */
  get body(): unknown {
    return bodies.get(this);
  }
}

/** A request that can never succeed: status 400 or 422, or refused before sending. `param` names what to correct. */
export class InvalidRequestError extends ApiError {
  static override readonly kind: string = "InvalidRequestError";
  declare readonly name: "InvalidRequestError";
}

/** The credential is missing or wrong (401). Check that it is complete and belongs to this environment. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = "AuthenticationError";
  declare readonly name: "AuthenticationError";
}

/** The credential is valid but lacks permission (403), for example because withdrawals are not enabled. */
export class PermissionError extends ApiError {
  static override readonly kind: string = "PermissionError";
  declare readonly name: "PermissionError";
}

/** Nothing in this environment has this id (404), or the base URL does not lead to the service. */
export class NotFoundError extends ApiError {
  static override readonly kind: string = "NotFoundError";
  declare readonly name: "NotFoundError";
}

/**
 * The key was used with other parameters, or its first request is still running (409); or the `orderId` has another
 * payout. Before you send other parameters with a new key, check what the first request created.
 */
export class IdempotencyConflictError extends ApiError {
  static override readonly kind: string = "IdempotencyConflictError";
  declare readonly name: "IdempotencyConflictError";
}

/** Rate-limited (429), and `deadlineMs` or `maxRetries` allows no further attempt. See `retryAfterMs`. */
export class RateLimitError extends ApiError {
  static override readonly kind: string = "RateLimitError";
  declare readonly name: "RateLimitError";
}

/** The service failed (5xx) on a call that is harmless to repeat without a key. Others end in `OutcomeUnknownError`. */
export class ServerError extends ApiError {
  static override readonly kind: string = "ServerError";
  declare readonly name: "ServerError";
}

/**
 * A connection failed, so there is no response. `code` is the platform's, such as `ECONNREFUSED`, else
 * `connection_failed`, `no_answer` or `fetch_failed`; `outcome` is `not_sent` if no connection was made.
 */
export class ConnectionError extends SettlekitError {
  static override readonly kind: string = "ConnectionError";
  declare readonly name: "ConnectionError";
}

/** No complete response in time. `code` is `attempt_timeout` (`timeoutMs`) or `deadline_exceeded` (`deadlineMs`). */
export class TimeoutError extends SettlekitError {
  static override readonly kind: string = "TimeoutError";
  declare readonly name: "TimeoutError";
}

/** The caller's signal ended the call; `cause` is its reason. `outcome` is `unknown` once a request was sent. */
export class AbortError extends SettlekitError {
  static override readonly kind: string = "AbortError";
  declare readonly name: "AbortError";
}

/** The options of an `OutcomeUnknownError`. */
export type OutcomeUnknownErrorOptions = Omit<SettlekitErrorOptions, "outcome">;

/**
 * The service may have created the payment or withdrawal, but no response confirmed it. No request that could pay twice
 * was repeated. The message says how to continue; `idempotencyKey` is the key of every attempt, and `cause` is the last
 * failure.
 */
export class OutcomeUnknownError extends SettlekitError {
  static override readonly kind: string = "OutcomeUnknownError";
  declare readonly name: "OutcomeUnknownError";

  constructor(message: string, options: OutcomeUnknownErrorOptions) {
    super(message, { ...options, outcome: "unknown" });
  }
}

/** The options of an `UnexpectedResponseError`. */
export interface UnexpectedResponseErrorOptions extends SettlekitErrorOptions {
  readonly status: number;
  readonly body: unknown;
}

/**
 * A success whose response cannot be used: it is not the expected JSON, or lacks a field that a caller needs.
 * Anything that the service created still exists. `outcome` is `unknown` by default.
 */
export class UnexpectedResponseError extends SettlekitError {
  static override readonly kind: string = "UnexpectedResponseError";
  declare readonly name: "UnexpectedResponseError";

  declare readonly status: number;

  constructor(message: string, options: UnexpectedResponseErrorOptions) {
    super(message, { ...options, outcome: options.outcome ?? "unknown" });
  }

  /** The whole response. Not printed with the error: it may contain a payment secret. */
  get body(): unknown {
    return bodies.get(this);
  }
}

/** An option or environment variable is invalid, or a call came at the wrong time. `param` names the option, if any. */
export class ConfigurationError extends SettlekitError {
  static override readonly kind: string = "ConfigurationError";
  declare readonly name: "ConfigurationError";
}

/**
 * The database of the inbox or of the payout ledger cannot do what was asked: its tables are missing or newer than this
 * version, it cannot be reached, or an effect broke a rule of its transaction. Nothing was partially written. `cause`
 * is the driver's error.
 */
export class StoreError extends SettlekitError {
  static override readonly kind: string = "StoreError";
  declare readonly name: "StoreError";
}

/** Why a delivery was not accepted. The guide to webhooks explains each. */
export type WebhookFailureReason =
  | "missing_signature"
  | "missing_timestamp"
  | "malformed_signature"
  | "malformed_timestamp"
  | "signature_mismatch"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "body_already_parsed"
  | "body_too_large"
  | "body_timeout"
  | "invalid_json"
  | "invalid_event";

/** A webhook delivery was not accepted (interface section 6). `code` equals `reason`. */
export class WebhookVerificationError extends SettlekitError {
  static override readonly kind: string = "WebhookVerificationError";
  declare readonly name: "WebhookVerificationError";

  /** Equal to `code`. */
  readonly reason: WebhookFailureReason;

  constructor(reason: WebhookFailureReason, message: string) {
    super(message, { code: reason });
    this.reason = reason;
  }
}
