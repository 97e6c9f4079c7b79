import { describe, expect, test } from "vitest";
import {
  getChain,
  getToken,
  getWalletBalances,
  listChains,
  listTokens,
} from "../../src/wire/operations.ts";
import type { Service } from "./service.ts";

/** Chains, tokens and the wallet (published). */
export function assetContract(service: Service): void {
  describe("the public lists", () => {
    test("name the supported chains, each readable by its id", async () => {
      const { data } = await service.call(listChains);
      expect(data.length).toBeGreaterThan(0);
      for (const chain of data.slice(0, 3)) {
        const path = { chainId: String(chain.chainId) };
        expect(await service.call(getChain, { path })).toEqual(chain);
      }
    });

    test("name the supported tokens with their prices, each readable by its id", async () => {
      const { data } = await service.call(listTokens);
      expect(data.length).toBeGreaterThan(0);
      for (const token of data.slice(0, 3)) {
        const read = await service.call(getToken, { path: { tokenId: token.id } });
        expect(read.symbol).toBe(token.symbol);
      }
    });

    test("filter tokens by chain, symbol and contract, in any letter case", async () => {
      const { data } = await service.call(listTokens);
      const [token] = data.filter(({ assetType }) => assetType === "erc20");
      if (token === undefined) return;
      const { symbol, contractAddress, chain } = token;
      for (const query of [
        { symbol: symbol.toLowerCase() },
        { contractAddress: contractAddress.toUpperCase().replace("0X", "0x") },
        { ...(chain && { chainId: chain.chainId }), assetType: "erc20", tokenType: token.type },
      ]) {
        const { data: found } = await service.call(listTokens, { query });
        expect(found.map(({ id }) => id)).toContain(token.id);
      }
    });

    test.each([
      [getChain, { chainId: "999999999" }],
      [getToken, { tokenId: "0b0f1b4e-3b1c-4d57-9d3e-0000000000ff" }],
    ] as const)("answer 404 for an unknown id: %#", async (operation, path) => {
      expect((await service.refused(operation, { path })).status).toBe(404);
    });
  });

  test("the wallet's balances are in smallest units", async () => {
    const { balances } = await service.call(getWalletBalances);
    for (const { amountRaw } of balances) expect(amountRaw ?? "0").toMatch(/^\d+$/);
  });
}
