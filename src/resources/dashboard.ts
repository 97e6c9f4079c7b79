import type { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { ReadOptions } from "../http/settings.ts";
import * as operations from "../wire/operations.ts";
import type { WithdrawalConfig } from "../wire/withdrawal.ts";
import { checkId } from "./arguments.ts";
import { Withdrawals } from "./withdrawals.ts";

/** The operations that a dashboard's bearer token allows (interface sections 4.6 and 4.7). */
export class Dashboard {
  /** The merchant's withdrawals, with the same methods as `client.withdrawals`. */
  readonly withdrawals: Withdrawals;
  readonly #http: Http;

  /** @internal */
  constructor(http: Http, merchantId: string) {
    checkId("merchantId", merchantId, "the merchantId of the merchant's payments");
    this.#http = http.withCredential({ ...http.settings.credential, path: { merchantId } });
    this.withdrawals = new Withdrawals(this.#http, {
      name: "dashboard.withdrawals",
      create: operations.createMerchantWithdrawal,
      get: operations.getMerchantWithdrawal,
      list: operations.listMerchantWithdrawals,
    });
  }

  /** Reads the tokens and chains for withdrawals, the limits, and the sending wallet (interface section 4.6). */
  withdrawalConfig(options?: ReadOptions): ApiPromise<WithdrawalConfig> {
    return this.#http.call(operations.getWithdrawalConfig, {}, options);
  }
}
