import { ApiPromise, type ApiResponse } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { Withdrawal, WithdrawalListQuery } from "../wire/withdrawal.ts";

import { checkObject, checkReference } from "./arguments.ts";
import { type FindOptions, findByOrderId } from "./lists/find-by-order-id.ts";
import { type ListOptions, list, type PagePromise } from "./lists/page.ts";
import { type CreateOnceOptions, createOnce } from "./payouts/create-once.ts";
import {
  type CreateWithdrawalInput,
  createWithdrawalBody,
  withdrawalCreation,
} from "./payouts/payout.ts";

import { SingleFlight } from "./payouts/single-flight.ts";
import { type WaitOptions, waitUntilFinal } from "./waiting.ts";

/** What `createOnce` has under way in this process, for all clients of one merchant. */
const flights = /* @__PURE__ */ new SingleFlight<ApiResponse<Withdrawal>>();

/** A withdrawal whose `orderId` makes it one. */
export interface CreateOnceInput extends CreateWithdrawalInput {
  orderId: string;
}

/** Withdrawals of the merchant (interface sections 2.5, 4.4 and 4.5). */
export class Withdrawals {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Sends money to an address (interface section 4.4). Prefer `createOnce`.
   *
   * The interface does not say whether a repeated withdrawal is recognised, so this never repeats a
   * request that may have arrived.
   *
   * @throws {InvalidRequestError} when an argument is refused; `param` names it.
   * @throws {OutcomeUnknownError} when the withdrawal may exist. Do not repeat the call: look first.
   */
  create(input: CreateWithdrawalInput, options?: RequestOptions): ApiPromise<Withdrawal> {
    const { wire } = this.#http.settings;
    const fill = () => ({ body: createWithdrawalBody(input, wire) });
    return this.#http.call(withdrawalCreation(wire), fill, options);
  }

  /**
   * Gives the order's withdrawal: the one that exists, whatever its status, or a new one. Looks first,
   * sends at most one request to create it, and in doubt looks again until the deadline. A new payout
   * takes a new `orderId`. Calls in one process that ask for the same share their work, and with it the
   * first caller's deadline.
   *
   * Two processes can still pass each other between looking and creating, unless the service honours
   * repeated idempotency keys. A unique row per order in your database closes that gap.
   *
   * @throws {IdempotencyConflictError} when the order has a withdrawal with other parameters, or
   * several; nothing was sent.
   * @throws {OutcomeUnknownError} when the withdrawal may exist but was not found by the deadline.
   * @example
   * ```ts
   * const withdrawal = await client.withdrawals.createOnce({
   *   orderId: "payout_2026_07_seller_9",
   *   amountInCents: 12_500,
   *   chainId: 8453,
   *   recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
   * });
   * ```
   */
  createOnce(input: CreateOnceInput, options: CreateOnceOptions = {}): ApiPromise<Withdrawal> {
    const run = async () => {
      const id = checkReference("orderId", checkObject(input).orderId);
      const body = createWithdrawalBody(input, this.#http.settings.wire);
      const start = (signal: AbortSignal) =>
        createOnce(this.#http, { id, body }, { ...options, signal });
      const key = await this.#http.accountKey("withdrawals.createOnce", id);
      return flights.run(key, JSON.stringify(body), start, options.signal);
    };
    return new ApiPromise(run());
  }

  /**
   * Reads one withdrawal (interface section 4).
   *
   * @throws {NotFoundError} when this environment has no withdrawal with the id.
   */
  get(withdrawalId: string, options?: RequestOptions): ApiPromise<Withdrawal> {
    return this.#http.call(operations.getWithdrawal, { path: { withdrawalId } }, options);
  }

  /**
   * Lists withdrawals (interface section 4.5). Await it for one page, or iterate it for all.
   *
   * @throws {InvalidRequestError} when `limit` is not within 1 to 1000 or `offset` is negative.
   */
  list(query: WithdrawalListQuery = {}, options?: ListOptions): PagePromise<Withdrawal> {
    const listing = { operation: operations.listWithdrawals, query: { ...query } };
    return list(this.#http, listing, options);
  }

  /**
   * All withdrawals with this `orderId`, in the list's order. The service cannot search by it, so this
   * reads the list: give `createdAfter` to stop at a time.
   *
   * @throws {InvalidRequestError} when `orderId` is empty or `createdAfter` is no time.
   */
  findByOrderId(orderId: string, options?: FindOptions): ApiPromise<Withdrawal[]> {
    return findByOrderId(this.#http, { operation: operations.listWithdrawals }, orderId, options);
  }

  /**
   * Reads the withdrawal until its status is final: completed, failed or cancelled.
   *
   * @throws {TimeoutError} when it is not final within `deadlineMs`, by default 15 minutes.
   */
  waitUntilFinal(withdrawalId: string, options?: WaitOptions): ApiPromise<Withdrawal> {
    return waitUntilFinal(this.#http, (call) => this.get(withdrawalId, call), options);
  }
}
