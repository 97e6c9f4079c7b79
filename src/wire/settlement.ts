import { optionalChainId, optionalNumber, optionalText } from "./fields.ts";
import { type Output, openObject, type Same } from "./schema.ts";

/** The token of a receipt (interface section 2.6). */
export interface SettledToken {
  symbol?: string | null;
  decimals?: number | null;
  contractAddress?: string | null;
}

export const settledTokenSchema = openObject({
  symbol: optionalText,
  decimals: optionalNumber,
  contractAddress: optionalText,
});
true satisfies Same<SettledToken, Output<typeof settledTokenSchema>>;

/** The chain of a receipt (interface section 2.6). */
export interface SettledChain {
  /** EVM chain id. */
  chainId?: number | null;
  name?: string | null;
}

export const settledChainSchema = openObject({ chainId: optionalChainId, name: optionalText });
true satisfies Same<SettledChain, Output<typeof settledChainSchema>>;
