import {
  createPayment,
  createQuote,
  createWithdrawal,
  getCheckoutPayment,
  getCheckoutStatus,
  getMerchantWithdrawal,
  getPayment,
  getWithdrawal,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  listPayments,
  listQuotes,
  listWithdrawals,
  type Operation,
  refreshCheckoutStatus,
} from "./operations.ts";

/**
 * Every operation, for whoever needs them all. Apart from the operations, so that a client's bundle keeps
 * only those that it calls: a namespace that is used as a value would keep all of them in every bundle.
 */
export const operationTable = {
  createPayment,
  getPayment,
  listPayments,
  createWithdrawal,
  getWithdrawal,
  listWithdrawals,
  getCheckoutPayment,
  getCheckoutStatus,
  listQuotes,
  createQuote,
  refreshCheckoutStatus,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  getMerchantWithdrawal,
} satisfies Readonly<Record<string, Operation<unknown>>>;

/** What an operation is called in the table. */
export type OperationId = keyof typeof operationTable;
