import type { Credential, OperationId } from "./operations.ts";

import type { WebhookEvents } from "./webhook-event.ts";

// What the OpenAPI document says in words. It stands apart from the operations and their schemas, so
// that clients do not carry it.

/** Where a belief about the service comes from: see docs/wire.md. */
export type Evidence = "documented" | "published" | "assumed";

interface OperationProse {
  readonly summary: string;
  readonly description: string;
  /** Of the belief that there is this operation, with this method and path. */
  readonly evidence: Evidence;
}

/** By the names of the table's constants, so that none can be missing. */
export const operationProse: Readonly<Record<OperationId, OperationProse>> = {
  createPayment: {
    summary: "Create a payment or a deposit",
    description:
      "A payment asks for a fixed amount of USD cents; a deposit takes what the customer chooses to " +
      "send. The same Idempotency-Key with the same parameters gives the original answer for 24 hours " +
      "and creates nothing; with other parameters it is a conflict. Interface section 4.1.",
    evidence: "documented",
  },
  getPayment: {
    summary: "Read a payment",
    description:
      "Interface section 4; that the answer is the payment itself is published elsewhere.",
    evidence: "documented",
  },
  listPayments: {
    summary: "List payments",
    description:
      "Newest first, unless sorted otherwise. Interface section 4.2; the values of the parameters and " +
      "the shape of the answer are published elsewhere.",
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
      "Interface section 4; that the answer is the withdrawal itself is published elsewhere.",
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
    description: "Interface section 4.3 names it; its path and its answer are published elsewhere.",
    evidence: "published",
  },
  getCheckoutStatus: {
    summary: "Read a payment's status",
    description: "Interface section 4.3 names it; its path and its answer are published elsewhere.",
    evidence: "published",
  },
  listQuotes: {
    summary: "List a payment's active quotes",
    description: "Interface section 4.3 names it; its path and its answer are published elsewhere.",
    evidence: "published",
  },
  createQuote: {
    summary: "Create or update a quote",
    description:
      "The same request twice is harmless. Without chain and contract the service chooses the token. " +
      "400 when the payment is no longer pending. Interface section 4.3 names it; its path, body and " +
      "answer are published elsewhere.",
    evidence: "published",
  },
  refreshCheckoutStatus: {
    summary: "Have the service look for the customer's transaction",
    description:
      "Every field of the body is a hint. Interface section 4.3 names it; its path, body and answer " +
      "are published elsewhere.",
    evidence: "published",
  },
  getWithdrawalConfig: {
    summary: "Read which withdrawals can be made",
    description: "Interface section 4.6; the shape of the answer is published elsewhere.",
    evidence: "documented",
  },
  listMerchantWithdrawals: {
    summary: "List withdrawals for a dashboard",
    description:
      "Interface section 4.7 names the group; that this is one of its routes is published, its " +
      "parameters and its answer are assumed to be those of `listWithdrawals`.",
    evidence: "published",
  },
  getMerchantWithdrawal: {
    summary: "Read a withdrawal for a dashboard",
    description:
      "Interface section 4.7 names the group; that this is one of its routes is published, its answer " +
      "is assumed to be that of `getWithdrawal`.",
    evidence: "published",
  },
};

/** By the first part of the operations' names. */
export const tagProse: Readonly<Record<string, string>> = {
  payments: "Payments and deposits, from the merchant's server.",
  withdrawals: "Money sent out, from the merchant's server.",
  checkout: "What a customer may do with the payment secret.",
  dashboard: "What a dashboard may do with a bearer token.",
};

export const credentialProse: Readonly<Record<Credential, string>> = {
  secretKey: "The merchant secret key. For the merchant's server only.",
  paymentSecret: "The `secret` of the answer that created the payment.",
  accessToken: "A dashboard's token. How it is obtained is not shown.",
};

/** Interface section 7; 403 and 404 are assumed. */
export const errorProse = {
  400: "A parameter is missing or malformed.",
  401: "The credential is missing or wrong.",
  403: "The credential is right, but does not allow this (assumed).",
  404: "There is nothing with this id (assumed).",
  409: "The Idempotency-Key came before, with other parameters or in a request still in progress.",
  422: "The parameters are well-formed, but a value is not accepted.",
  429: "Too many requests. Repeat later, at a growing distance.",
  500: "The service failed. Repeat later, at a growing distance, if the request may be repeated.",
} as const;

export type ErrorStatus = keyof typeof errorProse;

export const headerProse = {
  "Idempotency-Key":
    "Names the creation across repeated attempts: the same for each, another for the next creation.",
  "X-Request-Id": "Names the request for the service's support (assumed).",
  "Retry-After": "Seconds to wait, or the date to wait for (assumed).",
  Signature: "Hex HMAC-SHA256, under the webhook secret, of the timestamp, a dot and the raw body.",
  Timestamp: "The timestamp in the signed text. Its form is not shown.",
} as const;

export const webhookProse: Readonly<Record<keyof WebhookEvents, string>> = {
  "payment.created": "A payment was created",
  "payment.updated": "A payment's status changed",
  "withdrawal.created": "A withdrawal was created",
  "withdrawal.updated": "A withdrawal's status changed",
};
