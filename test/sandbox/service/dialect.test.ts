import { MerchantClient } from "settlekit";
import { CheckoutClient } from "settlekit/checkout";
import { createSandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  create,
  origin,
  read,
  readWithdrawal,
  send,
  withdraw,
  withdrawalsPath,
} from "../merchant.ts";

afterEach(() => vi.unstubAllEnvs());

describe("documented answers have the fields of the interface document, in its order", () => {
  it("for payments (sections 2.1 to 2.4)", async () => {
    const { payment } = await create(createSandbox(), { redirectUrl: "https://shop.example/paid" });
    const { depositAddress, quotes } = payment;
    const [quote] = quotes;
    expect([payment, depositAddress, quote, quote?.token, quote?.token.chain].map(names)).toEqual([
      "id merchantId merchantShortName type amountInCents currency status depositAddress quotes receipt orderId " +
        "redirectUrl createdAt",
      "id paymentId type address createdAt",
      "id paymentId token chainId expectedAmountAsset rateUsdAsset expiresAt status createdAt",
      "id coingeckoApiId chain symbol contractAddress decimals type assetType status",
      "chainId name nativeSymbol nativeDecimals isEnabled",
    ]);
  });

  it("for withdrawals (sections 2.5 and 2.6)", async () => {
    const sandbox = createSandbox();
    const created = await withdraw(sandbox, { orderId: "payout_1", customMetadata: "{}" });
    const fields =
      "id merchantId amountInCents chainId recipientAddress status currency orderId customMetadata errorMessage " +
      "receipt createdAt updatedAt";
    expect(names(created)).toBe(fields);
    await sandbox.withdrawals.simulate(created.id, "complete");
    const { receipt } = await readWithdrawal(sandbox, created.id);
    expect([receipt, receipt?.settledToken, receipt?.settledChain].map(names)).toEqual([
      "withdrawalId settledToken settledChain settledAmountAsset settledAmountUsd txHash txBlockNumber txTimestamp " +
        "txSenderAddress txGasUsed txTotalCost txTotalCostUsdFractions txIsSponsored processedBy createdAt",
      "symbol decimals contractAddress",
      "chainId name",
    ]);
    const { data } = Object(await (await send(sandbox, withdrawalsPath)).json());
    expect(data.map(names)).toEqual([fields.replace("errorMessage ", "")]);
  });
});

function names(value: unknown): string {
  return Object.keys(Object(value)).join(" ");
}

it("published answers have CAIP-2 chain ids and an address for each quote", async () => {
  const sandbox = createSandbox({ dialect: "published" });
  const { paymentId } = await create(sandbox);
  const { quotes, depositAddress } = await read(sandbox, paymentId);
  expect(quotes).toHaveLength(6);
  const addresses = quotes.map((quote) => {
    expect(quote.chainId).toMatch(/^eip155:\d+$/);
    expect(quote.token.chain).toMatchObject({ chainId: quote.chainId, isTestnet: true });
    expect(quote.amountDueCents).toBe(2500);
    const own = Object(quote.depositAddress);
    expect(own).toMatchObject({ id: quote.id, paymentId, type: "EVM" });
    return own.address;
  });
  expect(new Set([...addresses, depositAddress?.address]).size).toBe(7);
  expect((await read(sandbox, paymentId)).quotes).toEqual(quotes);
});

it("published answers have 0xeeee…eeee for native assets, and contracts in lower case", async () => {
  const sandbox = createSandbox({ dialect: "published" });
  const { paymentId, payment } = await create(sandbox);
  const contracts = payment.quotes.map(({ token }) => token.contractAddress);
  expect(contracts.slice(0, 2)).toEqual([
    "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
    "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
  ]);
  expect(contracts.every((contract) => contract === contract.toLowerCase())).toBe(true);
  const tokens = `${origin}/v1/external/tokens?contractAddress=${contracts[0]}`;
  expect(await (await sandbox.fetch(tokens)).json()).toMatchObject({ pagination: { total: 2 } });
  await sandbox.payments.simulate(paymentId, "success");
  const { receipt } = await read(sandbox, paymentId);
  expect(receipt?.settledToken?.contractAddress).toBe(contracts[1]);
});

it("published payments and their webhooks state the total, and fees of nothing", async () => {
  const received: unknown[] = [];
  const sandbox = createSandbox({
    dialect: "published",
    deliver: async (request) => {
      received.push(await request.json());
      return new Response();
    },
  });
  const { payment } = await create(sandbox);
  await sandbox.webhooks.idle();
  expect(payment).toMatchObject({
    amountDueCents: 2500,
    convenienceFeeCents: 0,
    merchantFeeCents: 0,
    swapFeeCents: 0,
    amountMerchantNetCents: 2500,
    merchantLogoUrl: null,
  });
  expect(received).toMatchObject([{ data: { payment: { amountDueCents: 2500 } } }]);
});

it("a published quote is paid to its own address", async () => {
  const sandbox = createSandbox({ dialect: "published" });
  const { paymentId, secret } = await create(sandbox);
  const { fetch } = sandbox;
  const options = { environment: "sandbox", baseUrl: "http://localhost", fetch } as const;
  const checkout = new CheckoutClient({ ...options, paymentId, secret });
  const payment = await checkout.payment();
  const addresses = payment.quotes.map((quote) => {
    const { address } = checkout.paymentRequest(payment, quote);
    expect(address).toBe(Object(quote.depositAddress).address);
    return address;
  });
  expect(new Set(addresses).size).toBe(6);
});

it("published webhooks are { type, data: { payment }, timestamp }, and are replayed byte for byte", async () => {
  const bodies: string[] = [];
  const sandbox = createSandbox({
    dialect: "published",
    now: new Date("2026-01-01T00:00:00Z"),
    deliver: async (request) => {
      bodies.push(await request.text());
      return new Response();
    },
  });
  const { paymentId } = await create(sandbox);
  await sandbox.webhooks.idle();
  await sandbox.clock.advance("5m");
  const [delivery] = sandbox.webhooks.deliveries();
  await sandbox.webhooks.replay(delivery?.id ?? "");
  expect(JSON.parse(bodies[0] ?? "")).toEqual({
    type: "payment.created",
    data: { payment: expect.objectContaining({ id: paymentId, status: "pending" }) },
    timestamp: "2026-01-01T00:00:00.000Z",
  });
  expect(bodies).toEqual([bodies[0], bodies[0]]);
});

it("clients and webhook receivers work in the published form under another header prefix", async () => {
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
