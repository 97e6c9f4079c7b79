import type { ApiPromise } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { PageBody } from "../wire/pagination.ts";
import type { Payment } from "../wire/payment.ts";
import type { CreatedPayment } from "../wire/payment-creation.ts";
import type { PaymentListQuery } from "../wire/payment-list.ts";
import {
  type CreateDepositInput,
  type CreatePaymentInput,
  createPaymentBody,
  paymentListQuery,
} from "./payment-arguments.ts";

/** Payments and deposits of the merchant (interface sections 2.1, 4.1 and 4.2). */
export class Payments {
  readonly #http: Http;

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
   * Reads one page of payments, newest first unless sorted otherwise (interface section 4.2).
   *
   * @throws {InvalidRequestError} when `limit` is not within 1 to 1000 or `offset` is negative.
   */
  list(query: PaymentListQuery = {}, options?: RequestOptions): ApiPromise<PageBody<Payment>> {
    const fill = () => ({ query: { ...paymentListQuery(query) } });
    return this.#http.call(operations.listPayments, fill, options);
  }
}
