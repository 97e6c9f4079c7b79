import { listOf, number, type Output, openObject, type Same, text } from "./schema.ts";
import { type Token, tokenSchema } from "./token.ts";

/** What withdrawals the merchant can make (interface section 4.6). */
export interface WithdrawalConfig {
  /** The address that the service sends from. */
  backendWallet: string;
  /** Tokens, with their chains, that can be sent. */
  supported: Token[];
  limits: WithdrawalLimits;
}

/** What one withdrawal may be worth. */
export interface WithdrawalLimits {
  /** USD cents. */
  minAmountInCents: number;
  /** USD cents. */
  maxAmountInCents: number;
}

export const withdrawalLimitsSchema = openObject({
  minAmountInCents: number,
  maxAmountInCents: number,
});
true satisfies Same<WithdrawalLimits, Output<typeof withdrawalLimitsSchema>>;

export const withdrawalConfigSchema = openObject({
  backendWallet: text,
  supported: listOf(tokenSchema),
  limits: withdrawalLimitsSchema,
});
true satisfies Same<WithdrawalConfig, Output<typeof withdrawalConfigSchema>>;
