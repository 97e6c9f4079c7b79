import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import type { PageBody } from "../../../src/wire/pagination.ts";
import type { Token, TokenChain, WalletBalances } from "../../../src/wire/token.ts";
import { errorOf, origin, send } from "../merchant.ts";

/** Sends a GET without any credential. */
async function asked<Body>(path: string): Promise<{ status: number; body: Body }> {
  const response = await createSandbox().fetch(`${origin}/v1/external/${path}`);
  return { status: response.status, body: (await response.json()) as Body };
}

describe("chains", () => {
  it("are listed without a credential, in pages", async () => {
    const { body } = await asked<PageBody<TokenChain>>("chains?limit=1&offset=1");
    expect(body.data.map(({ chainId }) => chainId)).toEqual([11_155_111]);
    expect(body.pagination).toMatchObject({ total: 2, hasMore: false });
  });

  it.each(["84532", "eip155:84532"])("are found by their id: %s", async (id) => {
    const { body } = await asked<TokenChain>(`chains/${id}`);
    expect(body).toMatchObject({ chainId: 84_532, nativeSymbol: "ETH" });
  });

  it.each([
    ["chains/1", "There is no chain with this id."],
    ["tokens/none", "There is no token with this id."],
  ])("and tokens with unknown ids are 404: %s", async (path, message) => {
    const { status, body } = await asked(path);
    expect([status, body]).toMatchObject([404, { error: { message } }]);
  });
});

describe("tokens", () => {
  it.each([
    ["", 6],
    ["?chainId=84532", 3],
    ["?chainId=eip155:11155111", 3],
    ["?chainId=solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", 0],
    ["?symbol=usdc", 2],
    ["?contractAddress=0x036cbd53842c5426634e7929541ec2318f3dcf7e", 1],
    ["?assetType=native", 2],
    ["?tokenType=stablecoin&chainId=84532", 2],
  ])("are filtered: tokens%s", async (query, count) => {
    const { status, body } = await asked<PageBody<Token>>(`tokens${query}`);
    expect([status, body.data.length]).toEqual([200, count]);
    expect(body.data.every(({ tokenPriceUsd }) => Number(tokenPriceUsd) > 0)).toBe(true);
  });

  it("are found by their id", async () => {
    const { body } = await asked<PageBody<Token>>("tokens");
    const [first] = body.data;
    expect((await asked<Token>(`tokens/${first?.id}`)).body).toEqual(first);
  });

  it("refuse a filter with an unknown value", async () => {
    const { status } = await asked("tokens?assetType=erc721");
    expect(status).toBe(422);
  });
});

it("the wallet's balances require the merchant's secret key", async () => {
  const sandbox = createSandbox();
  const path = "/v1/external/secretkey-auth/wallet/balances";
  const { balances } = (await (await send(sandbox, path)).json()) as WalletBalances;
  expect(balances).toHaveLength(6);
  expect(balances[1]).toMatchObject({
    chainId: 84_532,
    token: { symbol: "USDC" },
    amountRaw: "1000000000000",
    amountFormatted: "1000000",
  });
  const stranger = await sandbox.fetch(origin + path);
  expect(await errorOf(stranger)).toMatchObject({ code: "invalid_api_key" });
});
