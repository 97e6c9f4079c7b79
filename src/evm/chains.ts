/** An EVM network. */
export interface Chain {
  /** EVM chain id, such as 8453. */
  readonly chainId: number;
  readonly name: string;
  /** Symbol of the network's native asset, such as `ETH`. */
  readonly nativeSymbol: string;
  /** Decimals of the native asset's smallest unit. */
  readonly nativeDecimals: number;
  readonly isTestnet: boolean;
}

/**
 * The networks that the service is known to use, mainnets first. It may enable others: a quote's own
 * `token.chain` and the withdrawal configuration are the authority.
 */
export const chains: readonly Chain[] = [
  { chainId: 1, name: "Ethereum", nativeSymbol: "ETH", nativeDecimals: 18, isTestnet: false },
  { chainId: 8453, name: "Base", nativeSymbol: "ETH", nativeDecimals: 18, isTestnet: false },
  {
    chainId: 56,
    name: "BNB Smart Chain",
    nativeSymbol: "BNB",
    nativeDecimals: 18,
    isTestnet: false,
  },
  { chainId: 137, name: "Polygon", nativeSymbol: "POL", nativeDecimals: 18, isTestnet: false },
  { chainId: 43114, name: "Avalanche", nativeSymbol: "AVAX", nativeDecimals: 18, isTestnet: false },
  { chainId: 10, name: "Optimism", nativeSymbol: "ETH", nativeDecimals: 18, isTestnet: false },
  { chainId: 42161, name: "Arbitrum", nativeSymbol: "ETH", nativeDecimals: 18, isTestnet: false },
  {
    chainId: 84532,
    name: "Base Sepolia",
    nativeSymbol: "ETH",
    nativeDecimals: 18,
    isTestnet: true,
  },
  {
    chainId: 11155111,
    name: "Ethereum Sepolia",
    nativeSymbol: "ETH",
    nativeDecimals: 18,
    isTestnet: true,
  },
];

/**
 * A network by its chain id; `undefined` for one that is not in `chains`.
 *
 * @example
 * ```ts
 * findChain(8453)?.name; // "Base"
 * ```
 */
export function findChain(chainId: number): Chain | undefined {
  return chains.find((chain) => chain.chainId === chainId);
}
