import { MerchantClient } from "../../src/index.ts";
import { CommandLine } from "./command-line.ts";

/** The first line that `--json` prints. */
export interface Keys {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly merchantId: string;
  readonly accessToken: string;
}

export const paymentsPath = "/v1/external/secretkey-auth/payments";
export const order = { amount: 2500, orderId: "order_1" };

/** Starts a sandbox on a free port, and waits until it is ready. */
export async function sandbox(...args: string[]) {
  const running = new CommandLine(["sandbox", "--port", "0", "--json", ...args]);
  const keys = await running.json<Keys>();
  const { secretKey, url: baseUrl } = keys;
  const environment = "sandbox";
  const client = new MerchantClient({ environment, secretKey, baseUrl, maxRetries: 0 });
  return Object.assign(running, { keys, client });
}
