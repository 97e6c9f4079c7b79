import { describe, expect, test } from "vitest";
import { Checkout } from "../../src/checkout/checkout.ts";
import type { FetchInit } from "../../src/http/settings.ts";
import { realTime, within } from "../../src/http/time.ts";
import { MerchantClient } from "../../src/index.ts";
import { bearerToken, paymentSecret } from "../../src/resources/arguments.ts";
import { Dashboard } from "../../src/resources/dashboard.ts";
import { Payments } from "../../src/resources/payments.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo, secretKey } from "./http-to.ts";

describe("a client and its checkouts and dashboards", () => {
  test("wait out the 429s of their own credential, but of no other", async () => {
    using server = scriptedService({ status: 429, headers: { "retry-after": "60" } });
    // A pause longer than the deadline ends a call at once, with an error that says so.
    const options = { secretKey, environment: "sandbox", baseUrl: server.url } as const;
    const client = new MerchantClient({ ...options, deadlineMs: 30_000 });
    const checkout = client.checkout({ paymentId: payment.id, secret: "ps_1" });
    const dashboard = client.dashboard({ merchantId: payment.merchantId, accessToken: "at_1" });
    await expect(client.payments.get(payment.id)).rejects.toMatchObject({ status: 429 });

    const auth = { paymentSecret: "ps_1" };
    const others = [
      checkout.status(),
      checkout.quotes.list(),
      dashboard.withdrawalConfig(),
      dashboard.withdrawals.list(),
      client.request({ method: "GET", path: "/v1/new", auth }),
      client.checkout({ paymentId: payment.id, secret: "ps_2" }).payment(),
    ];
    await expect(client.withdrawals.list()).rejects.toMatchObject({ outcome: "not_sent" });
    await Promise.allSettled(others);
    const credentials = new Set(
      server.requests.map(
        ({ headers }) => headers["x-service-payment-secret"] ?? headers.authorization,
      ),
    );
    expect([...credentials].sort()).toEqual(["Bearer at_1", "ps_1", "ps_2", undefined]);
    expect(server.requests[0]?.headers).toHaveProperty("x-service-secret-key");
    expect(server.requests.filter(({ headers }) => "x-service-secret-key" in headers)).toHaveLength(
      1,
    );
  });

  test("wait out a dashboard's 429 even if its token changes with every call", async () => {
    using server = scriptedService({ status: 429, headers: { "retry-after": "60" } });
    const http = httpTo(server, { deadlineMs: 30_000 }, realTime);
    let tokens = 0;
    const dashboard = () =>
      new Dashboard(http.withCredential(bearerToken(() => `at_${++tokens}`)), payment.merchantId);
    await expect(dashboard().withdrawalConfig()).rejects.toMatchObject({ status: 429 });
    await expect(dashboard().withdrawals.list()).rejects.toMatchObject({ outcome: "not_sent" });
    expect(server.requests).toHaveLength(1);
  });

  test("wait for their own merchant only, if a function returns the keys of several", async () => {
    const keys = ["sk_test_a", "sk_test_b"];
    const fetch = async (_: string, { headers }: FetchInit) =>
      headers["x-service-secret-key"] === "sk_test_a"
        ? new Response("", { status: 429, headers: { "retry-after": "60" } })
        : Response.json(payment);
    const options = { fetch, deadlineMs: 30_000, secretKey: () => keys[0] ?? "" };
    const payments = new Payments(httpTo({ url: "https://api.example" }, options, realTime));
    await expect(payments.get(payment.id)).rejects.toMatchObject({ status: 429 });
    await expect(payments.get(payment.id)).rejects.toMatchObject({ outcome: "not_sent" });
    keys.shift();
    expect(await payments.get(payment.id)).toEqual(payment);
  });

  test("share one retry budget", async () => {
    const fetch = () => Promise.resolve(new Response("", { status: 503 }));
    const frozen = { ...new FakeTime(), sleep: async () => {} };
    const http = httpTo({ url: "https://api.example" }, { fetch, maxRetries: 100 }, frozen);
    const checkout = new Checkout(http.withCredential(paymentSecret("ps_1")), payment.id);
    const dashboard = new Dashboard(http.withCredential(bearerToken("at_1")), payment.merchantId);

    const all = new Payments(http).get(payment.id);
    await expect(all).rejects.toMatchObject({ name: "ServerError", attempts: 101 });
    for (const none of [checkout.status(), dashboard.withdrawalConfig()]) {
      await expect(none).rejects.toMatchObject({ name: "ServerError", attempts: 1 });
    }
  });
});

test("a tiny Retry-After does not cause a flood of requests", async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return new Response("", { status: 429, headers: { "retry-after": "0.001" } });
  };
  const time = new FakeTime();
  const http = httpTo({ url: "https://api.example" }, { fetch, deadlineMs: 4_000 }, time);
  const calls = Array.from({ length: 5 }, () => new Payments(http).get(payment.id));
  await Promise.allSettled(calls);
  expect(requests).toBeLessThan(40);
  expect(time.waits.every((ms) => ms >= 0)).toBe(true);
});

test("a timer never gets a negative delay", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  await realTime.sleep(-5);
  await within(new Promise(() => {}), -1, realTime, undefined);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});
