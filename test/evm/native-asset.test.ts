import { describe, expect, it } from "vitest";
import { isNativeAsset, isNativeAssetAddress } from "../../src/evm/chains.ts";
import { thrownBy } from "./thrown-by.ts";

const zero = `0x${"0".repeat(40)}`;
const sentinel = `0x${"e".repeat(40)}`;
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

describe("a native asset", () => {
  it.each([
    zero,
    sentinel,
    sentinel.replaceAll("e", "E"),
    "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE",
  ])("has the contract address %s", (contractAddress) => {
    expect(isNativeAssetAddress(contractAddress)).toBe(true);
    expect(isNativeAsset({ contractAddress, assetType: "native" })).toBe(true);
  });

  it.each([
    usdc,
    `${zero}0`,
    zero.slice(0, -1),
    `${zero.slice(0, -1)}1`,
    `0x${"0".repeat(20)}${"e".repeat(20)}`,
    ` ${zero}`,
    `${zero}\n`,
    "",
  ])("does not have the contract address %j", (contractAddress) => {
    expect(isNativeAssetAddress(contractAddress)).toBe(false);
  });

  it("is not a contract's token, whatever the token's type", () => {
    expect(isNativeAsset({ contractAddress: usdc, assetType: "erc20" })).toBe(false);
    expect(isNativeAsset({ contractAddress: usdc, assetType: "a later kind" })).toBe(false);
  });

  it.each([
    [zero, "erc20"],
    [sentinel, "a later kind"],
    [usdc, "native"],
  ])("is not guessed from the address %s with the type %s", (contractAddress, assetType) => {
    const error = thrownBy(() => isNativeAsset({ contractAddress, assetType }));
    expect(error).toMatchObject({
      code: "ambiguous_asset",
      param: "assetType",
      message: expect.stringContaining("choose another token"),
    });
  });
});
