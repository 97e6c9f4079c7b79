import { chainIdSchema } from "./chain-id.ts";
import { type DepositAddress, depositAddressSchema } from "./deposit-address.ts";
import { decimalText } from "./fields.ts";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import { either, nullable, type Output, openObject, optional, type Same, text } from "./schema.ts";
import { type Token, tokenSchema } from "./token.ts";

/** An offer to settle a payment with one token on one chain (interface section 2.3). */
export interface Quote {
  id: string;
  paymentId: string;
  token: Token;
  /** EVM chain id. */
  chainId: number;
  /** What settles the payment, in the token's smallest unit, as a decimal string. */
  expectedAmountAsset: string;
  /** USD price of one whole token, as a decimal string. */
  rateUsdAsset: string;
  /** ISO 8601, UTC. After it, stop asking the customer to pay; money may still arrive. */
  expiresAt: string;
  status: OpenEnum<"active" | "expired" | "used" | "failed">;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** In newer descriptions each quote carries the address to pay to. */
  depositAddress?: DepositAddress | string | null;
}

export const quoteSchema = openObject({
  id: text,
  paymentId: text,
  token: tokenSchema,
  chainId: chainIdSchema,
  expectedAmountAsset: text,
  rateUsdAsset: decimalText,
  expiresAt: text,
  status: openEnum("active", "expired", "used", "failed"),
  createdAt: text,
  depositAddress: optional(nullable(either(depositAddressSchema, text))),
});
true satisfies Same<Quote, Output<typeof quoteSchema>>;
