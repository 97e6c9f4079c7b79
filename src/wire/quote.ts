import * as z from "zod/mini";
import {
  type ChainId,
  chainIdSchema,
  decimalText,
  identifier,
  nullish,
  type OpenEnum,
  openEnum,
  openObject,
  optionalNumber,
  optionalText,
  type Same,
  timestamp,
  wholeNumber,
} from "./fields.ts";
import { type Token, tokenSchema } from "./token.ts";

/** The address that a customer pays to (interface section 2.2). */
export interface DepositAddress {
  id: string;
  paymentId?: string | null;
  /** The kind of address. */
  type: OpenEnum<"EVM">;
  /** Hex wallet address, `0x` and 40 digits. */
  address: string;
  /** ISO 8601, UTC. */
  createdAt: string;
}

export const depositAddressSchema = openObject({
  id: identifier,
  paymentId: optionalText,
  type: openEnum("EVM"),
  address: z.string(),
  createdAt: timestamp,
});
true satisfies Same<DepositAddress, z.output<typeof depositAddressSchema>>;

/** An offer to settle a payment with one token on one chain (interface section 2.3). */
export interface Quote {
  id: string;
  paymentId: string;
  /** The token of the quote. */
  token: Token;
  chainId: ChainId;
  /** The amount that settles the payment, in the token's smallest unit, as a decimal string. */
  expectedAmountAsset: string;
  /** USD price of one whole token, as a decimal string. */
  rateUsdAsset: string;
  /** ISO 8601, UTC. After it, stop asking the customer to pay; money may still arrive. */
  expiresAt: string;
  /** Whether it can still be paid. */
  status: OpenEnum<"active" | "expired" | "used" | "failed">;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** The amount that the customer pays in USD cents, fees included. */
  amountDueCents?: number | null;
  /** The address to pay to, which newer descriptions have on each quote. */
  depositAddress?: DepositAddress | string | null;
}

export const quoteSchema = openObject({
  id: identifier,
  paymentId: identifier,
  token: tokenSchema,
  chainId: chainIdSchema,
  expectedAmountAsset: z.string(),
  rateUsdAsset: decimalText,
  expiresAt: timestamp,
  status: openEnum("active", "expired", "used", "failed"),
  createdAt: timestamp,
  amountDueCents: optionalNumber,
  depositAddress: nullish(z.union([depositAddressSchema, z.string()])),
});
true satisfies Same<Quote, z.output<typeof quoteSchema>>;

/** Selects the quote to request (interface section 4.3): a chain and a contract, or neither for the default. */
export interface CreateQuoteInput {
  /** Such as 8453, or CAIP-2 text for a non-EVM chain. */
  chainId?: ChainId | undefined;
  /** The token's contract; the all-zero address for the chain's native asset. */
  contractAddress?: string | undefined;
  /** The value of the deposit, in USD cents. For deposits only. */
  forceDepositAmount?: number | undefined;
}

export const createQuoteInputSchema = z.object({
  chainId: z.optional(chainIdSchema),
  contractAddress: z.optional(z.string()),
  forceDepositAmount: z.optional(wholeNumber(1)),
});
true satisfies Same<CreateQuoteInput, z.output<typeof createQuoteInputSchema>>;
