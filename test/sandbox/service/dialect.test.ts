import { MerchantClient } from "settlekit";
import { CheckoutClient } from "settlekit/checkout";
import { createSandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { afterEach, expect, it, vi } from "vitest";
import { create, origin, read } from "../merchant.ts";

afterEach(() => vi.unstubAllEnvs());

it("answers with CAIP-2 chain ids and an address for each quote, if it speaks the published form", async () => {
  const sandbox = createSandbox({ dialect: "published" });
  const { paymentId } = await create(sandbox);
  const { quotes, depositAddress } = await read(sandbox, paymentId);
  expect(quotes).toHaveLength(6);
  for (const quote of quotes) {
    expect(quote).toMatchObject({
      chainId: expect.stringMatching(/^eip155:\d+$/),
      depositAddress: { address: depositAddress?.address },
    });
    expect(quote.token.chain?.chainId).toBe(quote.chainId);
  }
});

it("serves clients and webhook receivers of another header prefix as they are", async () => {
  vi.stubEnv("SETTLEKIT_HEADER_PREFIX", "X-Acme");
  const received: Promise<string>[] = [];
  const sandbox = createSandbox({
    dialect: "published",
    deliver: async (request) => {
      received.push(webhooks.verify(request).then(({ event }) => event));
      return new Response();
    },
  });
  const webhooks = new Webhooks({ secret: sandbox.webhookSecret });
  expect(sandbox.headerPrefix).toBe("X-Acme");
  const { secretKey } = sandbox;
  const connection = {
    environment: "sandbox",
    baseUrl: origin.replace("sandbox.test", "localhost"),
    fetch: sandbox.fetch,
  } as const;
  const client = new MerchantClient({ ...connection, secretKey });
  const { paymentId, secret } = await client.payments.create({ amount: 2500, orderId: "order_1" });
  const checkout = new CheckoutClient({ ...connection, headerPrefix: "X-Acme", paymentId, secret });
  expect(await checkout.status()).toMatchObject({ id: paymentId, status: "pending" });
  expect((await client.payments.get(paymentId)).quotes[0]?.chainId).toBe(84_532);
  await sandbox.webhooks.idle();
  expect(await Promise.all(received)).toEqual(["payment.created"]);
});
