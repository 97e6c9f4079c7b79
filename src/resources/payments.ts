import { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { ReadOptions, RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import {
  type CreatedPayment,
  createPaymentBodySchema,
  type NewPayment,
  type Payment,
  type PaymentListQuery,
} from "../wire/payment.ts";
import {
  checkAmount,
  checkCurrency,
  checkParameters,
  checkRedirectUrl,
  checkReference,
  encodeMetadata,
  ifGiven,
  isComparable,
  type Metadata,
  objectAt,
  otherId,
  refused,
} from "./arguments.ts";
import { type FindOptions, findByOrderId } from "./lists/find-by-order-id.ts";
import { type ListOptions, list, type PagePromise } from "./lists/page.ts";
import { type WaitOptions, waitUntilFinal } from "./waiting.ts";

interface CreateCommon {
  /** Your own reference, for reconciliation. */
  orderId: string;
  /** Default and only value: `USD`. */
  currency?: "USD" | undefined;
  /** URL to send the customer to after completion: http, https, or a scheme of your app such as `myapp://paid`. */
  redirectUrl?: string | undefined;
  /** Passed through to the redirect as configured with the service: an object is sent as JSON, text unchanged. */
  customMetadata?: Metadata | undefined;
}

/** A deposit: the customer chooses how much to send (interface section 4.1). */
export interface CreateDepositInput extends CreateCommon {
  type: "deposit";
  /** For payments only. */
  amount?: undefined;
  /** Your own reference for the customer, at most 255 characters. */
  customerRefId?: string | undefined;
}

/** A payment: a fixed amount (interface section 4.1). */
export interface CreatePaymentInput extends CreateCommon {
  type?: "payment" | undefined;
  /** USD cents, at most 100,000,000; the service decides the minimum. */
  amount: number;
  /** For deposits only. */
  customerRefId?: undefined;
}

/** @throws {InvalidRequestError} when the input can never be valid, with the service's own codes. */
function createPaymentBody(input: CreateDepositInput | CreatePaymentInput) {
  const { type, amount, orderId, currency, redirectUrl, customMetadata, customerRefId } =
    checkParameters(input, createPaymentBodySchema.shape);
  if (type !== undefined && type !== "payment" && type !== "deposit") {
    throw refused("type", 'must be "payment" or "deposit"', type);
  }
  if (type === "deposit" && amount !== undefined) {
    const cure = "Leave it out: the customer chooses the amount of a deposit.";
    throw refused("amount", "is for payments only", amount, cure);
  }
  if (type !== "deposit" && customerRefId !== undefined) {
    const cure = 'Leave it out, or set type to "deposit".';
    throw refused("customerRefId", "is for deposits only", customerRefId, cure);
  }
  const ifMissing = 'Only a payment of type "deposit" has none.';
  return {
    type: type ?? "payment",
    amount: type === "deposit" ? undefined : checkAmount("amount", amount, ifMissing),
    currency: checkCurrency(currency),
    orderId: checkReference("orderId", orderId),
    redirectUrl: ifGiven(redirectUrl, (url) => checkRedirectUrl("redirectUrl", url)),
    customMetadata: ifGiven(customMetadata, (metadata) => encodeMetadata(metadata)),
    customerRefId: ifGiven(customerRefId, (id) => checkReference("customerRefId", id)),
  };
}

/** The fields in which a response contradicts itself or the request. */
function differing(
  body: ReturnType<typeof createPaymentBody>,
  { payment, paymentId }: CreatedPayment,
): readonly string[] {
  const { id, orderId, amountInCents }: Partial<NewPayment> = { ...payment };
  const isOtherOrder = isComparable(orderId) && plain(orderId) !== plain(body.orderId);
  const cents = isComparable(amountInCents) ? Number(amountInCents) : Number.NaN;
  // For a deposit, the customer chooses the amount.
  const { amount = cents } = body;
  const isOtherAmount = !Number.isNaN(cents) && cents !== amount;
  return [
    ...otherId(paymentId, id, "payment.id"),
    ...(isOtherOrder ? ["orderId"] : []),
    ...(isOtherAmount ? ["amountInCents"] : []),
  ];
}

/** The reference without anything that a service may change when storing it. */
function plain(orderId: string | number): string {
  const text = String(orderId).normalize("NFC").trim();
  return Number.isNaN(Number(text)) ? text : String(Number(text));
}

/** Payments and deposits of the merchant (interface sections 2.1, 4.1 and 4.2). */
export class Payments {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates a payment, or a deposit with `type: "deposit"` (interface section 4.1). Send the customer to `paymentUrl`.
   * Retries carry the same idempotency key and create nothing twice. To make it safe to repeat the call itself after a
   * crash, derive the key from the order with `idempotencyKeyFrom`.
   *
   * @throws {InvalidRequestError} when an argument is refused, before sending or by the service; `param` names it.
   * @throws {IdempotencyConflictError} when the key was used with other parameters.
   * @throws {OutcomeUnknownError} when the payment may exist: repeat the call with the error's `idempotencyKey`.
   * @throws {UnexpectedResponseError} when the response describes a different payment from the one asked for.
   * @example
   * ```ts
   * const { paymentUrl } = await client.payments.create({ amount: 2500, orderId: "order_1" });
   * ```
   */
  create(
    input: CreateDepositInput | CreatePaymentInput,
    options?: RequestOptions,
  ): ApiPromise<CreatedPayment> {
    const fill = () => {
      const body = createPaymentBody(input);
      return { body, differing: (answer: CreatedPayment) => differing(body, answer) };
    };
    return this.#http.call(operations.createPayment, fill, options);
  }

  /**
   * Reads one payment (interface section 4).
   *
   * @throws {NotFoundError} when this environment has no payment with the id.
   */
  get(paymentId: string, options?: ReadOptions): ApiPromise<Payment> {
    return this.#http.call(operations.getPayment, objectAt({ paymentId }), options);
  }

  /**
   * Lists payments, newest first by default (interface section 4.2). Await it for one page, or iterate it for all.
   *
   * @throws {InvalidRequestError} when a filter is unknown or its value is not accepted; `param` names it.
   */
  list(query: PaymentListQuery = {}, options?: ListOptions): PagePromise<Payment> {
    return list(this.#http, operations.listPayments, query, options);
  }

  /**
   * The payments with this `orderId`, in the list's order. The service cannot search by it, so this reads the list:
   * pass `createdAfter` to stop early. An empty result means that every payment (since then) was read; if the list
   * cannot be read completely, those found so far are returned.
   *
   * @throws {InvalidRequestError} when `orderId` is empty, or `createdAfter` is not a time or lies in the future.
   * @throws {UnexpectedResponseError} code `unreadable_list` when nothing was found in a list that was not complete.
   */
  findByOrderId(orderId: string, options?: FindOptions): ApiPromise<Payment[]> {
    const found = findByOrderId(this.#http, operations.listPayments, orderId, options);
    return new ApiPromise(found, "payments.findByOrderId");
  }

  /**
   * Reads the payment until its status is final: completed, confirmed, failed, expired, cancelled, refunded or
   * partially_refunded. For scripts and tests; servers should use webhooks.
   *
   * @throws {TimeoutError} when it is not final within `deadlineMs`, by default 15 minutes; `lastStatus` is set.
   */
  waitUntilFinal(paymentId: string, options?: WaitOptions): ApiPromise<Payment> {
    const read = (call: ReadOptions) => this.get(paymentId, call);
    const name = "payments.waitUntilFinal";
    return new ApiPromise(waitUntilFinal(this.#http.time, name, read, options), name);
  }
}
