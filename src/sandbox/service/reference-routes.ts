import * as operations from "../../wire/operations.ts";
import type { ChainListQuery, Token, TokenChain, TokenListQuery } from "../../wire/token.ts";
import { found, pageOf } from "./answers.ts";
import { type Call, type Route, route } from "./operations.ts";
import { type PricedToken, pricedTokens, supportedChainIds } from "./tokens.ts";

/** A million of each token, so that no simulated payout can exhaust the wallet. */
const heldWholeTokens = "1000000";

const chains: readonly TokenChain[] = supportedChainIds.flatMap((id) => {
  const chain = pricedTokens.find(({ chainId }) => chainId === id)?.token.chain;
  return chain ? [chain] : [];
});

/** Chains, tokens and the merchant's wallet (published). */
export const referenceRoutes: readonly Route[] = [
  route(operations.listChains, ({ query }: Call<unknown, ChainListQuery>) =>
    pageOf(chains, query, { from: "first" }),
  ),
  route(operations.getChain, ({ path: { chainId = "" } }) => {
    const chain = chains.find((it) => [`${it.chainId}`, `eip155:${it.chainId}`].includes(chainId));
    return found("chain", chain);
  }),
  route(operations.listTokens, ({ query }: Call<unknown, TokenListQuery>) =>
    pageOf(pricedTokens.filter(matching(query)).map(withPrice), query, { from: "first" }),
  ),
  route(operations.getToken, ({ path: { tokenId = "" } }) => {
    const priced = pricedTokens.find(({ token }) => token.id === tokenId);
    return withPrice(found("token", priced));
  }),
  route(operations.getWalletBalances, () => ({
    balances: pricedTokens.map((priced) => ({
      chainId: priced.chainId,
      token: withPrice(priced),
      amountRaw: heldWholeTokens + "0".repeat(priced.token.decimals),
      amountFormatted: heldWholeTokens,
    })),
  })),
];

function withPrice({ token, rateUsd }: PricedToken): Token {
  return { ...token, tokenPriceUsd: Number(rateUsd) };
}

function matching(query: TokenListQuery) {
  const isAlike = (wanted: string | undefined, value: string) =>
    wanted === undefined || wanted.toLowerCase() === value.toLowerCase();
  return ({ token, chainId }: PricedToken) =>
    (query.chainId === undefined || query.chainId === chainId) &&
    isAlike(query.symbol, token.symbol) &&
    isAlike(query.contractAddress, token.contractAddress) &&
    isAlike(query.assetType, token.assetType) &&
    isAlike(query.tokenType, token.type);
}
