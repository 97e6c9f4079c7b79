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
  /** What led to it. */
  readonly cause?: unknown;
}

/** Shared by every copy of the package in a process, so that `is` holds across copies. */
const kindsKey = Symbol.for("settlekit.error.kinds");

/** What an error of any class shows of its options, and nothing else of them: no body, no message of others. */
const factNames =
  "param operation idempotencyKey attempts requestId status type retryAfterMs".split(" ");

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
