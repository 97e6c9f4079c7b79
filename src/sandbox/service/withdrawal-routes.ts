import { toRecipientAddress } from "../../evm/address.ts";
import {
  createMerchantWithdrawal,
  createWithdrawal,
  getMerchantWithdrawal,
  getWithdrawal,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  listWithdrawals,
} from "../../wire/operations.ts";
import type { PageBody } from "../../wire/pagination.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import type {
  CreateWithdrawalBody,
  Withdrawal,
  WithdrawalConfig,
  WithdrawalListQuery,
} from "../../wire/withdrawal.ts";
import { found, Refusal } from "./answers.ts";
import { pageOf } from "./lists.ts";
import { type Call, type Route, route } from "./operations.ts";
import { pricedTokens, supportedChainIds } from "./tokens.ts";
import { checkAmount, checkBy, checkMetadata, checkOneOf } from "./validation.ts";
import type { Withdrawals } from "./withdrawals.ts";

/** Interface section 8. */
const minAmountInCents = 100;

/** Withdrawals for the merchant's server and for its dashboard (interface sections 4.4 to 4.7). */
export function withdrawalRoutes(withdrawals: Withdrawals): Route[] {
  function create({ body, merchant }: Call<CreateWithdrawalBody>): Withdrawal {
    if (!merchant.withdrawalsEnabled) {
      throw new Refusal(403, {
        code: "withdrawals_disabled",
        message: "Withdrawals are disabled for this merchant. Enable them first.",
      });
    }
    checkAmount("amountInCents", body.amountInCents, minAmountInCents);
    checkOneOf("chainId", supportedChainIds, body.chainId);
    checkBy(() => toRecipientAddress(body.recipientAddress));
    checkMetadata(body.customMetadata);
    return withdrawals.create(merchant.merchantId, body);
  }

  function get({ path: { withdrawalId = "" }, merchant }: Call): Withdrawal {
    const withdrawal = withdrawals.find(withdrawalId);
    const isOwn = withdrawal?.merchantId === merchant.merchantId;
    return found("withdrawal", isOwn ? withdrawal : undefined);
  }

  function list({ query, merchant }: Call<unknown, WithdrawalListQuery>): PageBody<Withdrawal> {
    const { status } = query;
    const matching = status && ((withdrawal: Withdrawal) => withdrawal.status === status);
    const { data, pagination } = pageOf(withdrawals.allOf(merchant.merchantId), query, {
      from: "last",
      matching: matching || undefined,
    });
    return { data: data.map(asListed), pagination };
  }

  function config({ merchant }: Call): WithdrawalConfig {
    return {
      backendWallet: merchant.backendWallet,
      supported: pricedTokens.map(({ token }) => token),
      limits: { minAmountInCents, maxAmountInCents },
    };
  }

  return [
    route(createWithdrawal, create),
    route(getWithdrawal, get),
    route(listWithdrawals, list),
    // Before the route of one withdrawal, whose id would otherwise be "config".
    route(getWithdrawalConfig, config),
    route(createMerchantWithdrawal, create),
    route(getMerchantWithdrawal, get),
    route(listMerchantWithdrawals, list),
  ];
}

/** Interface section 2.5: lists leave out what a withdrawal's status makes empty. */
function asListed({ errorMessage, receipt, ...rest }: Withdrawal): Withdrawal {
  if (rest.status === "failed") return { ...rest, errorMessage: errorMessage ?? null };
  if (rest.status === "completed") return { ...rest, receipt: receipt ?? null };
  return rest;
}
