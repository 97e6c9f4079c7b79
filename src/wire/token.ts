import * as z from "zod/mini";
import {
  chainIdSchema,
  type OpenEnum,
  openEnum,
  openObject,
  optionalChainId,
  optionalNumber,
  optionalText,
  type Same,
} from "./fields.ts";

/** A network on which a token lives (interface section 2.4). */
export interface TokenChain {
  /** EVM chain id, such as 8453. */
  chainId: number;
  name: string;
  /** Symbol of the network's native asset, such as `ETH`. */
  nativeSymbol: string;
  nativeDecimals: number;
  isEnabled: boolean;
  isTestnet?: boolean;
}

export const tokenChainSchema = openObject({
  chainId: chainIdSchema,
  name: z.string(),
  nativeSymbol: z.string(),
  nativeDecimals: z.number(),
  isEnabled: z.boolean(),
  isTestnet: z.exactOptional(z.boolean()),
});
true satisfies Same<TokenChain, z.output<typeof tokenChainSchema>>;

/** An asset in which a payment can be settled (interface section 2.4). */
export interface Token {
  id: string;
  /** Price-feed identifier. */
  coingeckoApiId?: string | null;
  chain?: TokenChain | null;
  symbol: string;
  /** The all-zero address (or `0xeeee…eeee`) with `assetType` `native` denotes the native asset. */
  contractAddress: string;
  /** Decimals of the smallest unit. Differs between chains for one symbol: never assume it. */
  decimals: number;
  type: OpenEnum<"stablecoin" | "volatile">;
  assetType: OpenEnum<"native" | "erc20">;
  status: OpenEnum<"active" | "deprecated" | "blocked">;
  tokenPriceUsd?: number | null;
}

export const tokenSchema = openObject({
  id: z.string(),
  coingeckoApiId: optionalText,
  chain: z.exactOptional(z.nullable(tokenChainSchema)),
  symbol: z.string(),
  contractAddress: z.string(),
  decimals: z.number(),
  type: openEnum("stablecoin", "volatile"),
  assetType: openEnum("native", "erc20"),
  status: openEnum("active", "deprecated", "blocked"),
  tokenPriceUsd: optionalNumber,
});
true satisfies Same<Token, z.output<typeof tokenSchema>>;

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
true satisfies Same<SettledToken, z.output<typeof settledTokenSchema>>;

/** The chain of a receipt (interface section 2.6). */
export interface SettledChain {
  /** EVM chain id. */
  chainId?: number | null;
  name?: string | null;
}

export const settledChainSchema = openObject({ chainId: optionalChainId, name: optionalText });
true satisfies Same<SettledChain, z.output<typeof settledChainSchema>>;
