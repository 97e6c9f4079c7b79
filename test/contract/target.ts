import { expect } from "vitest";

/** A server to test against the contract, with what is needed to call it. */
export interface Target {
  /** As the platform's `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly baseUrl: string;
  readonly secretKey: string;
  /** The prefix of the service's own headers. Default `X-Service`. */
  readonly headerPrefix?: string | undefined;
  /** Whether the merchant may create deposits. */
  readonly depositsEnabled: boolean;
  /** The recipient of withdrawals; `"disabled"` if the merchant may not create any. */
  readonly withdrawals?: Payee | "disabled" | undefined;
  readonly dashboard?: { readonly merchantId: string; readonly accessToken: string } | undefined;
  /** Pays the amount due, as the customer. */
  readonly settle?: ((paymentId: string) => Promise<void>) | undefined;
  /** Moves a withdrawal to a final status. */
  readonly conclude?: ((withdrawalId: string, how: Conclusion) => Promise<void>) | undefined;
  /** Makes the next request fail with this status before it takes effect. */
  readonly failNext?: ((status: 429 | 500) => void) | undefined;
  /** Called before the first request. */
  readonly open?: (() => void) | undefined;
  /** Called after the last request. */
  readonly close?: (() => Promise<void>) | undefined;
}

export interface Payee {
  readonly recipientAddress: string;
  /** EVM chain id. */
  readonly chainId: number;
}

/** Converts a chain id in either form to CAIP-2. */
export function caip2(chainId: unknown): string {
  return typeof chainId === "number" ? `eip155:${chainId}` : String(chainId);
}

/** Matches a chain's id in either form. */
export function sameChain(chainId: number): unknown {
  return expect.toSatisfy((given) => caip2(given) === caip2(chainId));
}

type Conclusion = "complete" | "fail" | "cancel";

type Variables = Readonly<Record<string, string | undefined>>;

const baseSepolia = 84_532;

/**
 * The target that environment variables name; `undefined` without `SETTLEKIT_CONTRACT_URL`.
 *
 * - `SETTLEKIT_CONTRACT_URL`: its base URL.
 * - `SETTLEKIT_CONTRACT_SECRET_KEY`: a merchant's secret key. Use a test key: payments are created.
 * - `SETTLEKIT_HEADER_PREFIX`: the prefix of its own headers, by default `X-Service`.
 * - `SETTLEKIT_CONTRACT_DEPOSITS`: `disabled` if the merchant may not create any.
 * - `SETTLEKIT_CONTRACT_RECIPIENT`: a wallet address. Without it, no withdrawals are created; `disabled`
 *   if the merchant may not create any. `SETTLEKIT_CONTRACT_CHAIN_ID`: their chain, by default 84532.
 * - `SETTLEKIT_CONTRACT_MERCHANT_ID` and `SETTLEKIT_CONTRACT_ACCESS_TOKEN`: for the dashboard's routes.
 */
export function targetFrom(variables: Variables): Target | undefined {
  const read = (name: string) => variables[`SETTLEKIT_CONTRACT_${name}`] || undefined;
  const baseUrl = read("URL");
  if (baseUrl === undefined) return undefined;
  const secretKey = read("SECRET_KEY");
  if (secretKey === undefined) throw new Error("SETTLEKIT_CONTRACT_SECRET_KEY is missing.");

  const recipientAddress = read("RECIPIENT");
  const chainId = Number(read("CHAIN_ID") ?? baseSepolia);
  const merchantId = read("MERCHANT_ID");
  const accessToken = read("ACCESS_TOKEN");
  return {
    fetch: (url, init) => fetch(url, init),
    baseUrl: baseUrl.replace(/\/+$/, ""),
    secretKey,
    headerPrefix: variables.SETTLEKIT_HEADER_PREFIX || undefined,
    depositsEnabled: read("DEPOSITS") !== "disabled",
    withdrawals:
      recipientAddress === undefined || recipientAddress === "disabled"
        ? recipientAddress
        : { recipientAddress, chainId },
    dashboard: merchantId && accessToken ? { merchantId, accessToken } : undefined,
  };
}
