import { chains, isNativeAssetAddress } from "../../evm/chains.ts";
import type { ChainId } from "../../wire/fields.ts";
import type { Token } from "../../wire/token.ts";

/**
 * The fixed USD prices of whole tokens (assumed). Only USDC's divides evenly, which exposes code that rounds the wrong
 * way or treats every stablecoin as a dollar.
 */
export const ratesUsd = { ETH: "3127.43", USDC: "1.00", USDT: "0.9994" } as const;

const nativeContract = "0x0000000000000000000000000000000000000000";

/** By chain: of ether, of USDC, which is Circle's test deployment, and of USDT, which is made up. */
const contracts: Readonly<Record<number, readonly string[]>> = {
  84532: [
    nativeContract,
    "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "0x5a4db00000000000000000000000000000084532",
  ],
  11155111: [
    nativeContract,
    "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
    "0x5a4dB00000000000000000000000000011155111",
  ],
};

export const supportedChains = chains
  .filter(({ chainId }) => chainId in contracts)
  .map(({ isTestnet, ...chain }) => ({ ...chain, isEnabled: true }));

export const supportedChainIds = supportedChains.map(({ chainId }) => chainId);

export interface SettlementToken extends Token {
  readonly chain: (typeof supportedChains)[number];
  readonly symbol: keyof typeof ratesUsd;
}

/** The tokens that settle a payment, in the order of its quotes. */
export const tokens: readonly SettlementToken[] = supportedChains.flatMap((chain) => {
  const token = (index: number, coingeckoApiId: string, symbol: keyof typeof ratesUsd) => ({
    id: `8c5d8a0e-54c1-4b8e-9c58-${String(chain.chainId).padStart(11, "0")}${index}`,
    coingeckoApiId,
    chain,
    symbol,
    contractAddress: contracts[chain.chainId]?.[index] ?? "",
    decimals: 6,
    type: "stablecoin",
    assetType: "erc20",
    status: "active",
  });
  const native = { decimals: chain.nativeDecimals, type: "volatile", assetType: "native" };
  return [
    { ...token(0, "ethereum", "ETH"), ...native },
    token(1, "usd-coin", "USDC"),
    token(2, "tether", "USDT"),
  ];
});

/** The token of withdrawals on a supported chain. */
export function usdcOn(chainId: number): SettlementToken {
  const usdc = tokens.find(({ chain, symbol }) => chain.chainId === chainId && symbol === "USDC");
  if (usdc === undefined) throw new Error(`There is no USDC on chain ${chainId}.`);
  return usdc;
}

/** USDC on Base Sepolia. */
export const defaultToken = usdcOn(84_532);

/** Ignores case; the native asset has two addresses. */
export function isSameContract(one: string, other: string): boolean {
  if (isNativeAssetAddress(one)) return isNativeAssetAddress(other);
  return one.toLowerCase() === other.toLowerCase();
}

export function tokenOn(chainId: ChainId, contractAddress: string): SettlementToken | undefined {
  return tokens.find(
    (it) => it.chain.chainId === chainId && isSameContract(it.contractAddress, contractAddress),
  );
}
