/** A value together with the facts of the answer that brought it. */
export interface ApiResponse<T> {
  readonly data: T;
  readonly status: number;
  readonly headers: Headers;
  /** The service's name for the request; quote it to its support. */
  readonly requestId: string | undefined;
  /** The key that every attempt carried, on calls that create something. */
  readonly idempotencyKey: string | undefined;
  /** Requests sent for the call, the first one included. */
  readonly attempts: number;
}

/**
 * The result of every call: await it for the value, or `withResponse()` for the answer around it.
 * The request is on its way as soon as the method was called.
 *
 * @example
 * ```ts
 * const payment = await client.payments.get(paymentId);
 * const { data, requestId, attempts } = await client.payments.get(paymentId).withResponse();
 * ```
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>;

  /** `then`, `catch` and `finally` give plain promises: only the call itself has a response. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(response: Promise<ApiResponse<T>>) {
    super((resolve, reject) => {
      // Settled by the platform's own functions, across which an error's stack finds the caller's line.
      response.then(({ data }) => data).then(resolve, reject);
    });
    this.#response = response;
  }

  /** The value, with the status, headers and request id of the answer that brought it. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.then(() => this.#response);
  }
}
