import type { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { ReadOptions } from "../http/settings.ts";
import type { ChainId } from "../wire/fields.ts";
import * as operations from "../wire/operations.ts";
import type {
  ChainListQuery,
  Token,
  TokenChain,
  TokenListQuery,
  WalletBalances,
} from "../wire/token.ts";
import { chainIdOnWire, objectAt, otherChain } from "./arguments.ts";
import { type ListOptions, list, type PagePromise } from "./lists/page.ts";

/** The supported chains. Public: requests carry no credential. Published elsewhere, not in the interface document. */
export class Chains {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Reads a chain.
   *
   * @param chainId Such as 8453, or CAIP-2 text for a non-EVM chain.
   * @throws {NotFoundError} when the service does not support the chain.
   */
  get(chainId: ChainId, options?: ReadOptions): ApiPromise<TokenChain> {
    const fill = () => {
      const id = chainIdOnWire(chainId, this.#http.settings.wire);
      const differing = (chain: TokenChain) => otherChain(id, chain.chainId);
      return { path: { chainId: String(id) }, differing };
    };
    return this.#http.call(operations.getChain, fill, options);
  }

  /** Lists the chains in use. Await it for one page, or iterate it for all. */
  list(query: ChainListQuery = {}, options?: ListOptions): PagePromise<TokenChain> {
    return list(this.#http, operations.listChains, query, options);
  }
}

/** The supported tokens. Public: requests carry no credential. Published elsewhere, not in the interface document. */
export class Tokens {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Reads a token with its price.
   *
   * @throws {NotFoundError} when no token has this id.
   */
  get(tokenId: string, options?: ReadOptions): ApiPromise<Token> {
    return this.#http.call(operations.getToken, objectAt({ tokenId }), options);
  }

  /**
   * Lists tokens with their prices, in USD for one whole token. Await it for one page, or iterate it for all.
   *
   * @throws {InvalidRequestError} when a filter is unknown or its value is not accepted; `param` names it.
   */
  list(query: TokenListQuery = {}, options?: ListOptions): PagePromise<Token> {
    return list(this.#http, operations.listTokens, query, options);
  }
}

/** The merchant's wallet at the service. Published elsewhere, not in the interface document. */
export class Wallet {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Reads the balance of every token in the wallet. */
  balances(options?: ReadOptions): ApiPromise<WalletBalances> {
    return this.#http.call(operations.getWalletBalances, {}, options);
  }
}
