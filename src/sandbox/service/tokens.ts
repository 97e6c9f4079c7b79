import { findChain, isNativeAssetAddress } from "../../evm/chains.ts";
import type { ChainId } from "../../wire/fields.ts";
import type { Token, TokenChain } from "../../wire/token.ts";

/** A token that the sandbox settles in, at a fixed price. */
export interface PricedToken {
  readonly token: Token;
  readonly chainId: number;
  /** USD price of one whole token. */
  readonly rateUsd: string;
}

/**
 * The fixed prices (assumed). Only USDC's divides evenly, which exposes code that rounds the wrong way or treats every
 * stablecoin as a dollar.
 */
const etherRateUsd = "3127.43";
const usdcRateUsd = "1.00";
const usdtRateUsd = "0.9994";

const nativeContract = "0x0000000000000000000000000000000000000000";

/** The tokens that settle a payment, in the order of its quotes. */
export const pricedTokens: readonly PricedToken[] = [
  // The contracts of USDC are Circle's test deployments; USDT has none, so its addresses are made up.
  ...tokensOn(84_532, {
    usdcContract: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    usdtContract: "0x5a4db00000000000000000000000000000084532",
  }),
  ...tokensOn(11_155_111, {
    usdcContract: "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
    usdtContract: "0x5a4dB00000000000000000000000000011155111",
  }),
];

export const supportedChainIds: readonly number[] = [84_532, 11_155_111];
export const supportedChains: readonly TokenChain[] = supportedChainIds.map(chainOf);

/** USDC on Base Sepolia. */
export const defaultToken = usdcOn(84_532);

/** The token of withdrawals on a supported chain. */
export function usdcOn(chainId: number): PricedToken {
  const usdc = pricedTokens.find((it) => it.chainId === chainId && it.token.symbol === "USDC");
  if (usdc === undefined) throw new Error(`There is no USDC on chain ${chainId}.`);
  return usdc;
}

/** The token with this contract, ignoring case; the native asset has two addresses. */
export function tokenOn(chainId: ChainId, contractAddress: string): PricedToken | undefined {
  const contract = isNativeAssetAddress(contractAddress) ? nativeContract : contractAddress;
  const isContract = ({ token }: PricedToken) =>
    token.contractAddress.toLowerCase() === contract.toLowerCase();
  return pricedTokens.find((it) => it.chainId === chainId && isContract(it));
}

function tokensOn(
  chainId: number,
  { usdcContract, usdtContract }: { usdcContract: string; usdtContract: string },
): PricedToken[] {
  const chain = chainOf(chainId);
  const idOf = (index: number) =>
    `8c5d8a0e-54c1-4b8e-9c58-${String(chainId).padStart(11, "0")}${index}`;

  const usdc: Token = {
    id: idOf(1),
    coingeckoApiId: "usd-coin",
    chain,
    symbol: "USDC",
    contractAddress: usdcContract,
    decimals: 6,
    type: "stablecoin",
    assetType: "erc20",
    status: "active",
  };
  const usdt: Token = {
    ...usdc,
    id: idOf(2),
    coingeckoApiId: "tether",
    symbol: "USDT",
    contractAddress: usdtContract,
  };
  const ether: Token = {
    ...usdc,
    id: idOf(0),
    coingeckoApiId: "ethereum",
    symbol: chain.nativeSymbol,
    contractAddress: nativeContract,
    decimals: chain.nativeDecimals,
    type: "volatile",
    assetType: "native",
  };
  return [
    { token: ether, chainId, rateUsd: etherRateUsd },
    { token: usdc, chainId, rateUsd: usdcRateUsd },
    { token: usdt, chainId, rateUsd: usdtRateUsd },
  ];
}

function chainOf(chainId: number): TokenChain {
  const chain = findChain(chainId);
  if (chain === undefined) throw new Error(`Chain ${chainId} is missing from the table of chains.`);
  return { ...chain, isEnabled: true };
}
