import type { ApiPromise } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { CreatedPayment, Payment, PaymentListQuery } from "../wire/payment.ts";

import {
  type CreateDepositInput,
  type CreatePaymentInput,
  createPaymentBody,
} from "./create-payment.ts";
import { type FindOptions, findByOrderId } from "./find-by-order-id.ts";
import { type ListOptions, list } from "./list.ts";
import type { PagePromise } from "./page.ts";
import { type WaitOptions, waitUntilFinal } from "./wait-until-final.ts";

/** Payments and deposits of the merchant (interface sections 2.1, 4.1 and 4.2). */
export class Payments {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates a payment, or a deposit with `type: "deposit"`. Send the customer to `paymentUrl`.
   *
   * Carries an idempotency key, so that a repeated attempt creates nothing twice. To be able to
   * repeat the call itself after a crash, derive the key from the order with `idempotencyKeyFrom`.
   *
   * @throws {InvalidRequestError} when an argument is refused, by settlekit before sending or by the
   * service; `param` names it.
   * @throws {IdempotencyConflictError} when the key was used with other parameters.
   * @throws {OutcomeUnknownError} when no answer settled whether the payment exists; repeat the call
   * with the error's `idempotencyKey`.
   * @example
   * ```ts
   * const { paymentUrl } = await client.payments.create({ amount: 2500, orderId: "order_1" });
   * ```
   */
  create(
    input: CreatePaymentInput | CreateDepositInput,
    options?: RequestOptions,
  ): ApiPromise<CreatedPayment> {
    const fill = () => ({ body: createPaymentBody(input) });
    return this.#http.call(operations.createPayment, fill, options);
  }

  /**
   * Reads one payment (interface section 4).
   *
   * @throws {NotFoundError} when this environment has no payment with the id.
   */
  get(paymentId: string, options?: RequestOptions): ApiPromise<Payment> {
    return this.#http.call(operations.getPayment, { path: { paymentId } }, options);
  }

  /**
   * Lists payments, newest first unless sorted otherwise (interface section 4.2). Await it for one
   * page, or iterate it for all.
   *
   * @throws {InvalidRequestError} when `limit` is not within 1 to 1000 or `offset` is negative.
   */
  list(query: PaymentListQuery = {}, options?: ListOptions): PagePromise<Payment> {
    return list(this.#http, { operation: operations.listPayments, query: { ...query } }, options);
  }

  /**
   * All payments with this `orderId`, in the list's order. The service cannot search by it, so this
   * reads the list: give `createdAfter` to stop at a time.
   *
   * @throws {InvalidRequestError} when `orderId` is empty or `createdAfter` is no time.
   */
  findByOrderId(orderId: string, options?: FindOptions): ApiPromise<Payment[]> {
    return findByOrderId(this.#http, operations.listPayments, orderId, options);
  }

  /**
   * Reads the payment until its status is final (completed, confirmed, failed, expired or cancelled).
   * For scripts and tests: a server is told by webhook.
   *
   * @throws {TimeoutError} when it is not final within `deadlineMs`, by default 15 minutes.
   */
  waitUntilFinal(paymentId: string, options?: WaitOptions): ApiPromise<Payment> {
    return waitUntilFinal(this.#http, (call) => this.get(paymentId, call), options);
  }
}
