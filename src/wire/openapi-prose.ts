import type { OperationId } from "./operations.ts";

// The texts of the OpenAPI document, separate from operations and schemas so that client bundles do not contain them.

/** The source of an assumption about the service: see docs/wire.md. */
export type Evidence = "documented" | "published" | "assumed";

interface OperationProse {
  readonly summary: string;
  readonly description: string;
  /** The evidence that this operation exists, with this method and path. */
  readonly evidence: Evidence;
}

/** Keyed by the operation table's constants, so that none can be missing. */
export const operationProse: Readonly<Record<OperationId, OperationProse>> = {
  createPayment: {
    summary: "Create a payment or a deposit",
    description:
      "A payment asks for a fixed amount in USD cents; a deposit takes what the customer chooses to " +
      "send. The same Idempotency-Key with the same parameters returns the original response for 24 hours " +
      "and creates nothing; with other parameters, it is a conflict. Interface section 4.1.",
    evidence: "documented",
  },
  getPayment: {
    summary: "Read a payment",
    description:
      "Interface section 4. That the response is the payment itself is published elsewhere.",
    evidence: "documented",
  },
  listPayments: {
    summary: "List payments",
    description:
      "Newest first, unless sorted otherwise. Interface section 4.2. The values of the parameters and " +
      "the shape of the response are published elsewhere.",
    evidence: "documented",
  },
  createWithdrawal: {
    summary: "Create a withdrawal",
    description:
      "Sends crypto of the given value to an address. Whether a repeated Idempotency-Key is honoured is " +
      "not known: a repeated request may pay twice. Interface section 4.4.",
    evidence: "documented",
  },
  getWithdrawal: {
    summary: "Read a withdrawal",
    description:
      "Interface section 4. That the response is the withdrawal itself is published elsewhere.",
    evidence: "documented",
  },
  listWithdrawals: {
    summary: "List withdrawals",
    description:
      "`errorMessage` comes with failed and `receipt` with completed withdrawals only. Newest first " +
      "(assumed). Interface section 4.5.",
    evidence: "documented",
  },
  getCheckoutPayment: {
    summary: "Read a payment as its customer",
    description:
      "Interface section 4.3 names it. Its path and its response are published elsewhere.",
    evidence: "published",
  },
  getCheckoutStatus: {
    summary: "Read a payment's status",
    description:
      "Interface section 4.3 names it. Its path and its response are published elsewhere.",
    evidence: "published",
  },
  listQuotes: {
    summary: "List a payment's active quotes",
    description:
      "Interface section 4.3 names it. Its path and its response are published elsewhere.",
    evidence: "published",
  },
  createQuote: {
    summary: "Create or update a quote",
    description:
      "The same request twice is harmless. Without chain and contract the service chooses the token. " +
      "400 when the payment is no longer pending. Interface section 4.3 names it. Its path, body and " +
      "response are published elsewhere.",
    evidence: "published",
  },
  refreshCheckoutStatus: {
    summary: "Have the service look for the customer's transaction",
    description:
      "Every field of the body is a hint. Interface section 4.3 names it. Its path, body and response " +
      "are published elsewhere.",
    evidence: "published",
  },
  getWithdrawalConfig: {
    summary: "Read the tokens and limits of withdrawals",
    description: "Interface section 4.6. The shape of the response is published elsewhere.",
    evidence: "documented",
  },
  listMerchantWithdrawals: {
    summary: "List withdrawals for a dashboard",
    description:
      "Interface section 4.7 names the group. That this is one of its routes is published; its " +
      "parameters and its response are assumed to be those of `listWithdrawals`.",
    evidence: "published",
  },
  createMerchantWithdrawal: {
    summary: "Create a withdrawal from a dashboard",
    description:
      "Sends crypto of the given value to an address. Whether a repeated Idempotency-Key is honoured is " +
      "not known: a repeated request may pay twice. Interface section 4.7 names the group. The operation " +
      "is published.",
    evidence: "published",
  },
  listChains: {
    summary: "List the supported chains",
    description: "Only chains in use. Public: no credential is sent.",
    evidence: "published",
  },
  getChain: {
    summary: "Read a chain",
    description: "Public: no credential is sent.",
    evidence: "published",
  },
  listTokens: {
    summary: "List the supported tokens",
    description: "With their prices. Public: no credential is sent.",
    evidence: "published",
  },
  getToken: {
    summary: "Read a token",
    description: "With its price. Public: no credential is sent.",
    evidence: "published",
  },
  getWalletBalances: {
    summary: "Read the wallet's balances",
    description: "What the merchant's wallet holds, token by token.",
    evidence: "published",
  },
  getMerchantWithdrawal: {
    summary: "Read a withdrawal for a dashboard",
    description:
      "Interface section 4.7 names the group. That this is one of its routes is published; its response " +
      "is assumed to be that of `getWithdrawal`.",
    evidence: "published",
  },
};
