import { MerchantClient } from "../../src/index.ts";
import { CommandLine } from "./command-line.ts";

/** What `--json` prints first. */
export interface Keys {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly merchantId: string;
  readonly accessToken: string;
}

export const paymentsPath = "/v1/external/secretkey-auth/payments";
export const order = { amount: 2500, orderId: "order_1" };

/** A sandbox that is ready, on a port of its own. */
export async function sandbox(...args: string[]) {
  const running = new CommandLine(["sandbox", "--port", "0", "--json", ...args]);
  const keys = await running.json<Keys>();
  const { secretKey, url: baseUrl } = keys;
  const environment = "sandbox";
  const client = new MerchantClient({ environment, secretKey, baseUrl, maxRetries: 0 });
  return Object.assign(running, { keys, client });
}
