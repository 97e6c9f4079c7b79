import {
  getChain,
  getToken,
  getWalletBalances,
  listChains,
  listTokens,
} from "../../wire/operations.ts";
import type { PageBody } from "../../wire/pagination.ts";
import type {
  ChainListQuery,
  Token,
  TokenChain,
  TokenListQuery,
  WalletBalances,
} from "../../wire/token.ts";
import { notFound } from "./answers.ts";
import { pageOf } from "./lists.ts";
import { type Call, type Route, route } from "./operations.ts";
import { type PricedToken, pricedTokens, supportedChainIds } from "./tokens.ts";

/** A million of each token, so that no simulated payout can exhaust the wallet. */
const heldWholeTokens = "1000000";

const chains: readonly TokenChain[] = supportedChainIds.flatMap((id) => {
  const chain = pricedTokens.find(({ chainId }) => chainId === id)?.token.chain;
  return chain ? [chain] : [];
});

/** Chains, tokens and the merchant's wallet (published). */
export function referenceRoutes(): Route[] {
  function chain({ path: { chainId = "" } }: Call): TokenChain {
    const found = chains.find((it) => [`${it.chainId}`, `eip155:${it.chainId}`].includes(chainId));
    if (found === undefined) throw notFound("chain");
    return found;
  }

  function tokens({ query }: Call<unknown, TokenListQuery>): PageBody<Token> {
    return pageOf(pricedTokens.filter(matching(query)).map(withPrice), query, { from: "first" });
  }

  function token({ path: { tokenId = "" } }: Call): Token {
    const found = pricedTokens.find((it) => it.token.id === tokenId);
    if (found === undefined) throw notFound("token");
    return withPrice(found);
  }

  function balances(): WalletBalances {
    return {
      balances: pricedTokens.map((priced) => ({
        chainId: priced.chainId,
        token: withPrice(priced),
        amountRaw: heldWholeTokens + "0".repeat(priced.token.decimals),
        amountFormatted: heldWholeTokens,
      })),
    };
  }

  return [
    route(listChains, ({ query }: Call<unknown, ChainListQuery>) =>
      pageOf(chains, query, { from: "first" }),
    ),
    route(getChain, chain),
    route(listTokens, tokens),
    route(getToken, token),
    route(getWalletBalances, balances),
  ];
}

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
