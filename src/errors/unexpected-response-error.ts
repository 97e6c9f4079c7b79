import { SettlekitError, type SettlekitErrorOptions } from "./settlekit-error.ts";

/** What an `UnexpectedResponseError` is made with; its outcome is `unknown`. */
export interface UnexpectedResponseErrorOptions extends Omit<SettlekitErrorOptions, "outcome"> {
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
    super(message, { ...options, outcome: "unknown" });
    this.#body = options.body;
  }

  /** The answer as it came. Not printed with the error: it may hold a payment secret. */
  get body(): unknown {
    return this.#body;
  }
}
