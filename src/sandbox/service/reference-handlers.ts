import type { ChainListQuery, Token, TokenListQuery } from "../../wire/token.ts";
import { found, pageOf } from "./answers.ts";
import type { Call } from "./operations.ts";
import { type PricedToken, pricedTokens, supportedChains } from "./tokens.ts";

/** A million of each token, so that no simulated payout can exhaust the wallet. */
const heldWholeTokens = "1000000";

/** Chains, tokens and the merchant's wallet (published). */
export const referenceHandlers = {
  listChains: ({ query }: Call<unknown, ChainListQuery>) => pageOf(supportedChains, query),
  getChain({ path: { chainId = "" } }: Call) {
    const chain = supportedChains.find((it) =>
      [`${it.chainId}`, `eip155:${it.chainId}`].includes(chainId),
    );
    return found("chain", chain);
  },
  listTokens: ({ query }: Call<unknown, TokenListQuery>) =>
    pageOf(pricedTokens.filter(matching(query)).map(withPrice), query),
  getToken({ path: { tokenId = "" } }: Call) {
    const priced = pricedTokens.find(({ token }) => token.id === tokenId);
    return withPrice(found("token", priced));
  },
  getWalletBalances: () => ({
    balances: pricedTokens.map((priced) => ({
      chainId: priced.chainId,
      token: withPrice(priced),
      amountRaw: heldWholeTokens + "0".repeat(priced.token.decimals),
      amountFormatted: heldWholeTokens,
    })),
  }),
};

function withPrice({ token, rateUsd }: PricedToken): Token {
  return { ...token, tokenPriceUsd: Number(rateUsd) };
}

function matching(query: TokenListQuery) {
  return ({ token, chainId }: PricedToken) => {
    const { symbol, contractAddress, assetType, type: tokenType } = token;
    const facts = { symbol, contractAddress, assetType, tokenType };
    const isAlike = Object.entries(facts).every(([name, fact]) => {
      const wanted = query[name as keyof typeof facts] ?? fact;
      return wanted.toLowerCase() === fact.toLowerCase();
    });
    return isAlike && (query.chainId ?? chainId) === chainId;
  };
}
