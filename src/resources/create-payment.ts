import type { CreatePaymentBody } from "../wire/payment.ts";
import {
  checkAmount,
  checkCurrency,
  checkObject,
  checkReference,
  encodeMetadata,
  type Metadata,
  refused,
} from "./arguments.ts";

interface CreateCommon {
  /** Your own reference, for reconciliation. */
  orderId: string;
  /** Default and only value: `USD`. */
  currency?: "USD" | undefined;
  /** Where the customer goes after completion: http or https. */
  redirectUrl?: string | undefined;
  /** Passed through to the redirect as configured with the service. */
  customMetadata?: Metadata | undefined;
}

/** A payment: a fixed amount (interface section 4.1). */
export interface CreatePaymentInput extends CreateCommon {
  type?: "payment" | undefined;
  /** USD cents, at most 100,000,000; the service decides the minimum. */
  amount: number;
}

/** A deposit: the customer chooses how much to send (interface section 4.1). */
export interface CreateDepositInput extends CreateCommon {
  type: "deposit";
  /** Your own reference for the customer, at most 255 characters. */
  customerRefId?: string | undefined;
}

/** @throws {InvalidRequestError} for what can never be right, in the service's own vocabulary. */
export function createPaymentBody(
  input: CreatePaymentInput | CreateDepositInput,
): CreatePaymentBody {
  const { type, orderId, currency, redirectUrl, customMetadata } = checkObject(input);
  if (type !== undefined && type !== "payment" && type !== "deposit") {
    throw refused("type", 'must be "payment" or "deposit"', type);
  }
  return {
    type: type ?? "payment",
    // The service ignores the amount of a deposit.
    ...(input.type !== "deposit" && { amount: checkAmount("amount", input.amount) }),
    currency: checkCurrency(currency),
    orderId: checkReference("orderId", orderId),
    ...(redirectUrl !== undefined && { redirectUrl: checkRedirectUrl(redirectUrl) }),
    ...(customMetadata !== undefined && { customMetadata: encodeMetadata(customMetadata) }),
    ...(input.type === "deposit" &&
      input.customerRefId !== undefined && {
        customerRefId: checkReference("customerRefId", input.customerRefId),
      }),
  };
}

function checkRedirectUrl(value: unknown): string {
  if (typeof value === "string" && URL.canParse(value)) {
    const { protocol } = new URL(value);
    if (protocol === "https:" || protocol === "http:") return value;
  }
  throw refused("redirectUrl", "must be a whole http or https URL", value);
}
