import { afterAll, beforeEach } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { CommandLine, settlekit, type Variables } from "./command-line.ts";

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
  const variables = {
    SETTLEKIT_ENVIRONMENT: environment,
    SETTLEKIT_SANDBOX_URL: server.url,
    SETTLEKIT_SECRET_KEY: secretKey,
    SETTLEKIT_WEBHOOK_SECRET: webhookSecret,
  };
  const runWith = (more: Variables, ...args: string[]) =>
    settlekit(args, { ...variables, ...more });
  const run = (...args: string[]) => settlekit(args, variables);
  /** What a command prints with `--json`. */
  const jsonOf = async (...args: string[]) => {
    const { stdout } = await run(...args, "--json");
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  return { sandbox, server, client, run, runWith, jsonOf };
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
