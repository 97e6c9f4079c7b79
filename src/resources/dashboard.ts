import type { ApiPromise } from "../http/api-promise.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { Withdrawal, WithdrawalConfig, WithdrawalListQuery } from "../wire/withdrawal.ts";

import { type ListOptions, list, type PagePromise } from "./lists/page.ts";

/** Withdrawals as the merchant's dashboard sees them (interface section 4.7). */
export class DashboardWithdrawals {
  readonly #http: Http;
  readonly #merchantId: string;

  /** @internal */
  constructor(http: Http, merchantId: string) {
    this.#http = http;
    this.#merchantId = merchantId;
  }

  /** Lists withdrawals. Await it for one page, or iterate it for all. */
  list(query: WithdrawalListQuery = {}, options?: ListOptions): PagePromise<Withdrawal> {
    const path = { merchantId: this.#merchantId };
    const listing = { operation: operations.listMerchantWithdrawals, path, query: { ...query } };
    return list(this.#http, listing, options);
  }

  /**
   * Reads one withdrawal.
   *
   * @throws {NotFoundError} when the merchant has no withdrawal with the id.
   */
  get(withdrawalId: string, options?: RequestOptions): ApiPromise<Withdrawal> {
    const path = { merchantId: this.#merchantId, withdrawalId };
    return this.#http.call(operations.getMerchantWithdrawal, { path }, options);
  }
}

/** What a dashboard's bearer token gives access to (interface sections 4.6 and 4.7). */
export class Dashboard {
  readonly withdrawals: DashboardWithdrawals;
  readonly #http: Http;
  readonly #merchantId: string;

  /** @internal */
  constructor(http: Http, merchantId: string) {
    this.withdrawals = new DashboardWithdrawals(http, merchantId);
    this.#http = http;
    this.#merchantId = merchantId;
  }

  /** What can be withdrawn: the tokens and chains, the limits, and the wallet that sends. */
  withdrawalConfig(options?: RequestOptions): ApiPromise<WithdrawalConfig> {
    const path = { merchantId: this.#merchantId };
    return this.#http.call(operations.getWithdrawalConfig, { path }, options);
  }
}
