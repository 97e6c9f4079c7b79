import { InvalidRequestError } from "../errors.ts";

/** The two fields of a token that say whether it is a chain's native asset. */
export interface AssetFields {
  readonly contractAddress: string;
  readonly assetType: string;
}

/**
 * Whether a `contractAddress` stands for a chain's native asset (such as ether) rather than for a
 * token contract: the all-zero address, or `0xeeee…eeee` in any case (interface section 2.4).
 *
 * Nobody holds the keys of either, so neither may receive money.
 *
 * @example
 * ```ts
 * isNativeAssetAddress("0x0000000000000000000000000000000000000000"); // true
 * isNativeAssetAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"); // false
 * ```
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
  if (byAddress !== byType) {
    const contradiction = byAddress
      ? "contractAddress stands for a native asset, but its assetType is not native"
      : "assetType is native, but its contractAddress is that of a contract";
    throw new InvalidRequestError(
      `The token's ${contradiction}. Do not pay with it; choose another token.`,
      { code: "ambiguous_asset", param: "assetType" },
    );
  }
  return byType;
}
