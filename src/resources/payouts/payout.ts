import { toRecipientAddress } from "../../evm/address.ts";
import type { HttpSettings } from "../../http/settings.ts";
import { createWithdrawal, type Operation } from "../../wire/operations.ts";
import {
  type CreateWithdrawalBody,
  maxMetadataLength,
  maxOrderIdLength,
  type Withdrawal,
} from "../../wire/withdrawal.ts";
import {
  chainIdOnWire,
  checkAmount,
  checkCurrency,
  checkObject,
  checkReference,
  encodeMetadata,
  type Metadata,
} from "../arguments.ts";

/** A withdrawal to make (interface section 4.4). */
export interface CreateWithdrawalInput {
  /** USD cents, at most 100,000,000; the service decides the minimum. */
  amountInCents: number;
  /** EVM chain id; `dashboard(...).withdrawalConfig()` lists the supported ones. */
  chainId: number;
  /** The beneficiary's wallet: `0x` and 40 hex digits; mixed case must be a valid EIP-55 checksum. */
  recipientAddress: string;
  /** Your own reference, at most 255 characters. */
  orderId?: string | undefined;
  /** Default and only value: `USD`. */
  currency?: "USD" | undefined;
  /** At most 2,048 characters of JSON. */
  customMetadata?: Metadata | undefined;
}

/** A withdrawal's body on the wire, whose chain id takes the form that the client is set to. */
export type SentWithdrawal = Omit<CreateWithdrawalBody, "chainId"> & { chainId: number | string };

/** The creation of a withdrawal, repeatable with its key where the service is known to honour that. */
export function withdrawalCreation({
  withdrawalIdempotency,
}: HttpSettings["wire"]): Operation<Withdrawal> {
  return withdrawalIdempotency === "honoured"
    ? { ...createWithdrawal, replay: "keyed" }
    : createWithdrawal;
}

/** @throws {InvalidRequestError} for what can never be right, in the service's own vocabulary. */
export function createWithdrawalBody(
  input: CreateWithdrawalInput,
  wire: HttpSettings["wire"],
): SentWithdrawal {
  const { amountInCents, chainId, recipientAddress, orderId, currency, customMetadata } =
    checkObject(input);
  return {
    amountInCents: checkAmount("amountInCents", amountInCents),
    chainId: chainIdOnWire(chainId, wire),
    recipientAddress: toRecipientAddress(recipientAddress),
    ...(orderId !== undefined && { orderId: checkReference("orderId", orderId, maxOrderIdLength) }),
    currency: checkCurrency(currency),
    ...(customMetadata !== undefined && {
      customMetadata: encodeMetadata(customMetadata, maxMetadataLength),
    }),
  };
}

/**
 * The fields in which a withdrawal differs from what was asked for, compared by meaning: addresses
 * without case, chain ids in either form, metadata as parsed JSON, and what is missing as its default.
 */
export function withdrawalDifferences(asked: SentWithdrawal, found: Withdrawal): string[] {
  const a = canonical(asked);
  const b = canonical(found);
  return Object.keys(a).filter((field) => a[field] !== b[field]);
}

function canonical(withdrawal: SentWithdrawal | Withdrawal): Record<string, unknown> {
  const { amountInCents, chainId, recipientAddress, currency, customMetadata } = withdrawal;
  return {
    amountInCents: Number(amountInCents),
    chainId: String(chainId).replace(/^eip155:/, ""),
    recipientAddress: String(recipientAddress).toLowerCase(),
    currency: currency ?? "USD",
    customMetadata: canonicalJson(customMetadata ?? null),
  };
}

/** JSON text with its keys in order; text that is no JSON stays as it is. */
function canonicalJson(text: string | null): string | null {
  if (text === null) return null;
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => sortedKeys(value));
  } catch {
    return text;
  }
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
