import { SettlekitError, type SettlekitErrorOptions } from "./settlekit-error.ts";

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
