import { maxAmountInCents } from "./payment.ts";

// What the OpenAPI document says of fields, beyond what their schemas check.

/** A description alone, or with what JSON Schema can say of the field's value. */
type FieldProse = string | FieldFacts;

export interface FieldFacts {
  readonly description: string;
  readonly format?: "date-time" | "uuid" | "uri";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
}

const uuid = (description: string) => ({ description, format: "uuid" }) as const;
/** Interface section 2. */
const timestamp = (description: string) => ({ description, format: "date-time" }) as const;

/** By the fields' names, which mean the same everywhere, or by `Component.field` where they do not. */
export const fieldProse: Readonly<Record<string, FieldProse>> = {
  id: uuid("Identifier."),
  merchantId: uuid("The merchant that it belongs to."),
  paymentId: uuid("The payment that it belongs to."),
  "CreatedPayment.paymentId": uuid("Equals `payment.id`."),
  withdrawalId: uuid("The withdrawal that it belongs to."),
  "path.paymentId": uuid("The payment."),
  "path.withdrawalId": uuid("The withdrawal."),
  "path.merchantId": uuid("The merchant that the bearer token belongs to."),
  createdAt: timestamp("When it was created."),
  updatedAt: timestamp("When it changed last."),
  expiresAt: timestamp("After it, stop asking the customer to pay. Money may still arrive."),
  txTimestamp: timestamp("When the transaction was made."),
  completedAt: timestamp("When it was completed."),

  merchantShortName: "The merchant's display name.",
  merchantLogoUrl: "Where the merchant's logo is.",
  type: "Which kind it is.",
  currency: "The currency of the amounts in cents: `USD`.",
  "Token.type": "Whether its price is stable.",
  "query.type": "Only those of this kind.",
  status: "How far it has come.",
  "Quote.status": "Whether it can still be paid.",
  "Token.status": "Whether it is in use.",
  "query.status": "Only those with this status.",
  depositAddress: "Where the customer pays to.",
  quotes: "What settles the payment, token by token.",
  receipt: "What was transferred; null until something was.",
  orderId: "The merchant's own reference.",
  "CreateWithdrawalBody.orderId": "The merchant's own reference. Nothing keeps it unique.",
  redirectUrl: "Where the customer is sent after the payment.",
  customMetadata: "A JSON document encoded as a string.",
  customerRefId: "The merchant's reference of the customer. Deposits only.",

  amount: {
    description:
      "USD cents. Due for a payment, ignored for a deposit. The least that is accepted is 250; 100 and " +
      "400 have been published as well.",
    maximum: maxAmountInCents,
  },
  amountInCents: "USD cents.",
  "CreateWithdrawalBody.amountInCents": {
    description: "USD cents.",
    minimum: 100,
    maximum: maxAmountInCents,
  },
  forceDepositAmount: { description: "USD cents. Deposits only.", maximum: maxAmountInCents },
  amountDueCents: "What the buyer pays in USD cents, fees included.",
  convenienceFeeCents: "USD cents.",
  merchantFeeCents: "USD cents.",
  swapFeeCents: "USD cents.",
  amountMerchantNetCents: "What the merchant gets, in USD cents.",
  minAmountInCents: "The least that can be withdrawn, in USD cents.",
  maxAmountInCents: "The most that can be withdrawn, in USD cents.",

  payment: "The payment that was created.",
  paymentUrl: { description: "The hosted page to send the customer to.", format: "uri" },
  secret: "The payment secret: the credential of the customer's routes.",

  chainId: "The chain's id: a number for an EVM chain, or CAIP-2 text such as `eip155:8453`.",
  contractAddress: "The token's contract; the all-zero address is the chain's native asset.",
  tokenContractAddress: "The contract of the token that was sent.",
  transactionHash: "Hash of the transaction.",
  address: "Hex wallet address.",
  recipientAddress: "The beneficiary's wallet address.",
  token: "What the quote is in.",
  expectedAmountAsset: "What settles the payment, in the token's smallest unit.",
  rateUsdAsset: "USD price of one whole token, as a decimal number.",

  coingeckoApiId: "Identifier in the price feed.",
  chain: "The network that the token lives on.",
  symbol: "Such as `USDC`.",
  decimals: "Decimals of the smallest unit. They differ between chains: never assume them.",
  assetType: "Whether it is the chain's own asset or a contract's.",
  tokenPriceUsd: "USD price of one whole token.",
  name: "The network's name.",
  nativeSymbol: "Symbol of the network's own asset.",
  nativeDecimals: "Decimals of the network's own asset.",
  isEnabled: "Whether the network is in use.",
  isTestnet: "Whether the network's assets are worth nothing.",

  errorMessage: "Why it failed; null unless it did.",
  selectedQuote: "The quote that was paid.",
  settledToken: "The token that was transferred.",
  settledChain: "The network of the transaction.",
  settledAmountAsset: "What was transferred, in the token's smallest unit.",
  settledAmountUsd: "What was transferred, in USD, as a decimal number.",
  txHash: "Hash of the transaction.",
  txBlockNumber: "Block of the transaction.",
  txSenderAddress: "The address that sent it.",
  txGasUsed: "Gas that the transaction used.",
  txTotalCost: "What the transaction cost, in the network's smallest unit.",
  txTotalCostUsdFractions: "What the transaction cost, in fractions of a USD.",
  txIsSponsored: "Whether the service paid for the gas.",
  processedBy: "The part of the service that processed it.",
  txRiskScore: "Risk of the sender.",
  txRiskSeverity: "Risk of the sender in words.",
  txRiskProvider: "The provider of the risk assessment.",
  blockNumber: "Block of the transaction.",
  confirmations: "Blocks on top of the transaction's.",
  requiredConfirmations: "Blocks that the service waits for.",

  backendWallet: "The address that the service sends from.",
  supported: "The tokens, with their networks, that can be sent.",
  limits: "How much can be withdrawn at once.",

  data: "The items of this page.",
  pagination: "Where the page stands in its list.",
  total: "Items in the whole list.",
  limit: "Items a page.",
  "query.limit": { description: "Items a page.", default: 100 },
  offset: "Items before this page.",
  "query.offset": { description: "Items to skip.", default: 0 },
  hasMore: "Whether items follow this page.",
  totalPages: "Pages of this size in the whole list.",
  currentPage: "This page's number.",
  search:
    "Part of a payment's id, deposit address, merchant name, transaction hash or sender address.",
  sortBy: { description: "What the list is sorted by.", default: "createdAt" },
  sortOrder: { description: "Which way the list is sorted.", default: "DESC" },

  error: "What went wrong.",
  message: "Text for people. It may change.",
  code: "What went wrong, for programs.",
  param: "The field at fault, where one is.",
};

