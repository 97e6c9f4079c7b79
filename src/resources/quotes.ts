import type { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { ReadOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import { type CreateQuoteInput, createQuoteInputSchema, type Quote } from "../wire/quote.ts";
import {
  chainIdOnWire,
  checkAmount,
  checkContract,
  checkParameters,
  ifGiven,
  otherChain,
  otherId,
} from "./arguments.ts";

/** The quotes of one payment (interface sections 2.3 and 4.3). */
export class Quotes {
  readonly #http: Http;
  readonly #paymentId: string;

  /** @internal */
  constructor(http: Http, paymentId: string) {
    this.#http = http;
    this.#paymentId = paymentId;
  }

  /** Lists the active quotes. */
  list(options?: ReadOptions): ApiPromise<Quote[]> {
    const path = { paymentId: this.#paymentId };
    const differing = (quotes: Quote[]) => quotes.flatMap((quote) => this.#differing(quote));
    return this.#http.call(operations.listQuotes, { path, differing }, options);
  }

  /**
   * Requests a quote. Repeating the request updates the same quote, so retries are harmless.
   *
   * @throws {InvalidRequestError} when the payment is no longer pending, or an argument is refused.
   * @throws {UnexpectedResponseError} when the response is a quote of another payment, or for another chain.
   */
  create(input: CreateQuoteInput = {}, options?: ReadOptions): ApiPromise<Quote> {
    const fill = () => {
      const { chainId, contractAddress, forceDepositAmount } = checkParameters(
        input,
        createQuoteInputSchema.shape,
      );
      const { wire } = this.#http.settings;
      const body = {
        chainId: ifGiven(chainId, (id) => chainIdOnWire(id, wire)),
        contractAddress: ifGiven(contractAddress, (contract) =>
          checkContract("contractAddress", contract, chainId),
        ),
        forceDepositAmount: ifGiven(forceDepositAmount, (cents) =>
          checkAmount("forceDepositAmount", cents),
        ),
      };
      const differing = (quote: Quote) => [
        ...this.#differing(quote),
        ...(body.chainId === undefined ? [] : otherChain(body.chainId, quote.chainId)),
      ];
      return { path: { paymentId: this.#paymentId }, body, differing };
    };
    return this.#http.call(operations.createQuote, fill, options);
  }

  /** A customer who paid another payment's quote would have paid for someone else. */
  #differing(quote: Quote | null): readonly string[] {
    return otherId(this.#paymentId, quote?.paymentId, "paymentId");
  }
}
