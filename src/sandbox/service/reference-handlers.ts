import type { ChainListQuery, Token, TokenListQuery } from "../../wire/token.ts";
import { found, pageOf } from "./answers.ts";
import type { Call } from "./operations.ts";
import {
  isSameContract,
  ratesUsd,
  type SettlementToken,
  supportedChains,
  tokens,
} from "./tokens.ts";

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
    pageOf(tokens.filter(matching(query)).map(withPrice), query),
  getToken({ path: { tokenId = "" } }: Call) {
    const token = tokens.find(({ id }) => id === tokenId);
    return withPrice(found("token", token));
  },
  getWalletBalances: () => ({
    balances: tokens.map((token) => ({
      chainId: token.chain.chainId,
      token: withPrice(token),
      amountRaw: heldWholeTokens + "0".repeat(token.decimals),
      amountFormatted: heldWholeTokens,
    })),
  }),
};

function withPrice(token: SettlementToken): Token {
  return { ...token, tokenPriceUsd: Number(ratesUsd[token.symbol]) };
}

function matching({ chainId, contractAddress, ...wanted }: TokenListQuery) {
  return ({ chain, type, ...token }: SettlementToken) =>
    (chainId ?? chain.chainId) === chain.chainId &&
    isSameContract(contractAddress ?? token.contractAddress, token.contractAddress) &&
    (wanted.symbol ?? token.symbol).toUpperCase() === token.symbol &&
    (wanted.assetType ?? token.assetType) === token.assetType &&
    (wanted.tokenType ?? type) === type;
}
