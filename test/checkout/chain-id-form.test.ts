import { expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";

test.each([
  ["number", 84532],
  ["caip2", "eip155:84532"],
] as const)(
  "a checkout sends chain ids in its client's format: %s",
  async (chainIdFormat, chainId) => {
    using server = scriptedService(
      { status: 201, body: payment.quotes[0] },
      { body: { id: payment.id, status: "pending" } },
    );
    const client = new MerchantClient({
      secretKey: "sk_test_1",
      environment: "sandbox",
      baseUrl: server.url,
      wire: { chainIdFormat },
    });
    const checkout = client.checkout({ paymentId: payment.id, secret: "ps_1" });
    await checkout.quotes.create({ chainId: 84532, forceDepositAmount: 500 });
    await checkout.refreshStatus({ chainId: 84532, transactionHash: "0xabc" });
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { chainId, forceDepositAmount: 500 },
      { chainId, transactionHash: "0xabc" },
    ]);
  },
);
