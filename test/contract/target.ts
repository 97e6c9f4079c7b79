import { expect } from "vitest";

/** A server that the contract is held against, with what is needed to call it. */
export interface Target {
  /** As the platform's `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly baseUrl: string;
  readonly secretKey: string;
  /** What the service's own headers begin with. Default `X-Service`. */
  readonly headerPrefix?: string | undefined;
  /** Whether the merchant may create deposits. */
  readonly depositsEnabled: boolean;
  /** Where withdrawals go to; `"disabled"` when the merchant may create none. */
  readonly withdrawals?: Payee | "disabled" | undefined;
  readonly dashboard?: { readonly merchantId: string; readonly accessToken: string } | undefined;
  /** Lets the customer of a payment pay what is due. */
  readonly settle?: ((paymentId: string) => Promise<void>) | undefined;
  /** Has a withdrawal end. */
  readonly conclude?: ((withdrawalId: string, how: Conclusion) => Promise<void>) | undefined;
  /** Has the next request refused with this status, before it takes effect. */
  readonly failNext?: ((status: 429 | 500) => void) | undefined;
  /** Before the first request. */
  readonly open?: (() => void) | undefined;
  /** After the last one. */
  readonly close?: (() => Promise<void>) | undefined;
}

export interface Payee {
  readonly recipientAddress: string;
  /** EVM chain id. */
  readonly chainId: number;
}

/** A chain id as CAIP-2 text, in whichever form it was given. */
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
 * The server that environment variables name; `undefined` without `SETTLEKIT_CONTRACT_URL`.
 *
 * - `SETTLEKIT_CONTRACT_URL`: its base URL.
 * - `SETTLEKIT_CONTRACT_SECRET_KEY`: a merchant's secret key. Use a test key: payments are created.
 * - `SETTLEKIT_HEADER_PREFIX`: what its own headers begin with, by default `X-Service`.
 * - `SETTLEKIT_CONTRACT_DEPOSITS`: `disabled` when the merchant has none.
 * - `SETTLEKIT_CONTRACT_RECIPIENT`: a wallet address. Without it nothing is withdrawn; `disabled`
 *   when the merchant has no withdrawals. `SETTLEKIT_CONTRACT_CHAIN_ID`: where, by default 84532.
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
