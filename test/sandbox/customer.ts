import type { Sandbox } from "settlekit/sandbox";
import type { Quote } from "../../src/wire/quote.ts";
import { origin } from "./merchant.ts";

export interface Opened {
  readonly paymentId: string;
  readonly secret: string;
}

const group = "/v1/external/payment-secret-auth/payments";
export const ether = { chainId: 84_532, contractAddress: `0x${"0".repeat(40)}` };

/** Requests a path under the payment, with the payment's secret. */
export function ask(
  sandbox: Sandbox,
  { paymentId, secret }: Opened,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Response> {
  const { method = init.body === undefined ? "GET" : "POST", headers, body } = init;
  return sandbox.fetch(
    new Request(`${origin}${group}/${paymentId}${path}`, {
      method,
      headers: { "X-Service-Payment-Secret": secret, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
}

export async function quote(sandbox: Sandbox, opened: Opened, body: object): Promise<Quote> {
  const response = await ask(sandbox, opened, "/quotes", { body });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Quote;
}

export async function activeQuotes(sandbox: Sandbox, opened: Opened): Promise<Quote[]> {
  return (await (await ask(sandbox, opened, "/quotes")).json()) as Quote[];
}