/** What the components are. */
export const componentProse = {
  Payment: "A payment or a deposit (interface section 2.1).",
  PaymentReceipt: "What was received. Its fields are not shown; two published shapes are accepted.",
  DepositAddress: "The address that a customer pays to (interface section 2.2).",
  Quote: "An offer to settle a payment with one token on one network (interface section 2.3).",
  Token: "An asset in which a payment can be settled (interface section 2.4).",
  TokenChain: "A network (interface section 2.4).",
  SettledToken: "The token of a receipt (interface section 2.6).",
  SettledChain: "The network of a receipt (interface section 2.6).",
  CreatePaymentBody: "What a payment or a deposit is created from (interface section 4.1).",
  CreatedPayment: "A payment with what its customer needs (interface section 4.1).",
  Withdrawal: "Crypto sent to a beneficiary (interface section 2.5).",
  WithdrawalReceipt: "What was sent (interface section 2.6).",
  CreateWithdrawalBody: "What a withdrawal is created from (interface section 4.4).",
  WithdrawalConfig: "Which withdrawals can be made (interface section 4.6).",
  WithdrawalLimits: "How much can be withdrawn at once.",
  PaymentState: "A payment's status alone.",
  CreateQuoteBody: "Which quote to make. Without network and contract, a default one.",
  RefreshStatusBody: "Where to look for the customer's transaction.",
  Pagination: "Where a page stands in its list (interface section 2.7).",
  PaymentEventData: "What a payment event tells. Only `status` and `orderId` are documented.",
  WithdrawalEventData: "What a withdrawal event tells. Only `status` is documented.",
  ErrorEnvelope: "Every error (interface section 7).",
  ErrorDetails: "What went wrong (interface section 7).",
} as const;

export type ComponentName = keyof typeof componentProse;
