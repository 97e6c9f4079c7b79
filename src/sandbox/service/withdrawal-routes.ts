import { toRecipientAddress } from "../../evm/address.ts";
import * as operations from "../../wire/operations.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import type {
  CreateWithdrawalBody,
  Withdrawal,
  WithdrawalConfig,
  WithdrawalListQuery,
} from "../../wire/withdrawal.ts";
import { found, pageOf, Refusal } from "./answers.ts";
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

  function list({ query, merchant }: Call<unknown, WithdrawalListQuery>) {
    const all = withdrawals.allOf(merchant.merchantId);
    const hasStatus = ({ status }: Withdrawal) => status === query.status;
    const matching = query.status === undefined ? undefined : hasStatus;
    const { data, pagination } = pageOf(all, query, { from: "last", matching });
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
    route(operations.createWithdrawal, create),
    route(operations.getWithdrawal, get),
    route(operations.listWithdrawals, list),
    // Before the route of one withdrawal, whose id would otherwise be "config".
    route(operations.getWithdrawalConfig, config),
    route(operations.createMerchantWithdrawal, create),
    route(operations.getMerchantWithdrawal, get),
    route(operations.listMerchantWithdrawals, list),
  ];
}

/** Interface section 2.5: lists leave out what a withdrawal's status makes empty. */
function asListed({ errorMessage, receipt, ...rest }: Withdrawal): Withdrawal {
  if (rest.status === "failed") return { ...rest, errorMessage: errorMessage ?? null };
  if (rest.status === "completed") return { ...rest, receipt: receipt ?? null };
  return rest;
}
