import * as z from "zod/mini";
import {
  type ChainId,
  chainIdSchema,
  type OpenEnum,
  openEnum,
  openObject,
  optionalBoolean,
  optionalChainId,
  optionalNumber,
  optionalText,
  type Same,
} from "./fields.ts";

/** A network on which a token lives (interface section 2.4). */
export interface TokenChain {
  /** Such as 8453. */
  chainId: ChainId;
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

const tokenTypeSchema = openEnum("stablecoin", "volatile");
const assetTypeSchema = openEnum("native", "erc20");
const tokenStatusSchema = openEnum("active", "deprecated", "blocked");

export const tokenSchema = openObject({
  id: z.string(),
  coingeckoApiId: optionalText,
  chain: z.exactOptional(z.nullable(tokenChainSchema)),
  symbol: z.string(),
  contractAddress: z.string(),
  decimals: z.number(),
  type: tokenTypeSchema,
  assetType: assetTypeSchema,
  status: tokenStatusSchema,
  tokenPriceUsd: optionalNumber,
});
true satisfies Same<Token, z.output<typeof tokenSchema>>;

/** The token of a receipt (interface section 2.6); every field may be missing or null. */
export interface SettledToken {
  id?: string | null;
  /** Price-feed identifier. */
  coingeckoApiId?: string | null;
  chain?: TokenChain | null;
  symbol?: string | null;
  contractAddress?: string | null;
  decimals?: number | null;
  type?: OpenEnum<"stablecoin" | "volatile"> | null;
  assetType?: OpenEnum<"native" | "erc20"> | null;
  status?: OpenEnum<"active" | "deprecated" | "blocked"> | null;
  tokenPriceUsd?: number | null;
}

export const settledTokenSchema = openObject({
  id: optionalText,
  coingeckoApiId: optionalText,
  chain: z.exactOptional(z.nullable(tokenChainSchema)),
  symbol: optionalText,
  contractAddress: optionalText,
  decimals: optionalNumber,
  type: z.exactOptional(z.nullable(tokenTypeSchema)),
  assetType: z.exactOptional(z.nullable(assetTypeSchema)),
  status: z.exactOptional(z.nullable(tokenStatusSchema)),
  tokenPriceUsd: optionalNumber,
});
true satisfies Same<SettledToken, z.output<typeof settledTokenSchema>>;

/** The chain of a receipt (interface section 2.6); every field may be missing or null. */
export interface SettledChain {
  chainId?: ChainId | null;
  name?: string | null;
  nativeSymbol?: string | null;
  nativeDecimals?: number | null;
  isEnabled?: boolean | null;
  isTestnet?: boolean | null;
}

export const settledChainSchema = openObject({
  chainId: optionalChainId,
  name: optionalText,
  nativeSymbol: optionalText,
  nativeDecimals: optionalNumber,
  isEnabled: optionalBoolean,
  isTestnet: optionalBoolean,
});
true satisfies Same<SettledChain, z.output<typeof settledChainSchema>>;
