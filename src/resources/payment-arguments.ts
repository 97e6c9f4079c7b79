import { InvalidRequestError } from "../errors/invalid-request-error.ts";
import { type CreatePaymentBody, maxAmountInCents } from "../wire/payment-creation.ts";
import type { PaymentListQuery } from "../wire/payment-list.ts";

/** A JSON object, or the JSON text of one. */
export type Metadata = string | Readonly<Record<string, unknown>>;

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
  const { type, orderId, currency = "USD", redirectUrl, customMetadata } = checkObject(input);
  if (type !== undefined && type !== "payment" && type !== "deposit") {
    throw refused("type", 'must be "payment" or "deposit"', type);
  }
  if (currency !== "USD")
    throw refused("currency", 'must be "USD", the only one there is', currency);
  return {
    type: type ?? "payment",
    // The service ignores the amount of a deposit.
    ...(input.type !== "deposit" && { amount: checkAmount("amount", input.amount) }),
    currency,
    orderId: checkReference("orderId", orderId),
    ...(redirectUrl !== undefined && { redirectUrl: checkRedirectUrl(redirectUrl) }),
    ...(customMetadata !== undefined && { customMetadata: encodeMetadata(customMetadata) }),
    ...(input.type === "deposit" &&
      input.customerRefId !== undefined && {
        customerRefId: checkReference("customerRefId", input.customerRefId),
      }),
  };
}

/** @throws {InvalidRequestError} for bounds that the service documents. */
export function paymentListQuery(query: PaymentListQuery): PaymentListQuery {
  const { limit, offset } = checkObject(query);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1000)) {
    throw refused("limit", "must be a whole number from 1 to 1000", limit);
  }
  if (offset !== undefined && !(Number.isSafeInteger(offset) && offset >= 0)) {
    throw refused("offset", "must be a whole number from 0 on", offset);
  }
  return query;
}

function checkAmount(param: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= maxAmountInCents) {
    return Number(value);
  }
  throw new InvalidRequestError(
    `${param} must be a whole number of USD cents from 1 to ${maxAmountInCents}, got ${show(value)}. ` +
      '25 dollars are 2500; usdToCents("25.00") converts exactly.',
    { code: "invalid_amount", param },
  );
}

function checkReference(param: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw refused(param, "must be your own reference, a non-empty string", value);
}

function checkRedirectUrl(value: unknown): string {
  if (typeof value === "string" && URL.canParse(value)) {
    const { protocol } = new URL(value);
    if (protocol === "https:" || protocol === "http:") return value;
  }
  throw refused("redirectUrl", "must be a whole http or https URL", value);
}

function encodeMetadata(value: unknown): string {
  if (typeof value === "string") {
    try {
      JSON.parse(value);
      return value;
    } catch {
      throw refused("customMetadata", "is a string, so it must be a JSON document", value);
    }
  }
  if (typeof value !== "object" || value === null) {
    throw refused("customMetadata", "must be an object or a JSON document as a string", value);
  }
  try {
    return JSON.stringify(value);
  } catch {
    throw refused(
      "customMetadata",
      "must not hold cycles or bigints, which JSON cannot",
      "such an object",
    );
  }
}

function checkObject<T extends object>(input: T): T {
  if (typeof input === "object" && input !== null) return input;
  throw refused("parameters", "must be an object", input);
}

function refused(param: string, rule: string, value: unknown): InvalidRequestError {
  return new InvalidRequestError(`${param} ${rule}, got ${show(value)}.`, {
    code: "invalid_request",
    param,
  });
}

/** A value short enough for a message. */
function show(value: unknown): string {
  if (typeof value === "string") {
    return value === "" ? "an empty string" : JSON.stringify(value.slice(0, 60));
  }
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
