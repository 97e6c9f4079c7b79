import { invalidArgument, show } from "../values.ts";

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
 * The networks that the service is known to use, mainnets first. It may enable others: a quote's own `token.chain` and
 * the withdrawal configuration are authoritative.
 */
export const chains: readonly Chain[] = [
  chain(1, "Ethereum", "ETH"),
  chain(8453, "Base", "ETH"),
  chain(56, "BNB Smart Chain", "BNB"),
  chain(137, "Polygon", "POL"),
  chain(43114, "Avalanche", "AVAX"),
  chain(10, "Optimism", "ETH"),
  chain(42161, "Arbitrum", "ETH"),
  chain(84532, "Base Sepolia", "ETH", true),
  chain(11155111, "Ethereum Sepolia", "ETH", true),
];

// @__NO_SIDE_EFFECTS__
function chain(chainId: number, name: string, nativeSymbol: string, isTestnet = false): Chain {
  return { chainId, name, nativeSymbol, nativeDecimals: 18, isTestnet };
}

/**
 * A network by its chain id; `undefined` if it is not in `chains`. Text ids, which only non-EVM networks have, always
 * return `undefined`.
 *
 * @example
 * ```ts
 * findChain(8453)?.name; // "Base"
 * ```
 */
export function findChain(chainId: number | string): Chain | undefined {
  return chains.find((chain) => chain.chainId === chainId);
}

/**
 * A chain id as a CAIP-2 identifier.
 *
 * @throws {InvalidRequestError} code `invalid_chain_id`.
 * @example
 * ```ts
 * toCaip2(8453); // "eip155:8453"
 * ```
 */
export function toCaip2(chainId: number): `eip155:${number}` {
  return `eip155:${checkedChainId(chainId)}`;
}

/**
 * The chain id in a CAIP-2 identifier of an EVM network.
 *
 * @throws {InvalidRequestError} code `invalid_chain_id`, also for other namespaces such as `solana:…`,
 * whose chains have no number.
 * @example
 * ```ts
 * fromCaip2("eip155:8453"); // 8453
 * ```
 */
export function fromCaip2(identifier: string): number {
  const digits = typeof identifier === "string" && /^eip155:([1-9][0-9]*)$/.exec(identifier)?.[1];
  const chainId = Number(digits || Number.NaN);
  if (Number.isSafeInteger(chainId)) return chainId;
  throw invalidArgument(
    "chainId",
    `chainId must be eip155: followed by an EVM chain id, such as eip155:8453, got ${show(identifier)}. ` +
      "Chains of other namespaces have no number.",
    "invalid_chain_id",
  );
}

/** @throws {InvalidRequestError} code `invalid_chain_id`. */
export function checkedChainId(chainId: number): number {
  if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  throw invalidArgument(
    "chainId",
    `chainId must be a positive whole number, such as 8453 for Base, got ${show(chainId)}. Only EVM chains have one: ` +
      "fromCaip2 reads it from text such as eip155:8453.",
    "invalid_chain_id",
  );
}

/** The two fields of a token that show whether it is a chain's native asset. */
export interface AssetFields {
  readonly contractAddress: string;
  readonly assetType: string;
}

/**
 * Whether a `contractAddress` stands for a chain's native asset rather than for a contract: the all-zero address, or
 * `0xeeee…eeee` (interface section 2.4). Neither has a known key, so money sent to them is lost.
 */
export function isNativeAssetAddress(contractAddress: string): boolean {
  return /^0x(?:0{40}|e{40})$/i.test(contractAddress);
}

/**
 * Whether a token is its chain's native asset, which is paid by a plain transfer instead of a call
 * to a contract. Both of its fields must say so (interface section 2.4).
 *
 * @throws {InvalidRequestError} code `ambiguous_asset` when the fields contradict each other: either
 * way of paying could then lose the money.
 * @example
 * ```ts
 * isNativeAsset({ contractAddress: "0x0000000000000000000000000000000000000000", assetType: "native" });
 * // true
 * isNativeAsset({ contractAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", assetType: "erc20" });
 * // false
 * ```
 */
export function isNativeAsset(token: AssetFields): boolean {
  const byAddress = isNativeAssetAddress(token.contractAddress);
  const byType = token.assetType === "native";
  if (byAddress === byType) return byType;
  const contradiction = byAddress
    ? "contractAddress stands for a native asset, but its assetType is not native"
    : "assetType is native, but its contractAddress is that of a contract";
  const message = `The token's ${contradiction}. Do not pay with it; choose another token.`;
  throw invalidArgument("assetType", message, "ambiguous_asset");
}
