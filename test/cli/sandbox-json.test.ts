import { describe, expect, test } from "vitest";
import { Webhooks } from "../../src/webhooks/index.ts";
import { scriptedServer } from "../scripted-server.ts";
import { type Keys, order, paymentsPath, sandbox } from "./running-sandbox.ts";

describe("settlekit sandbox --json", () => {
  test("prints the URL and the keys first, and nothing but JSON on stdout", async () => {
    await using running = await sandbox();
    const { keys, client } = running;
    expect(Object.keys(keys)).toEqual([
      "url",
      "secretKey",
      "webhookSecret",
      "merchantId",
      "accessToken",
    ]);
    await client.payments.create(order);
    const { merchantId, accessToken } = keys;
    const config = await client.dashboard({ merchantId, accessToken }).withdrawalConfig();
    expect(config.supported.length).toBeGreaterThan(0);

    const { stdout, stderr } = await running.stop();
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    const events = lines.slice(1).map((line) => JSON.parse(line));
    expect(events.map(({ type, event, path }) => [type, event ?? path])).toEqual([
      ["payment.created", "payment.created"],
      ["webhook.created", "payment.created"],
      ["request", paymentsPath],
      ["request", `/v1/merchants/${merchantId}/withdrawals/config`],
    ]);
  });

  test("has fresh ids but the same secrets at every start, unless a seed is given", async () => {
    await using first = await sandbox();
    await using second = await sandbox();
    await using seeded = await sandbox("--seed", "mine");
    const { url: _first, ...secrets } = first.keys;
    const { url: _second, ...secretsAgain } = second.keys;
    expect(secretsAgain).toEqual(secrets);
    const { paymentId } = await first.client.payments.create(order);
    expect((await second.client.payments.create(order)).paymentId).not.toBe(paymentId);
    for (const [name, value] of Object.entries(secrets)) {
      expect(seeded.keys[name as keyof Keys]).not.toBe(value);
    }
  });

  test("prints every request once, when it is answered, and what it changed", async () => {
    await using running = await sandbox("--now", "2026-01-01T00:00:00Z");
    const { requestId, data } = await running.client.payments.create(order).withResponse();
    const at = "2026-01-01T00:00:00.000Z";
    expect(await running.json("request")).toEqual({
      type: "request",
      sequence: expect.any(Number),
      at,
      method: "POST",
      path: paymentsPath,
      outcome: "answered",
      status: 201,
      requestId,
    });
    expect(await running.json("payment.created")).toEqual({
      type: "payment.created",
      sequence: expect.any(Number),
      at,
      event: "payment.created",
      eventId: expect.any(String),
      paymentId: data.paymentId,
      orderId: "order_1",
      status: "pending",
      clockSequence: null,
      requestId,
    });
    await running.client.payments.list();
    await running.stdout.next((line) => JSON.parse(line).method === "GET");
    const requests = running.stdout.all.filter((line) => line.includes('"type":"request"'));
    expect(requests).toHaveLength(2);
  });

  test("prints every change that the clock causes, and every reset", async () => {
    await using running = await sandbox("--now", "2026-01-01T00:00:00Z");
    await running.client.payments.create(order);
    const control = (path: string, body: object) =>
      fetch(`${running.keys.url}/_sandbox/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Sandbox-Control": "1" },
        body: JSON.stringify(body),
      });
    expect((await control("clock/advance", { duration: "15m" })).status).toBe(200);
    const line = await running.stdout.next((text) => text.includes('"payment.updated"'));
    expect(JSON.parse(line)).toMatchObject({
      type: "payment.expired",
      at: "2026-01-01T00:15:00.000Z",
      status: "expired",
      requestId: null,
    });
    await control("reset", {});
    expect(await running.json("reset")).toEqual({ type: "reset" });
  });

  test("sends signed webhooks, and prints every attempt", async () => {
    await using shop = await scriptedServer({});
    await using running = await sandbox("--webhook-url", `${shop.url}/webhooks?a=1`);
    await running.client.payments.create(order);
    expect(await running.json("webhook.attempted")).toMatchObject({
      event: "payment.created",
      attempt: 1,
      status: 200,
      error: null,
    });
    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    expect(received.url).toBe("/webhooks?a=1");
    const webhooks = new Webhooks({ secret: running.keys.webhookSecret });
    expect(webhooks.verifySync(received)).toMatchObject({ data: { orderId: "order_1" } });
  });

  test("applies faults, and prints broken connections", async () => {
    await using running = await sandbox(
      ...["--fault", "POST /payments reset after"],
      ...["--fault", "GET /payments truncated"],
      ...["--fault", "GET /payments 503"],
    );
    const { client } = running;
    await expect(client.payments.create(order)).rejects.toThrow(/Outcome unknown/);
    await expect(client.payments.list()).rejects.toThrow(/broke/);
    await expect(client.payments.list()).rejects.toThrow(/503/);
    expect((await client.payments.list()).data).toHaveLength(1);
    // Either side may notice first that a connection ended.
    const isPrinted = (method: string, outcome: string, status: number | null) =>
      running.stdout.next((line) => {
        const event = JSON.parse(line);
        return event.method === method && event.outcome === outcome && event.status === status;
      });
    await isPrinted("POST", "unanswered", null);
    await isPrinted("GET", "cut off", 200);
    await isPrinted("GET", "answered", 503);
    await isPrinted("GET", "answered", 200);
  });

  test("limits the rate when a fault asks for it", async () => {
    await using running = await sandbox("--fault", "0/s retry-after=7");
    await expect(running.client.payments.list()).rejects.toMatchObject({
      status: 429,
      retryAfterMs: 7000,
    });
  });
});
