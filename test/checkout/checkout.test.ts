import { describe, expect, test } from "vitest";
import { Checkout } from "../../src/checkout/checkout.ts";
import { CheckoutClient } from "../../src/checkout/checkout-client.ts";
import { ConfigurationError, MerchantClient } from "../../src/index.ts";
import { FakeTime } from "../http/fake-time.ts";
import { httpTo } from "../http/http-to.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";

const secret = "ps_1";
const clientOf = ({ url }: { url: string }, options = {}) =>
  new CheckoutClient({ paymentId: payment.id, secret, baseUrl: url, ...options });
const path = `/v1/external/payment-secret-auth/payments/${payment.id}`;
const state = (status: string) => ({ body: { id: payment.id, status } });

describe("a checkout client", () => {
  test("sends its own headers, and those of a call or watch", async () => {
    using server = scriptedService(state("pending"), state("completed"));
    const checkout = clientOf(server, { headers: { "x-shop": "1" } });
    await checkout.status({ headers: { "x-call": "2" } });
    for await (const _ of checkout.watch({ headers: { "x-watch": "3" } }));
    expect(server.requests.map(({ headers }) => headers)).toMatchObject([
      { "x-shop": "1", "x-call": "2" },
      { "x-shop": "1", "x-watch": "3" },
    ]);
    const wrong = checkout.watch({ intervalms: 1 } as never).next();
    await expect(wrong).rejects.toMatchObject({ param: "intervalms" });
  });

  test("requests quotes on any chain by CAIP-2 id", async () => {
    const chainId = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" as const;
    using server = scriptedService({ status: 201, body: { ...payment.quotes[0], chainId } });
    const contractAddress = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    await clientOf(server).quotes.create({ chainId, contractAddress });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ chainId, contractAddress });
  });

  test("reads and changes its payment with the payment secret", async () => {
    const [quote] = payment.quotes;
    using server = scriptedService(
      { body: payment },
      state("pending"),
      { body: payment.quotes },
      { status: 201, body: quote },
      state("processing"),
    );
    const checkout = clientOf(server);
    expect(await checkout.payment()).toEqual(payment);
    expect(await checkout.status()).toEqual({ id: payment.id, status: "pending" });
    expect(await checkout.quotes.list()).toEqual(payment.quotes);
    expect(await checkout.quotes.create({ chainId: 84532, forceDepositAmount: 500 })).toEqual(
      quote,
    );
    expect(await checkout.refreshStatus({ transactionHash: "0xabc" })).toMatchObject({
      status: "processing",
    });
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["GET", path, ""],
      ["GET", `${path}/status`, ""],
      ["GET", `${path}/quotes`, ""],
      ["POST", `${path}/quotes`, '{"chainId":84532,"forceDepositAmount":500}'],
      ["POST", `${path}/refresh-status`, '{"transactionHash":"0xabc"}'],
    ]);
    for (const { headers } of server.requests) {
      expect(headers["x-service-payment-secret"]).toBe(secret);
      expect(Object.keys(headers)).not.toContain("x-settlekit-retry-count");
      expect(Object.keys(headers)).not.toContain("idempotency-key");
    }
  });

  test("can be created by a server's client, without the merchant's key", async () => {
    using server = scriptedService({ body: payment });
    const options = {
      secretKey: "sk_test_1",
      environment: "sandbox",
      baseUrl: server.url,
    } as const;
    const checkout = new MerchantClient(options).checkout({ paymentId: payment.id, secret });
    expect(await checkout.payment()).toEqual(payment);
    expect(server.requests[0]?.headers).not.toHaveProperty("x-service-secret-key");
  });

  test.each([
    [{ secret: "sk_test_1" }, "secret", /merchant secret key/],
    [{ secret: "sk_live" }, "secret", /revoke this key/],
    [{ secret: "" }, "secret", /non-empty/],
    [{ secret: "two words" }, "secret", /copy it again/],
    [{ baseUrl: "http://api.example" }, "baseUrl", /send the payment secret .* Use https/],
    [{ baseUrl: "https://ps_1@api.example" }, "baseUrl", /the payment secret has its own option/],
    [{ baseUrl: undefined }, "baseUrl", /no base URL/],
  ])("refuses %o", (options, param, message) => {
    const refuse = () => clientOf({ url: "https://api.example" }, options);
    expect(refuse).toThrow(ConfigurationError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ param }));
  });

  test("finds the sandbox on its usual port", async () => {
    const urls: string[] = [];
    const fetch = async (url: URL | RequestInfo) => {
      urls.push(String(url));
      return Response.json(payment);
    };
    const options = { baseUrl: undefined, environment: "sandbox", fetch };
    await clientOf({ url: "" }, options).payment();
    expect(urls).toEqual([`http://127.0.0.1:4010${path}`]);
  });
});

