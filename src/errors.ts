// Longer than 300 lines: every error class stands here.

/**
 * What the service may have done about the request behind an error.
 *
 * - `not_sent`: nothing left this process, so nothing can have happened.
 * - `rejected`: the service answered and said no.
 * - `unknown`: the request may or may not have taken effect.
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/** What a `SettlekitError` is made with. */
export interface SettlekitErrorOptions {
  /** Stable machine-readable code, in snake case. */
  readonly code: string;
  /** Default: `not_sent`. */
  readonly outcome?: Outcome | undefined;
  /** Name of the field or option at fault. */
  readonly param?: string | undefined;
  /** Name of the operation that was called, such as `payments.create`. */
  readonly operation?: string | undefined;
  /** The key that every attempt carried. */
  readonly idempotencyKey?: string | undefined;
  /** Requests sent for the call, the first one included. */
  readonly attempts?: number | undefined;
  /** The service's name for the request that was answered last. */
  readonly requestId?: string | undefined;
  /** The status that was read last, on errors of waiting for one. */
  readonly lastStatus?: string | undefined;
  /** What led to it. */
  readonly cause?: unknown;
}

/** Shared by every copy of the package in a process, so that `is` holds across copies. */
const kindsKey = Symbol.for("settlekit.error.kinds");

/** What an error of any class shows of its options, and nothing else of them: no body, no message of others. */
const factNames =
  "param operation idempotencyKey attempts requestId lastStatus status type retryAfterMs".split(
    " ",
  );

/** Where Node looks for a value's own way of being printed. */
const inspectKey = Symbol.for("nodejs.util.inspect.custom");

/**
 * The root of everything settlekit throws on purpose.
 *
 * Messages state the fact and the cure. No error shows a credential, whether printed, inspected or
 * serialised.
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
  /** The class's name, kept when a minifier renames the class. */
  static readonly kind: string = "SettlekitError";

  /** Stable machine-readable code. */
  readonly code: string;
  /** What the service may have done; `not_sent` for errors that have nothing to do with a request. */
  readonly outcome: Outcome;
  /** Name of the field or option at fault. */
  declare readonly param?: string;
  /** Name of the operation that was called, such as `payments.create`. */
  declare readonly operation?: string;
  /** The key that every attempt of a creation carried. */
  declare readonly idempotencyKey?: string;
  /** Requests sent for the call, the first one included. */
  declare readonly attempts?: number;
  /** The service's name for the request that was answered last: quote it to its support. */
  declare readonly requestId?: string;
  /** The status that was read last, when waiting for a final one ended without it. */
  declare readonly lastStatus?: string;

  constructor(message: string, options: SettlekitErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.outcome = options.outcome ?? "not_sent";
    // What is undefined is left out, so that printed errors stay short.
    for (const [name, fact] of Object.entries(options)) {
      if (fact !== undefined && factNames.includes(name)) Object.assign(this, { [name]: fact });
    }
    const kind = new.target.kind;
    Object.defineProperty(this, "name", { value: kind, configurable: true, writable: true });
    // The stack's first line was written before the name was known.
    if (this.stack?.startsWith("Error")) this.stack = `${kind}${this.stack.slice("Error".length)}`;
  }

  /** Where the guide explains this error: a file of the package, under `node_modules`, and its section. */
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

  /**
   * What Node prints: the facts, and no getter, because bodies are behind getters.
   *
   * @internal
   */
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

  /**
   * Whether a value is an error of this class or of one derived from it, also when it comes from
   * another copy of the package, where `instanceof` fails.
   */
  static is<C extends new (...parameters: never) => SettlekitError>(
    this: C & { readonly kind: string },
    value: unknown,
  ): value is InstanceType<C> {
    if (typeof value !== "object" || value === null) return false;
    const kinds: unknown = (value as { [kindsKey]?: unknown })[kindsKey];
    // biome-ignore lint/complexity/noThisInStatic: the subclass that `is` was called on decides.
    return Array.isArray(kinds) && kinds.includes(this.kind);
  }

  /**
   * The names of this error's class and of those above it.
   *
   * @internal
   */
  get [kindsKey](): string[] {
    const kinds: string[] = [];
    for (
      let type = this.constructor as Partial<typeof SettlekitError>;
      type.kind !== undefined;
      type = Object.getPrototypeOf(type)
    ) {
      kinds.push(type.kind);
    }
    return kinds;
  }
}

/** What an `ApiError` is made with. */
export interface ApiErrorOptions extends SettlekitErrorOptions {
  /** HTTP status; absent when the mistake was found before anything was sent. */
  readonly status?: number | undefined;
  /** The service's `error.type`, such as `invalid_request_error`. */
  readonly type?: string | undefined;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The answer's body: parsed JSON, or text where it was none. */
  readonly body?: unknown;
}

/**
 * The service answered with an error (interface section 7), or settlekit found the same mistake
 * before sending; the latter has no `status`.
 *
 * `code` and `param` are in the service's own vocabulary. Statuses without a class of their own
 * come as a plain `ApiError`.
 */
export class ApiError extends SettlekitError {
  static override readonly kind: string = "ApiError";

