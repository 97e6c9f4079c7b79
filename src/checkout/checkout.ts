import * as z from "zod/mini";
import type { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import { callSchema, type ReadOptions } from "../http/settings.ts";
import {
  chainIdOnWire,
  checkContract,
  checkId,
  checkParameters,
  checkText,
  ifGiven,
  objectAt,
} from "../resources/arguments.ts";
import { Quotes } from "../resources/quotes.ts";
import { followStatus } from "../resources/waiting.ts";
import { checkOptions, must } from "../wire/fields.ts";
import * as operations from "../wire/operations.ts";
import {
  type NewPayment,
  type Payment,
  type PaymentState,
  type RefreshStatusInput,
  refreshStatusInputSchema,
} from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";
import { type PaymentRequest, paymentRequest } from "./payment-request.ts";

/** How often to read the status, and when to stop. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
  /** The first wait between reads, in milliseconds; later ones grow to 10,000, unless this is longer. Default 3,000. */
  readonly intervalMs?: number | undefined;
  /** Added to every read. May not set credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const { signal, headers } = callSchema.shape;
const interval = must("a number of milliseconds above 0");
const intervalMs = z.optional(z.number(interval).check(z.positive(interval)));
const watchSchema = z.strictObject({ signal, intervalMs, headers });

/** One payment as its customer may see it, through the payment secret (interface section 4.3). */
export class Checkout {
  /** The payment's quotes. */
  readonly quotes: Quotes;
  readonly #http: Http;
  readonly #payment: ReturnType<typeof objectAt>;

  /** @internal */
  constructor(http: Http, paymentId: string) {
    checkId("paymentId", paymentId, "the id that payments.create returned");
    this.quotes = new Quotes(http, paymentId);
    this.#http = http;
    this.#payment = objectAt({ paymentId });
  }

  /** Reads the payment with its quotes and deposit address. */
  payment(options?: ReadOptions): ApiPromise<Payment> {
    return this.#http.call(operations.getCheckoutPayment, this.#payment, options);
  }

  /** Reads the payment's status alone. */
  status(options?: ReadOptions): ApiPromise<PaymentState> {
    return this.#http.call(operations.getCheckoutStatus, this.#payment, options);
  }

  /** Has the service check the chain now; a hint makes it look for a specific transaction. */
  refreshStatus(input: RefreshStatusInput = {}, options?: ReadOptions): ApiPromise<PaymentState> {
    const fill = () => {
      const { transactionHash, chainId, tokenContractAddress } = checkParameters(
        input,
        refreshStatusInputSchema.shape,
      );
      const { wire } = this.#http.settings;
      const body = {
        transactionHash: ifGiven(transactionHash, (hash) =>
          checkText("transactionHash", "a transaction's hash", hash),
        ),
        chainId: ifGiven(chainId, (id) => chainIdOnWire(id, wire)),
        tokenContractAddress: ifGiven(tokenContractAddress, (contract) =>
          checkContract("tokenContractAddress", contract, chainId),
        ),
      };
      return { ...this.#payment, body };
    };
    return this.#http.call(operations.refreshCheckoutStatus, fill, options);
  }

  /**
   * Follows the payment's status: yields the current one, then each change, and ends after a final one. Reads with
   * backoff and jitter; temporary failures do not end it.
   *
   * @throws {AbortError} when the signal aborts; `lastStatus` is the last status read.
   * @throws {AuthenticationError} when the secret is not this payment's.
   * @example
   * ```ts
   * for await (const { status } of checkout.watch()) {
   *   show(status);
   * }
   * ```
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<PaymentState, void> {
    let last: unknown;
    for await (const state of this.everyStatus(options)) {
      if (state.status !== last) yield state;
      last = state.status;
    }
  }

  /** @internal Like `watch`, but yields the status of every read. */
  async *everyStatus(options: WatchOptions): AsyncGenerator<PaymentState, void> {
    const { signal, intervalMs = 3000, headers } = checkOptions(watchSchema, options);
    const { time } = this.#http;
    const waits = { time, signal, intervalMs, maxIntervalMs: Math.max(intervalMs, 10_000) };
    const read = () => this.status({ signal, headers });
    for await (const { data } of followStatus("checkout.watch", read, waits)) yield data;
  }

  /**
   * Everything a page shows for the customer to pay a quote.
   *
   * @throws {InvalidRequestError} when the quote belongs to another payment, is not for an EVM chain, or has no address
   * or amount that can be paid.
   */
  paymentRequest(payment: NewPayment, quote: Quote): PaymentRequest {
    return paymentRequest(payment, quote, () => this.#http.serviceNow());
  }
}
