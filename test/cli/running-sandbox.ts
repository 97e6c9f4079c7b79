import { afterAll, beforeEach } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { CommandLine, settlekit } from "./command-line.ts";

/** The first line that `--json` prints. */
export interface Keys {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly merchantId: string;
  readonly accessToken: string;
  /** Only if there are several. */
  readonly merchants?: readonly Keys[];
}

export const paymentsPath = "/v1/external/secretkey-auth/payments";
export const order = { amount: 2500, orderId: "order_1" };

/** Starts a sandbox on a free port, and waits until it is ready. */
export async function sandbox(...args: string[]) {
  const running = new CommandLine(["sandbox", "--port", "0", "--json", ...args]);
  const keys = await running.json<Keys>();
  const { url: baseUrl } = keys;
  const clientOf = ({ secretKey }: { readonly secretKey: string }) =>
    new MerchantClient({ environment: "sandbox", secretKey, baseUrl, maxRetries: 0 });
  return Object.assign(running, { keys, client: clientOf(keys), clientOf });
}

/** Serves a sandbox of this process for a test file, resets it before each test, and runs commands against it. */
export async function sandboxInProcess(seed: string) {
  const sandbox = createSandbox({ seed, now: new Date("2026-01-01") });
  const server = await sandbox.listen({ port: 0 });
  beforeEach(() => sandbox.reset());
  afterAll(() => server.close());
  const { secretKey, webhookSecret } = sandbox;
  const environment = "sandbox";
  const client = new MerchantClient({ environment, baseUrl: server.url, secretKey });
  const run = (...args: string[]) =>
    settlekit(args, {
      SETTLEKIT_SANDBOX_URL: server.url,
      SETTLEKIT_WEBHOOK_SECRET: webhookSecret,
    });
  return { sandbox, server, client, run };
}

/** A sandbox of its own for a shop, to which it has sent the webhook of one payment. */
export async function sandboxFor(webhookUrl: string) {
  const { listen, webhooks, secretKey } = createSandbox({ webhookUrl });
  const { url, close } = await listen({ port: 0 });
  const shopClient = new MerchantClient({ environment: "sandbox", baseUrl: url, secretKey });
  await shopClient.payments.create({ amount: 2500, orderId: "order_1" });
  await webhooks.idle();
  const [{ id: deliveryId } = { id: "" }] = webhooks.deliveries();
  return { url, webhooks, deliveryId, [Symbol.asyncDispose]: close };
}
