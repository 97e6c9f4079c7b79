import { toRecipientAddress } from "../../evm/address.ts";
import { maxAmountInCents } from "../../wire/payment.ts";
import type {
  CreateWithdrawalBody,
  Withdrawal,
  WithdrawalConfig,
  WithdrawalListQuery,
} from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { Publish } from "../webhooks/deliveries.ts";
import { found, pageOf, Refusal } from "./answers.ts";
import type { Call } from "./operations.ts";
import { supportedChainIds, tokens } from "./tokens.ts";
import { checkedAmount, checkMetadata, checkOneOf } from "./validation.ts";

export type Withdrawals = ReturnType<typeof createWithdrawals>;

/** The withdrawals of a sandbox, which are immutable, as payments are. */
export function createWithdrawals({ clock, random, store }: Core, publish: Publish) {
  const withdrawals = store.table<Withdrawal>("withdrawals");

  function create(merchantId: string, fields: CreateWithdrawalBody): Withdrawal {
    const { amountInCents, chainId, recipientAddress, currency = "USD", ...texts } = fields;
    const createdAt = clock.now().toISOString();
    const withdrawal: Withdrawal = {
      id: random.stream("withdrawals").uuid(),
      merchantId,
      amountInCents,
      chainId,
      recipientAddress,
      status: "pending",
      currency,
      ...texts,
      errorMessage: null,
      receipt: null,
      createdAt,
      updatedAt: createdAt,
    };
    withdrawals.set(withdrawal.id, withdrawal);
    const type = "withdrawal.created";
    publish(type, withdrawal, { type, ...factsOf(withdrawal) });
    return withdrawal;
  }

  /** Replaces a withdrawal with its next state, and sends a webhook. */
  function transition(withdrawal: Withdrawal, changes: Partial<Withdrawal>): Withdrawal {
    // Interface section 3.2, rule 3: it increases with every change, even while the clock is frozen.
    const updatedMs = Math.max(clock.nowMs(), Date.parse(withdrawal.updatedAt) + 1);
    const updatedAt = new Date(updatedMs).toISOString();
    const next = { ...withdrawal, ...changes, updatedAt };
    withdrawals.set(next.id, next);
    publish("withdrawal.updated", next, { type: "withdrawal.moved", ...factsOf(next) });
    return next;
  }

  return { find: withdrawals.get, all: withdrawals.values, create, transition };
}

function factsOf({ id: withdrawalId, orderId = null, status }: Withdrawal) {
  return { withdrawalId, orderId, status };
}

/** Interface section 8. */
const minAmountInCents = 100;

/** Withdrawals for the merchant's server and for its dashboard (interface sections 4.4 to 4.7). */
export function withdrawalHandlers(withdrawals: Withdrawals) {
  function create({ body, merchant }: Call<CreateWithdrawalBody>): Withdrawal {
    if (!merchant.withdrawalsEnabled) {
      const message = "Withdrawals are disabled for this merchant. Enable them first.";
      throw new Refusal(403, { code: "withdrawals_disabled", message });
    }
    checkedAmount("amountInCents", body.amountInCents, minAmountInCents);
    checkOneOf("chainId", supportedChainIds, body.chainId);
    toRecipientAddress(body.recipientAddress);
    checkMetadata(body.customMetadata);
    return withdrawals.create(merchant.merchantId, body);
  }

  function get({ path: { withdrawalId = "" }, merchant }: Call): Withdrawal {
    const withdrawal = withdrawals.find(withdrawalId);
    const isOwn = withdrawal?.merchantId === merchant.merchantId;
    return found("withdrawal", isOwn ? withdrawal : undefined);
  }

  function list({ query, merchant }: Call<unknown, WithdrawalListQuery>) {
    const matching = withdrawals.all().filter(({ merchantId, status }) => {
      return merchantId === merchant.merchantId && status === (query.status ?? status);
    });
    const { data, pagination } = pageOf(matching.reverse(), query);
    return { data: data.map(asListed), pagination };
  }

  function config({ merchant }: Call): WithdrawalConfig {
    return {
      backendWallet: merchant.backendWallet,
      supported: [...tokens],
      limits: { minAmountInCents, maxAmountInCents },
    };
  }

  return {
    createWithdrawal: create,
    getWithdrawal: get,
    listWithdrawals: list,
    getWithdrawalConfig: config,
    createMerchantWithdrawal: create,
    getMerchantWithdrawal: get,
    listMerchantWithdrawals: list,
  };
}

/** Interface section 2.5: lists leave out fields that are empty at the withdrawal's status. */
function asListed(withdrawal: Withdrawal): Withdrawal {
  const fields = Object.entries(withdrawal).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as unknown as Withdrawal;
}
