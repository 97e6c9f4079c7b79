import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CheckoutClient } from "../../src/checkout/checkout-client.ts";
import type { Payment } from "../../src/wire/payment.ts";
import type { Quote } from "../../src/wire/quote.ts";
import { scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";

const [native] = payment.quotes;
if (!native) throw new Error("The example payment has a quote.");
const usdc = {
  ...native,
  expectedAmountAsset: "25000001",
  token: {
    ...native.token,
    symbol: "USDC",
    decimals: 6,
    assetType: "erc20",
    contractAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  },
};
const address = payment.depositAddress.address;
const checkout = new CheckoutClient({
  paymentId: payment.id,
  secret: "ps_1",
  baseUrl: "https://api.example",
});

describe("a payment request", () => {
  test("for a token has the exact address and amount", () => {
    expect(checkout.paymentRequest(payment, usdc)).toMatchObject({
      address,
      amount: "25.000001",
      amountUnits: "25000001",
      symbol: "USDC",
      chainId: 84532,
      expiresAt: usdc.expiresAt,
      uri: `ethereum:${usdc.token.contractAddress}@84532/transfer?address=${address}&uint256=25000001`,
    });
  });

  test("for a native asset links to the address itself", () => {
    expect(checkout.paymentRequest(payment, native)).toMatchObject({
      amount: "0.01",
      symbol: "ETH",
      uri: `ethereum:${address}@84532?value=10000000000000000`,
    });
  });

  test("has the amount due in cents, including fees", () => {
    const { amountInCents } = payment;
    expect(checkout.paymentRequest({ ...payment, amountDueCents: null }, usdc).amountDueCents).toBe(
      amountInCents,
    );
    expect(checkout.paymentRequest({ ...payment, amountDueCents: 2600 }, usdc).amountDueCents).toBe(
      2600,
    );
    const quote = { ...usdc, amountDueCents: 2700 };
    expect(
      checkout.paymentRequest({ ...payment, amountDueCents: 2600 }, quote).amountDueCents,
    ).toBe(2700);
  });

  test("is refused for chains without payment URIs, naming those that have them", () => {
    const chainId = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" as const;
    expect(() => checkout.paymentRequest(payment, { ...usdc, chainId })).toThrow(
      /solana:.* only EVM chains \(eip155\) have payment URIs/,
    );
  });

  test("prefers the quote's own address, in either form", () => {
    const own = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
    const asText = { ...usdc, depositAddress: own };
    const asObject = { ...usdc, depositAddress: { ...payment.depositAddress, address: own } };
    const without = { ...payment, depositAddress: null };
    expect(checkout.paymentRequest(without, asText).address).toBe(own);
    expect(checkout.paymentRequest(payment, asObject).address).toBe(own);
  });

  test("is refused when there is no address, or one with a wrong checksum", () => {
    const without = { ...payment, depositAddress: null };
    expect(() => checkout.paymentRequest(without, usdc)).toThrow(/Read the payment again/);
    const wrong = { ...usdc, depositAddress: address.replace("aA", "AA") };
    expect(() => checkout.paymentRequest(payment, wrong)).toThrow(
      expect.objectContaining({ code: "invalid_address", param: "depositAddress" }),
    );
  });

  test.each([
    ["another payment's quote", payment, { ...usdc, paymentId: "another" }],
    ["a quote that a search did not find", payment, undefined],
    ["nothing", undefined, undefined],
  ])("is refused for %s", (_, ...given) => {
    expect(() => checkout.paymentRequest(...(given as [Payment, Quote]))).toThrow(
      expect.objectContaining({ code: "foreign_quote", param: "quote" }),
    );
  });

  test("accepts a CAIP-2 chain id from a response with drift", () => {
    const drifted = { ...usdc, chainId: "eip155:84532" as unknown as number };
    expect(checkout.paymentRequest(payment, drifted).chainId).toBe(84532);
  });

  test("is refused without a token", () => {
    const { token: _, ...without } = usdc;
    expect(() => checkout.paymentRequest(payment, without as Quote)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", param: "decimals" }),
    );
  });

  test("is refused when the token contradicts itself", () => {
    const token = { ...usdc.token, assetType: "native" };
    expect(() => checkout.paymentRequest(payment, { ...usdc, token })).toThrow(
      expect.objectContaining({ code: "ambiguous_asset" }),
    );
  });
});

describe("the QR code", () => {
  /** The size of a code in modules, from its SVG. */
  const drawn = (svg: string) => /viewBox="0 0 (\d+) /.exec(svg)?.[1];

  test("of the address is the same for every token and amount, and smaller than the link's", () => {
    const request = checkout.paymentRequest(payment, usdc);
    const other = checkout.paymentRequest(payment, native);
    expect(request.addressQrSvg()).toMatch(/^<svg .*<\/svg>$/s);
    expect(request.addressQrSvg()).toBe(other.addressQrSvg());
    expect(request.uriQrSvg()).not.toBe(other.uriQrSvg());
    expect(Number(drawn(request.uriQrSvg()))).toBeGreaterThan(
      Number(drawn(request.addressQrSvg())),
    );
  });
});

describe("the countdown", () => {
  test("is the same in every time zone, even without one in the quote", () => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers().unstubAllEnvs());
    vi.setSystemTime(Date.parse(usdc.expiresAt) - 90_000);
    const quote = { ...usdc, expiresAt: usdc.expiresAt.replace("Z", "") };
    expect(checkout.paymentRequest(payment, quote).remainingMs()).toBe(90_000);
  });

  test("uses the service's clock, not the browser's", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const serviceTime = Date.parse(usdc.expiresAt) - 90_000;
    const headers = { date: new Date(serviceTime).toUTCString() };
    using server = scriptedService({ body: payment, headers });
    const here = new CheckoutClient({ paymentId: payment.id, secret: "ps_1", baseUrl: server.url });
    await here.payment();
    const request = here.paymentRequest(payment, usdc);
    const remainingMs = request.remainingMs();
    // A Date header counts in seconds.
    expect(Math.abs(remainingMs - 90_000)).toBeLessThanOrEqual(1_000);
    vi.advanceTimersByTime(30_000);
    expect(request.remainingMs()).toBe(remainingMs - 30_000);
  });

  test("counts the time that the device slept while a response was on its way", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const date = new Date(Date.parse(usdc.expiresAt) - 90_000).toUTCString();
    await using service = await scriptedServer(
      { body: payment, headers: { date } },
      async (response) => {
        vi.setSystemTime(Date.now() + 120_000);
        response.writeHead(200, { "content-type": "application/json", date });
        response.end(JSON.stringify(payment));
      },
    );
    const { url: baseUrl } = service;
    const here = new CheckoutClient({ paymentId: payment.id, secret: "ps_1", baseUrl });
    await here.payment();
    const request = here.paymentRequest(payment, usdc);
    expect(request.remainingMs()).toBeGreaterThan(0);
    await here.payment();
    expect(request.remainingMs()).toBe(0);
  });

  test("is zero when the expiry cannot be parsed", () => {
    const odd = { ...usdc, expiresAt: "soon" };
    expect(checkout.paymentRequest(payment, odd).remainingMs()).toBe(0);
  });

  test("stops at zero", () => {
    const expired = { ...usdc, expiresAt: "2020-01-01T00:00:00.000Z" };
    expect(checkout.paymentRequest(payment, expired).remainingMs()).toBe(0);
  });
});
