import * as z from "zod/mini";
import {
  type AllNullish,
  allNullish,
  type ChainId,
  chainIdSchema,
  identifier,
  nullish,
  type OpenEnum,
  openEnum,
  openObject,
  optional,
  optionalNumber,
  optionalText,
  type Same,
} from "./fields.ts";
import { type PageQuery, pageQuery } from "./pagination.ts";

/** A network on which a token lives (interface section 2.4). */
export interface TokenChain {
  /** Such as 8453. */
  chainId: ChainId;
  /** Such as `Base`. */
  name: string;
  /** Symbol of the network's native asset, such as `ETH`. */
  nativeSymbol: string;
  /** Decimals of the network's native asset. */
  nativeDecimals: number;
  /** Whether the network is in use. */
  isEnabled: boolean;
  /** Whether it is a test network, whose assets are worth nothing. */
  isTestnet?: boolean;
}

export const tokenChainSchema = openObject({
  chainId: chainIdSchema,
  name: z.string(),
  nativeSymbol: z.string(),
  nativeDecimals: z.number(),
  isEnabled: z.boolean(),
  isTestnet: optional(z.boolean()),
});
true satisfies Same<TokenChain, z.output<typeof tokenChainSchema>>;

/** An asset in which a payment can be settled (interface section 2.4). */
export interface Token {
  id: string;
  /** Price-feed identifier. */
  coingeckoApiId?: string | null;
  /** The network that the token lives on. */
  chain?: TokenChain | null;
  /** Such as `USDC`. */
  symbol: string;
  /** The all-zero address (or `0xeeee…eeee`) with `assetType` `native` denotes the native asset. */
  contractAddress: string;
  /**
   * Decimals of the smallest unit. The same symbol can have different decimals on different chains: never assume them.
   */
  decimals: number;
  /** Whether its price is stable. */
  type: OpenEnum<"stablecoin" | "volatile">;
  /** `native` for the chain's own asset, `erc20` for a token contract's. */
  assetType: OpenEnum<"native" | "erc20">;
  /** Whether it is in use. */
  status: OpenEnum<"active" | "deprecated" | "blocked">;
  /** USD price of one whole token. */
  tokenPriceUsd?: number | null;
}

const tokenTypeSchema = openEnum("stablecoin", "volatile");
const assetTypeSchema = openEnum("native", "erc20");

export const tokenSchema = openObject({
  id: identifier,
  coingeckoApiId: optionalText,
  chain: nullish(tokenChainSchema),
  symbol: z.string(),
  contractAddress: z.string(),
  decimals: z.number(),
  type: tokenTypeSchema,
  assetType: assetTypeSchema,
  status: openEnum("active", "deprecated", "blocked"),
  tokenPriceUsd: optionalNumber,
});
true satisfies Same<Token, z.output<typeof tokenSchema>>;

/** The token of a receipt (interface section 2.6); every field may be missing or null. */
export interface SettledToken extends AllNullish<Token> {}

export const settledTokenSchema = allNullish(tokenSchema);
true satisfies Same<SettledToken, z.output<typeof settledTokenSchema>>;

/** The chain of a receipt (interface section 2.6); every field may be missing or null. */
export interface SettledChain extends AllNullish<TokenChain> {}

export const settledChainSchema = allNullish(tokenChainSchema);
true satisfies Same<SettledChain, z.output<typeof settledChainSchema>>;

/** The parameters of `chains.list` (published). */
export interface ChainListQuery extends PageQuery {}

export const chainListQuerySchema = pageQuery({});
true satisfies Same<ChainListQuery, z.output<typeof chainListQuerySchema>>;

/** The filters of `tokens.list` (published). */
export interface TokenListQuery extends PageQuery {
  /** Such as 8453, or CAIP-2 text. */
  chainId?: ChainId | undefined;
  /** Case-insensitive. */
  symbol?: string | undefined;
  /** Case-insensitive. */
  contractAddress?: string | undefined;
  assetType?: OpenEnum<"native" | "erc20"> | undefined;
  tokenType?: OpenEnum<"stablecoin" | "volatile"> | undefined;
}

export const tokenListQuerySchema = pageQuery({
  chainId: z.optional(chainIdSchema),
  symbol: z.optional(z.string()),
  contractAddress: z.optional(z.string()),
  assetType: z.optional(assetTypeSchema),
  tokenType: z.optional(tokenTypeSchema),
});
true satisfies Same<TokenListQuery, z.output<typeof tokenListQuerySchema>>;

/** The merchant's balance of one token (published). */
export interface TokenBalance {
  chainId: ChainId;
  /** The token held. */
  token: Token;
  /** In the token's smallest unit, as a decimal string; null when it could not be read. */
  amountRaw: string | null;
  /** In whole tokens, as a decimal string; null when it could not be read. */
  amountFormatted: string | null;
}

export const tokenBalanceSchema = openObject({
  chainId: chainIdSchema,
  token: tokenSchema,
  amountRaw: z.nullable(z.string()),
  amountFormatted: z.nullable(z.string()),
});
true satisfies Same<TokenBalance, z.output<typeof tokenBalanceSchema>>;

/** The merchant's balances (published). */
export interface WalletBalances {
  /** One entry for each token. */
  balances: TokenBalance[];
}

export const walletBalancesSchema = openObject({ balances: z.array(tokenBalanceSchema) });
true satisfies Same<WalletBalances, z.output<typeof walletBalancesSchema>>;
