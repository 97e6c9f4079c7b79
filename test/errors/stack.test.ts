import { expect, test } from "vitest";
import { MerchantClient, SettlekitError } from "../../src/index.ts";
import { createSandbox, type SandboxFaults } from "../../src/sandbox/index.ts";

const sandbox = createSandbox();
const client = new MerchantClient({
  environment: "sandbox",
  secretKey: sandbox.secretKey,
  maxRetries: 0,
  fetch: (url, init) => sandbox.fetch(new Request(url, init)),
});
const { payments, withdrawals } = client;

function failNext(route: Parameters<SandboxFaults["next"]>[0]): void {
  sandbox.faults.next(route, { status: 503, when: "before" });
}

/** Makes the next read of the list fail, whoever makes it. */
function failing<T>(call: () => T): T {
  failNext("GET /payments");
  return call();
}

/** The frames of the error's stack, outermost last. */
async function framesOf(call: () => unknown): Promise<string[]> {
  async function handleRequest() {
    await call();
  }
  const error = await handleRequest().catch((error: unknown) => error);
  if (!SettlekitError.is(error)) throw new Error("The call did not fail.", { cause: error });
  const [message = "", ...frames] = (error.stack ?? "").split(/\n(?=\s+at )/);
  expect(message).toBe(`${error.name}: ${error.message}`);
  return frames;
}

async function watch(): Promise<void> {
  const { secret } = await payments.create({ amount: 2500, orderId: "order_3" });
  const checkout = client.checkout({ paymentId: "none", secret });
  for await (const { status } of checkout.watch()) expect(status).toBe("pending");
}

const payout = {
  orderId: "payout_1",
  amountInCents: 1000,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

test.each<[string, () => unknown]>([
  ["a refused argument", () => payments.get("")],
  ["a refused option", () => payments.get("1", { timeoutMs: -1 })],
  ["a refused filter", () => payments.list({ limit: -1 })],
  ["an error response", () => payments.get("none")],
  ["withResponse", () => payments.get("none").withResponse()],
  ["then", () => payments.get("none").then(String)],
  ["a list's first page", () => failing(() => payments.list())],
  ["toArray", () => failing(() => payments.list().toArray({ limit: 1 }))],
  ["findByOrderId", () => failing(() => payments.findByOrderId("order_1"))],
  ["waitUntilFinal", () => payments.waitUntilFinal("none")],
  ["watch", watch],
  ["request", () => client.request({ method: "GET", path: "/v1/none" })],
  ["the sandbox's clock", () => sandbox.clock.advance("-1m")],
  [
    "createOnce",
    () => {
      failNext("GET /withdrawals");
      return withdrawals.createOnce(payout);
    },
  ],
])("the stack of an error begins with the line that made the call: %s", async (_, call) => {
  const frames = await framesOf(call);
  const first = frames.findIndex((frame) => frame.includes("stack.test.ts"));
  expect(first).toBeGreaterThan(-1);
  // What remains of settlekit is the method, and how it starts.
  expect(first).toBeLessThan(6);
  expect(frames.join()).toContain("handleRequest");
});

test.each<[string, () => Promise<void>]>([
  [
    "items",
    async () => {
      for await (const { status } of payments.list({ limit: 1 })) {
        expect(status).toBe("pending");
        failNext("GET /payments");
      }
    },
  ],
  [
    "pages",
    async () => {
      for await (const { data } of payments.list({ limit: 1 }).pages()) {
        expect(data).toHaveLength(1);
        failNext("GET /payments");
      }
    },
  ],
  [
    "next",
    async () => {
      const page = await payments.list({ limit: 1 });
      await failing(() => page.next());
    },
  ],
])("the error of a later page leads to the line that asked for the list: %s", async (_, read) => {
  for (const orderId of ["order_1", "order_2"]) await payments.create({ amount: 2500, orderId });
  const frames = await framesOf(read);
  expect(frames.slice(0, 3).join()).toContain("stack.test.ts");
});
