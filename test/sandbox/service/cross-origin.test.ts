import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { ask } from "../customer.ts";
import { create, paymentsPath, send, withdrawalsPath } from "../merchant.ts";

const corsHeaders = (response: Response) =>
  [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a page on another origin", () => {
  it("can read the answers of the customer's routes, errors included", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    const wrong = { ...created, secret: "wrong" };
    sandbox.faults.next("GET /payments", { status: 503, when: "before" });
    const answers = [
      await ask(sandbox, created, "/status"),
      await ask(sandbox, created, "/status"),
      await ask(sandbox, created, "/quotes", { body: {} }),
      await ask(sandbox, wrong, ""),
      await ask(sandbox, created, "/nowhere"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([503, 200, 201, 401, 404]);
    for (const { headers } of answers) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe(
        "Date,Retry-After,X-Request-Id,X-Sandbox-Evidence",
      );
    }
  });

  it("can read Retry-After", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    sandbox.faults.rateLimit({ requestsPerSecond: 0, retryAfterSeconds: 7 });
    const { headers } = await ask(sandbox, created, "/status");
    expect(headers.get("retry-after")).toBe("7");
    expect(headers.get("access-control-expose-headers")?.split(",")).toContain("Retry-After");
  });

  it("meets faults and the rate limit on public routes, too", async () => {
    const sandbox = createSandbox();
    const headers = { Origin: "https://shop.example", "Sec-Fetch-Site": "cross-site" };
    const ask = () => sandbox.fetch("http://sandbox.test/v1/external/chains", { headers });
    sandbox.faults.next("GET /chains", { status: 503, when: "before" });
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 200]);
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    expect((await ask()).status).toBe(429);
  });

  it("may send the payment secret and JSON, according to the preflight", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const preflight = await ask(sandbox, { paymentId, secret: "" }, "/quotes", {
      method: "OPTIONS",
      headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,POST");
    expect(preflight.headers.get("access-control-allow-headers")).toBe(
      "X-Service-Payment-Secret,Content-Type",
    );
  });

  it("gets the answer to a preflight over HTTP as well", async () => {
    await using server = await createSandbox().listen({ port: 0 });
    const headers = { Origin: "https://shop.example", "Access-Control-Request-Method": "GET" };
    const url = `${server.url}/v1/external/payment-secret-auth/payments/1/status`;
    const { status } = await fetch(url, { method: "OPTIONS", headers });
    expect(status).toBe(204);
  });

  it("cannot read the routes of the merchant's server and dashboard", async () => {
    const sandbox = createSandbox();
    const dashboard = `/v1/merchants/${sandbox.merchantId}/withdrawals`;
    for (const path of [paymentsPath, withdrawalsPath, dashboard]) {
      for (const method of ["GET", "OPTIONS"]) {
        const response = await send(sandbox, path, { method });
        expect(corsHeaders(response)).toEqual([]);
        expect(response.ok).toBe(method === "GET" && path !== dashboard);
      }
    }
  });
});