describe("options of a checkout client", () => {
  test.each<[object, string]>([
    [{ paymentId: "" }, "paymentId"],
    [{ paymentId: undefined }, "paymentId"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ deadlineMs: -1 }, "deadlineMs"],
    [{ maxRetries: 0.5 }, "maxRetries"],
    [{ wire: { headerPrefix: "X Shop" } }, "wire.headerPrefix"],
  ])("are checked before anything is sent: %o", (options, param) => {
    const make = () => clientOf({ url: "https://api.example" }, options);
    expect(make).toThrow(expect.objectContaining({ name: "ConfigurationError", param }));
  });

  test.each(["paymentId", "secret", "baseUrl"])("must include %s", (missing) => {
    const options = { paymentId: payment.id, secret, baseUrl: "https://api.example" };
    Reflect.deleteProperty(options, missing);
    const make = () => new CheckoutClient(options);
    expect(make).toThrow(expect.objectContaining({ name: "ConfigurationError", param: missing }));
  });

  test("apply to its calls", async () => {
    using server = scriptedService({ status: 503 }, { body: payment });
    const once = clientOf(server, { maxRetries: 0, wire: { headerPrefix: "X-Shop" } });
    await expect(once.payment()).rejects.toMatchObject({ status: 503, attempts: 1 });
    expect(server.requests[0]?.headers).toHaveProperty("x-shop-payment-secret", secret);
  });
});

describe("a customer's arguments", () => {
  test.each<[object, string]>([
    [{ forceDepositAmount: Number.NaN }, "forceDepositAmount"],
    [{ forceDepositAmount: -1 }, "forceDepositAmount"],
    [{ forceDepositAmount: 2.5 }, "forceDepositAmount"],
    [{ chainId: "8453" }, "chainId"],
    [{ contractAddress: "javascript:alert(1)" }, "contractAddress"],
  ])("are checked for quotes: %o", async (input, param) => {
    using server = scriptedService({});
    await expect(clientOf(server).quotes.create(input)).rejects.toMatchObject({ param });
    expect(server.requests).toHaveLength(0);
  });

  test.each<[object, string]>([
    [{ transactionHash: "" }, "transactionHash"],
    [{ tokenContractAddress: "0x1" }, "tokenContractAddress"],
  ])("are checked for a refresh: %o", async (input, param) => {
    using server = scriptedService({});
    await expect(clientOf(server).refreshStatus(input)).rejects.toMatchObject({ param });
  });

  test.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY])(
    "must not include an interval of %d",
    async (intervalMs) => {
      using server = scriptedService({});
      const statuses = clientOf(server).watch({ intervalMs });
      await expect(statuses.next()).rejects.toMatchObject({ param: "intervalMs" });
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe("watch", () => {
  const watched = (server: { url: string }, time = new FakeTime()) =>
    new Checkout(httpTo(server, { maxRetries: 0 }, time), payment.id);

  test("yields each change of status once, and ends after a final one", async () => {
    using server = scriptedService(
      state("pending"),
      state("pending"),
      state("processing"),
      state("processing"),
      state("completed"),
    );
    const seen: string[] = [];
    for await (const { status } of watched(server).watch()) seen.push(status);
    expect(seen).toEqual(["pending", "processing", "completed"]);
    expect(server.requests).toHaveLength(5);
  });

  test("survives reads that fail temporarily", async () => {
    await using server = await scriptedServer(
      { status: 503 },
      reset,
      { status: 429 },
      { body: "<html>Gateway</html>" },
      state("expired"),
    );
    const seen: string[] = [];
    for await (const { status } of watched(server).watch()) seen.push(status);
    expect(seen).toEqual(["expired"]);
  });

  test("throws a permanent error", async () => {
    using server = scriptedService({ status: 401 });
    await expect(watched(server).watch().next()).rejects.toMatchObject({
      name: "AuthenticationError",
    });
  });

  test("waits a little longer each time, with jitter, up to ten seconds", async () => {
    using server = scriptedService(...Array(6).fill(state("pending")), state("failed"));
    const time = new FakeTime();
    for await (const _ of watched(server, time).watch({ intervalMs: 3000 }));
    expect(time.waits).toEqual([3000, 4500, 6750, 10_000, 10_000, 10_000]);
  });

  test("does not treat an unknown status as final", async () => {
    using server = scriptedService(state("on_hold"), state("confirmed"));
    const seen: string[] = [];
    for await (const { status } of watched(server).watch()) seen.push(status);
    expect(seen).toEqual(["on_hold", "confirmed"]);
  });

  test("ends at once when its signal aborts", async () => {
    using server = scriptedService(state("pending"));
    const controller = new AbortController();
    const time = new FakeTime();
    const statuses = watched(server, time).watch({ signal: controller.signal });
    await statuses.next();
    controller.abort();
    await expect(statuses.next()).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(1);
  });
});
