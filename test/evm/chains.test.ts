import { describe, expect, it } from "vitest";
import { chains, findChain } from "../../src/evm/chains.ts";

describe("chains", () => {
  it("lists the published networks with their native assets", () => {
    const lines = chains.map(
      ({ chainId, name, nativeSymbol, nativeDecimals, isTestnet }) =>
        `${chainId} ${name}: ${nativeSymbol}, ${nativeDecimals}${isTestnet ? ", testnet" : ""}`,
    );
    expect(lines).toEqual([
      "1 Ethereum: ETH, 18",
      "8453 Base: ETH, 18",
      "56 BNB Smart Chain: BNB, 18",
      "137 Polygon: POL, 18",
      "43114 Avalanche: AVAX, 18",
      "10 Optimism: ETH, 18",
      "42161 Arbitrum: ETH, 18",
      "84532 Base Sepolia: ETH, 18, testnet",
      "11155111 Ethereum Sepolia: ETH, 18, testnet",
    ]);
  });

  it("are found by their ids, and unknown ids are not", () => {
    for (const chain of chains) expect(findChain(chain.chainId)).toBe(chain);
    expect(findChain(2)).toBeUndefined();
    expect(findChain(Number.NaN)).toBeUndefined();
  });
});
