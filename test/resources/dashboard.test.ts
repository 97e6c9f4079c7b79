import { describe, expect, test } from "vitest";
import { realTime } from "../../src/http/time.ts";
import { ConfigurationError, MerchantClient } from "../../src/index.ts";
import { bearerToken } from "../../src/resources/arguments.ts";
import { Dashboard } from "../../src/resources/dashboard.ts";
import { httpTo } from "../http/http-to.ts";
import { scriptedService } from "../scripted-service.ts";
import { withdrawal, withdrawalConfig } from "../wire/examples.ts";

const page = {
  data: [withdrawal],
  pagination: { total: 1, limit: 100, offset: 0, hasMore: false, totalPages: 1, currentPage: 1 },
};
const unauthorized = { status: 401, body: { error: { type: "authentication_error" } } };

function dashboardOf(
  server: { url: string },
  accessToken: string | (() => string | Promise<string>),
) {
  const options = { secretKey: "sk_test_1", environment: "sandbox", baseUrl: server.url } as const;
  return new MerchantClient(options).dashboard({ merchantId: "m/1", accessToken });
}

describe("a dashboard", () => {
  test.each(["", undefined, 7])("is refused with %j as its merchant", (merchantId) => {
    const client = new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox" });
    const options = { merchantId: merchantId as string, accessToken: "token-1" };
    expect(() => client.dashboard(options)).toThrow(
      /^merchantId must be the merchantId of the merchant's payments, a non-empty string\.$/,
    );
  });

  test("is refused with a token that includes its scheme", async () => {
    const nowhere = { url: "http://127.0.0.1:2" };
    const rule =
      'accessToken begins with "Bearer", which settlekit adds itself. Pass only the token.';
    expect(() => dashboardOf(nowhere, "Bearer abc")).toThrow(rule);
    const dashboard = dashboardOf(nowhere, () => "bearer abc");
    await expect(dashboard.withdrawalConfig()).rejects.toThrow(rule);
  });

  test("reads its merchant's configuration and withdrawals with the bearer token", async () => {
    using server = scriptedService(
      { body: withdrawalConfig },
      { body: page },
      { body: withdrawal },
    );
    const dashboard = dashboardOf(server, "token-1");
    expect(await dashboard.withdrawalConfig()).toEqual(withdrawalConfig);
    expect((await dashboard.withdrawals.list({ status: "failed" })).data).toEqual([withdrawal]);
    expect(await dashboard.withdrawals.get(withdrawal.id)).toEqual(withdrawal);
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/v1/merchants/m%2F1/withdrawals/config",
      "/v1/merchants/m%2F1/withdrawals?status=failed",
      `/v1/merchants/m%2F1/withdrawals/${withdrawal.id}`,
    ]);
    for (const { headers } of server.requests) {
      expect(headers.authorization).toBe("Bearer token-1");
      expect(headers).not.toHaveProperty("x-service-secret-key");
    }
  });

  test("calls the token function once more after a 401", async () => {
    using server = scriptedService(unauthorized, { body: withdrawalConfig });
    let asked = 0;
    const dashboard = dashboardOf(server, async () => `token-${++asked}`);
    expect((await dashboard.withdrawalConfig().withResponse()).attempts).toBe(2);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  test("gives up when the new token is refused too", async () => {
    using server = scriptedService(unauthorized);
    const dashboard = dashboardOf(server, () => "token");
    await expect(dashboard.withdrawalConfig()).rejects.toMatchObject({
      name: "AuthenticationError",
      attempts: 2,
    });
  });

  test("sends exactly one request with maxRetries 0", async () => {
    using server = scriptedService(unauthorized);
    const dashboard = dashboardOf(server, () => "token");
    const call = dashboard.withdrawalConfig({ maxRetries: 0 });
    await expect(call).rejects.toMatchObject({ name: "AuthenticationError", attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test("does not claim that nothing was sent when the token cannot be renewed", async () => {
    using server = scriptedService(unauthorized);
    let asked = 0;
    const dashboard = dashboardOf(server, () => {
      asked += 1;
      return asked === 1 ? "token" : Promise.reject(new Error("vault is sealed"));
    });
    await expect(dashboard.withdrawalConfig()).rejects.toMatchObject({
      code: "credential_unavailable",
      outcome: "rejected",
      attempts: 1,
    });
  });

  test.each([
    ["fails", () => Promise.reject(new Error("vault is sealed")), "credential_unavailable"],
    ["returns no token", async () => "", "missing_credential"],
  ])(
    "keeps the outcome of a creation unknown when the token function then %s",
    async (_, renew, code) => {
      using server = scriptedService({ status: 503 }, unauthorized);
      let asked = 0;
      const accessToken = () => (++asked === 1 ? Promise.resolve("token") : renew());
      const wire = { withdrawalIdempotency: "honoured" } as const;
      // Retries without a delay.
      const time = { ...realTime, random: () => 0 };
      const dashboard = new Dashboard(
        httpTo(server, { wire }, time).withCredential(bearerToken(accessToken)),
        "m/1",
      );
      const { amountInCents, chainId, recipientAddress } = withdrawal;
      const input = { amountInCents, chainId, recipientAddress };
      await expect(dashboard.withdrawals.create(input)).rejects.toMatchObject({
        name: "OutcomeUnknownError",
        attempts: 2,
        idempotencyKey: expect.any(String),
        cause: { code },
      });
    },
  );

  test("does not retry with a token that is a string", async () => {
    using server = scriptedService(unauthorized);
    await expect(dashboardOf(server, "token").withdrawalConfig()).rejects.toMatchObject({
      attempts: 1,
    });
  });

  test.each(["", "two words", "line\nbreak"])("refuses the token %j", (token) => {
    expect(() => dashboardOf({ url: "http://127.0.0.1:2" }, token)).toThrow(ConfigurationError);
  });
});
