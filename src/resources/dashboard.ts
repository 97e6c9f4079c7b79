import type { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { RequestOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { WithdrawalConfig } from "../wire/withdrawal.ts";
import { checkId } from "./arguments.ts";
import { Withdrawals } from "./withdrawals.ts";

/** The operations that a dashboard's bearer token opens (interface sections 4.6 and 4.7). */
export class Dashboard {
  /** The merchant's withdrawals, with the same methods as `client.withdrawals`. */
  readonly withdrawals: Withdrawals;
  readonly #http: Http;
  readonly #path: { readonly merchantId: string };

  /** @internal */
  constructor(http: Http, merchantId: string) {
    checkId("merchantId", merchantId, "the merchantId of the merchant's payments");
    this.#http = http;
    this.#path = { merchantId };
    this.withdrawals = new Withdrawals(http, {
      name: "dashboard.withdrawals",
      create: operations.createMerchantWithdrawal,
      get: operations.getMerchantWithdrawal,
      list: { operation: operations.listMerchantWithdrawals, path: this.#path },
      path: this.#path,
    });
  }

  /** Reads the tokens and chains for withdrawals, the limits, and the wallet that sends. */
  withdrawalConfig(options?: RequestOptions): ApiPromise<WithdrawalConfig> {
    return this.#http.call(operations.getWithdrawalConfig, { path: this.#path }, options);
  }
}