  /** HTTP status; absent when the mistake was found before anything was sent. */
  declare readonly status?: number;
  /** The service's `error.type`, such as `invalid_request_error`. */
  declare readonly type?: string;
  /** How long the service asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number;
  readonly #body: unknown;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options);
    this.#body = options.body;
  }

  /** The answer's body as it came. Not printed with the error: it is the service's text, not ours. */
  get body(): unknown {
    return this.#body;
  }
}

/**
 * The request can never succeed as it is: status 400 or 422, or an argument refused before sending.
 * `param` names the field; correct it before calling again.
 */
export class InvalidRequestError extends ApiError {
  static override readonly kind: string = "InvalidRequestError";
}

/**
 * The credential is missing or wrong (status 401). Check that the key is complete and belongs to the
 * environment that the client talks to.
 */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = "AuthenticationError";
}

/**
 * The credential is valid but may not do this (status 403), for example because deposits or
 * withdrawals are not enabled for the merchant.
 */
export class PermissionError extends ApiError {
  static override readonly kind: string = "PermissionError";
}

/**
 * Nothing has this id in this environment (status 404), or the base URL points beside the service.
 */
export class NotFoundError extends ApiError {
  static override readonly kind: string = "NotFoundError";
}

/**
 * The idempotency key was used before with other parameters, or its first request is still in
 * progress (status 409). New parameters take a new key.
 */
export class IdempotencyConflictError extends ApiError {
  static override readonly kind: string = "IdempotencyConflictError";
}

/**
 * Too many requests (status 429). The client waits and repeats on its own until its deadline;
 * `retryAfterMs` says how long the service wanted it to wait.
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = "RateLimitError";
}

/**
 * The service failed (status 5xx) while answering a call that is harmless to repeat. A call that may
 * have moved money ends in `OutcomeUnknownError` instead.
 */
export class ServerError extends ApiError {
  static override readonly kind: string = "ServerError";
}

/**
 * No answer came: the name was not found, the connection was refused or broke, or TLS failed.
 * `outcome` is `not_sent` when no connection was made. The platform's error code is in `code`.
 */
export class ConnectionError extends SettlekitError {
  static override readonly kind: string = "ConnectionError";
}

/**
 * The answer was not complete in time: `code` is `attempt_timeout` (`timeoutMs`) or
 * `deadline_exceeded` (`deadlineMs`).
 */
export class TimeoutError extends SettlekitError {
  static override readonly kind: string = "TimeoutError";
}

/**
 * The caller's signal ended the call; `cause` is the signal's reason. `outcome` is `not_sent` when
 * that was before the first request, and `unknown` afterwards.
 */
export class AbortError extends SettlekitError {
  static override readonly kind: string = "AbortError";
}

/** What an `OutcomeUnknownError` is made with; its outcome is `unknown`. */
export interface OutcomeUnknownErrorOptions extends Omit<SettlekitErrorOptions, "outcome"> {
  /** HTTP status of the last attempt's answer, if it had one. */
  readonly status?: number | undefined;
  /** How long that answer asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The service may have created the payment or withdrawal, and no answer said so. Nothing was
 * repeated that could have paid twice.
 *
 * The message says how to go on. `idempotencyKey` is the key that every attempt carried, `cause` the
 * last attempt's failure.
 */
export class OutcomeUnknownError extends SettlekitError {
  static override readonly kind: string = "OutcomeUnknownError";

  /** HTTP status of the last attempt's answer, if it had one. */
  declare readonly status?: number;
  /** How long that answer asked to wait, in milliseconds. */
  declare readonly retryAfterMs?: number;

  constructor(message: string, options: OutcomeUnknownErrorOptions) {
    super(message, { ...options, outcome: "unknown" });
  }
}

/** What an `UnexpectedResponseError` is made with; its outcome is `unknown` unless said otherwise. */
export interface UnexpectedResponseErrorOptions extends SettlekitErrorOptions {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The answer as it came. */
  readonly body: unknown;
}

/**
 * The service answered with success, but its answer cannot be used: it is not the JSON that is due,
 * or a field is missing that a caller cannot do without. What the service created exists; `body`
 * holds the whole answer so that nothing is lost.
 */
export class UnexpectedResponseError extends SettlekitError {
  static override readonly kind: string = "UnexpectedResponseError";

  /** HTTP status of the answer: 2xx. */
  declare readonly status: number;
  readonly #body: unknown;

  constructor(message: string, options: UnexpectedResponseErrorOptions) {
    super(message, { ...options, outcome: options.outcome ?? "unknown" });
    this.#body = options.body;
  }

  /** The answer as it came. Not printed with the error: it may hold a payment secret. */
  get body(): unknown {
    return this.#body;
  }
}

/**
 * The client, the verifier or the sandbox is set up in a way that cannot work. `param` names the
 * option. Never contains the option's value where that is a secret.
 */
export class ConfigurationError extends SettlekitError {
  static override readonly kind: string = "ConfigurationError";
}

/**
 * The database of the inbox or of the payout ledger cannot do what was asked: its tables are missing or newer, it cannot be
 * reached, or an effect broke a rule of its transaction. Nothing was half written. `cause` is the driver's error.
 */
export class StoreError extends SettlekitError {
  static override readonly kind: string = "StoreError";
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

  /** Why; equal to `code`. */
  readonly reason: WebhookFailureReason;

  constructor(reason: WebhookFailureReason, message: string) {
    super(message, { code: reason });
    this.reason = reason;
  }
}
