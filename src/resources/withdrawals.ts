import { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { ReadOptions, RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { Withdrawal, WithdrawalListQuery } from "../wire/withdrawal.ts";
import { objectAt } from "./arguments.ts";
import { type FindOptions, findByOrderId } from "./lists/find-by-order-id.ts";
import { type ListOptions, list, type PagePromise } from "./lists/page.ts";
import type { CreateOnceOptions } from "./payouts/create-once.ts";
import { oncePerOrder } from "./payouts/once-per-order.ts";
import {
  type CreateOnceInput,
  type CreateWithdrawalInput,
  createWithdrawalBody,
  creationOf,
  type WithdrawalRoute,
} from "./payouts/payout.ts";
import { type WaitOptions, waitUntilFinal } from "./waiting.ts";

const secretKeyRoute: WithdrawalRoute = {
  name: "withdrawals",
  create: operations.createWithdrawal,
  get: operations.getWithdrawal,
  list: operations.listWithdrawals,
};

/** Withdrawals of the merchant (interface sections 2.5, 4.4 and 4.5). */
export class Withdrawals {
  readonly #http: Http;
  readonly #route: WithdrawalRoute;

  /** @internal */
  constructor(http: Http, route = secretKeyRoute) {
    this.#http = http;
    this.#route = route;
  }

  /**
   * For `ledgerClient`, which clients without a ledger do not carry. Not a getter: `util.inspect` with `getters: true`
   * would go on to zod's prototypes, whose getters break all schemas when they are read there.
   *
   * @internal
   */
  access(): { readonly http: Http; readonly route: WithdrawalRoute } {
    return { http: this.#http, route: this.#route };
  }

  /**
   * Sends money to an address (interface section 4.4). Prefer `createOnce`. The interface does not say whether the
   * service recognises repeated withdrawals, so a request that may have arrived is never repeated.
   *
   * @throws {InvalidRequestError} when an argument is refused; `param` names it.
   * @throws {OutcomeUnknownError} when the withdrawal may exist. Wait two minutes, and look it up before you call again.
   * @throws {UnexpectedResponseError} when the response describes a different withdrawal from the one asked for.
   */
  create(input: CreateWithdrawalInput, options?: RequestOptions): ApiPromise<Withdrawal> {
    const { create } = this.#route;
    const { wire } = this.#http.settings;
    const isKeyed = wire.withdrawalIdempotency === "honoured";
    const operation = isKeyed ? { ...create, replay: "keyed" as const } : create;
    const fill = () => creationOf(createWithdrawalBody(input, wire));
    return this.#http.call(operation, fill, options);
  }

  /**
   * Returns the order's withdrawal: the existing one, whatever its status, or a new one. It looks the order up before
   * it sends or repeats a request, and keeps looking until the deadline after an unknown outcome. A new payout needs a
   * new `orderId`. Equal calls in one process share one run and the first caller's deadline.
   *
   * Safe within one process. Two processes can both look before either one creates, and a restarted process does not
   * remember its request: wait two minutes before you call again, because a request can arrive late and lists lag.
   * `settlekit/payouts` keeps payouts in a database and is safe across processes, crashes and lag.
   *
   * @throws {InvalidRequestError} when an argument is refused; `param` names it.
   * @throws {IdempotencyConflictError} when the order has a withdrawal with other parameters, or several.
   * @throws {OutcomeUnknownError} when the withdrawal may exist but was not found by the deadline.
   * @throws {TimeoutError} when looking the order up took until the deadline; nothing was sent.
   * @throws {UnexpectedResponseError} when the list cannot be read completely (nothing was sent), or the response
   * describes a different withdrawal from the one asked for.
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
    const made = oncePerOrder(this.#http, this.#route, input, options);
    return new ApiPromise(made, `${this.#route.name}.createOnce`);
  }

  /**
   * Reads one withdrawal (interface section 4).
   *
   * @throws {NotFoundError} when this environment has no withdrawal with the id.
   */
  get(withdrawalId: string, options?: ReadOptions): ApiPromise<Withdrawal> {
    return this.#http.call(this.#route.get, objectAt({ withdrawalId }), options);
  }

  /**
   * Lists withdrawals (interface section 4.5). Await it for one page, or iterate it for all.
   *
   * @throws {InvalidRequestError} when a filter is unknown or its value is not accepted; `param` names it.
   */
  list(query: WithdrawalListQuery = {}, options?: ListOptions): PagePromise<Withdrawal> {
    return list(this.#http, this.#route.list, query, options);
  }

  /**
   * All withdrawals with this `orderId`, in the list's order. The service cannot search by it, so this reads the list:
   * pass `createdAfter` to stop early. An empty result means that every withdrawal (since then) was read; if the list
   * cannot be read completely, those found so far are returned.
   *
   * @throws {InvalidRequestError} when `orderId` is empty, or `createdAfter` is not a time or lies in the future.
   * @throws {UnexpectedResponseError} code `unreadable_list` when nothing was found in a list that was not complete.
   */
  findByOrderId(orderId: string, options?: FindOptions): ApiPromise<Withdrawal[]> {
    const found = findByOrderId(this.#http, this.#route.list, orderId, options);
    return new ApiPromise(found, `${this.#route.name}.findByOrderId`);
  }

  /**
   * Reads the withdrawal until its status is final: completed, failed or cancelled.
   *
   * @throws {TimeoutError} when it is not final within `deadlineMs`, by default 15 minutes; `lastStatus` is set.
   */
  waitUntilFinal(withdrawalId: string, options?: WaitOptions): ApiPromise<Withdrawal> {
    const read = (call: ReadOptions) => this.get(withdrawalId, call);
    const name = `${this.#route.name}.waitUntilFinal`;
    return new ApiPromise(waitUntilFinal(this.#http.time, name, read, options), name);
  }
}
