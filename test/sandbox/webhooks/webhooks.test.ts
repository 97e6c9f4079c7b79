import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createSandbox, type Deliver, type Sandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { describe, expect, it, vi } from "vitest";
import { create, newYear } from "../merchant.ts";
import { isSigned, type Received, receiver, statusesSeen } from "./merchant-endpoint.ts";

function breakingOff(text: string): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new Error("gone")),
  });
}

describe("a webhook", () => {
  it("reaches the endpoint, signed by the documented scheme", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    const { payment } = await create(sandbox);
    await sandbox.clock.advance("90s");
    await sandbox.payments.simulate(payment.id, "success");
    await sandbox.webhooks.idle();

    const [created, updated] = endpoint.received as [Received, Received];
    expect(endpoint.received).toHaveLength(2);
    for (const webhook of [created, updated]) {
      expect(isSigned(webhook, sandbox.webhookSecret)).toBe(true);
      expect(isSigned(webhook, "another secret")).toBe(false);
      expect(webhook.headers["content-type"]).toBe("application/json");
    }
    const snapshot = {
      id: payment.id,
      type: "payment",
      merchantId: sandbox.merchantId,
      amountInCents: 2500,
      currency: "USD",
      orderId: "order_1",
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    expect(JSON.parse(created.body)).toEqual({
      event: "payment.created",
      data: { ...snapshot, status: "pending" },
    });
    expect(JSON.parse(updated.body)).toEqual({
      event: "payment.updated",
      data: { ...snapshot, status: "completed" },
    });
    expect(created.headers["x-service-timestamp"]).toBe(String(newYear.getTime() / 1000));
    expect(updated.headers["x-service-timestamp"]).toBe(String(newYear.getTime() / 1000 + 90));
  });

  it("names its endpoint, event and delivery in headers", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox);
    await create(sandbox);
    await sandbox.webhooks.idle();

    const names = ["x-service-id", "x-service-event-id", "x-service-delivery-id"];
    const [first, second] = endpoint.received.map(({ headers }) =>
      names.map((name) => headers[name]),
    );
    const deliveries = sandbox.webhooks.deliveries();
    expect([first, second]).toEqual(
      deliveries.map(({ eventId, id }) => [expect.any(String), eventId, id]),
    );
    expect(first?.[0]).toBe(second?.[0]);
    expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(5);
  });

  it("is sent for every change of status", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    for (const scenario of ["success", "underpayment", "overpayment", "timeout"] as const) {
      const { paymentId } = await create(sandbox, { orderId: scenario });
      await sandbox.payments.simulate(paymentId, scenario);
      await sandbox.webhooks.idle();
    }
    await create(sandbox, { orderId: "forgotten" });
    await sandbox.clock.advance("15m");

    expect(statusesSeen(endpoint.received)).toEqual([
      ["payment.created", "success", "pending"],
      ["payment.updated", "success", "completed"],
      ["payment.created", "underpayment", "pending"],
      ["payment.updated", "underpayment", "failed"],
      ["payment.created", "overpayment", "pending"],
      ["payment.updated", "overpayment", "completed"],
      ["payment.created", "timeout", "pending"],
      ["payment.updated", "timeout", "expired"],
      ["payment.created", "forgotten", "pending"],
      ["payment.updated", "forgotten", "expired"],
    ]);
  });

  it("is not sent for a creation that is repeated with its key", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox, {}, { "Idempotency-Key": "key-1" });
    await create(sandbox, {}, { "Idempotency-Key": "key-1" });
    await sandbox.webhooks.idle();
    expect(endpoint.received).toHaveLength(1);
  });

  it("does not delay the answer to the request that caused it", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const sandbox = createSandbox({ deliver: () => promise });
    await create(sandbox);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "pending", attempts: [] }]);
    resolve(new Response());
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("does not overtake an earlier one of its payment, however slow the endpoint is", async () => {
    const seen: unknown[] = [];
    const answers: (() => void)[] = [];
    const sandbox = createSandbox({
      deliver: async (request) => {
        const { data } = (await request.json()) as { data: { orderId: string; status: string } };
        seen.push([data.orderId, data.status]);
        await new Promise<void>((resolve) => answers.push(resolve));
        return new Response();
      },
    });
    const slow = await create(sandbox, { orderId: "slow" });
    await sandbox.payments.simulate(slow.paymentId, "success");
    await create(sandbox, { orderId: "other" });
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(seen).toEqual([
      ["slow", "pending"],
      ["other", "pending"],
    ]);
    for (const answer of answers) answer();
    await vi.waitFor(() => expect(answers).toHaveLength(3));
    expect(seen.at(-1)).toEqual(["slow", "completed"]);
    answers.at(-1)?.();
    await sandbox.webhooks.idle();
  });

  it("is delivered by the status alone: an endless answer is not read", async () => {
    const hungUp = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      const endless = Readable.from(
        (function* () {
          for (;;) yield "more ".repeat(1_000);
        })(),
      );
      endless.pipe(response);
      response.on("close", () => {
        endless.destroy();
        hungUp.resolve();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const sandbox = createSandbox({ webhookUrl: `http://127.0.0.1:${port}/` });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
    await hungUp.promise;
    server.close();
  });

  it("is passed to deliver as a signed request to webhookUrl", async () => {
    const requests: Request[] = [];
    const deliver: Deliver = (request) => {
      requests.push(request);
      return new Response(null, { status: 204 });
    };
    const webhookUrl = "http://shop.example:3000/hooks?a=1";
    const sandbox = createSandbox({ deliver, webhookUrl });
    await create(sandbox);
    await sandbox.webhooks.idle();

    const [request] = requests as [Request];
    const headers = Object.fromEntries(request.headers);
    expect([request.method, request.url]).toEqual(["POST", webhookUrl]);
    expect(isSigned({ headers, body: await request.text() }, sandbox.webhookSecret)).toBe(true);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("is delivered even if deliver has read the response", async () => {
    const deliver = async () => {
      const response = new Response("done");
      await response.text();
      return response;
    };
    const sandbox = createSandbox({ deliver });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200, answer: { body: "" } }] },
    ]);
  });

  it("is sent to exactly the given URL, with exactly the recorded headers", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ webhookUrl: `${endpoint.url}/a%2Fb//?x=1&y=%20&x=2` });
    await create(sandbox);
    await sandbox.webhooks.idle();
    const [received] = endpoint.received as [Received];
    const request = sandbox.webhooks.deliveries()[0]?.attempts[0]?.request;
    expect(received.url).toBe("/webhooks/a%2Fb//?x=1&y=%20&x=2");
    const { host, "content-length": length, connection, ...headers } = received.headers;
    expect([host, length, connection]).toEqual([
      new URL(endpoint.url).host,
      String(request?.body.length),
      "close",
    ]);
    const kept = Object.entries(request?.headers ?? {});
    expect(headers).toEqual(
      Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value])),
    );
  });

  it.each([
    ["none", () => new Response(null, { status: 204 }), ""],
    ["a long one", () => new Response("x".repeat(5_000)), "x".repeat(2_000)],
    ["one that is cut off", () => new Response(breakingOff("begun")), "begun"],
    ["one with a secret", () => new Response(`no ${"whsec_0123456789"}`), "no [redacted]"],
  ] as const)("keeps the beginning of the answer's body: %s", async (_title, deliver, body) => {
    const sandbox = createSandbox({ deliver });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ answer: { body } }] },
    ]);
  });

  it("is only recorded when there is no endpoint", async () => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { event: "payment.created", status: "recorded", attempts: [], nextAttemptAt: null },
    ]);
    expect((await sandbox.clock.advance("1d")).map(({ type }) => type)).not.toContain(
      "webhook.attempted",
    );
  });
});

describe("the timestamp of a webhook", () => {
  /** A sandbox, and a verifier with the system clock, as in another process. */
  async function delivering(options: { now?: Date }) {
    const verdicts: string[] = [];
    const webhooks = new Webhooks({ secret: () => sandbox.webhookSecret });
    const sandbox: Sandbox = createSandbox({
      ...options,
      deliver: async (request) => {
        const result = await webhooks.safeVerify(request);
        verdicts.push(result.ok ? "accepted" : result.reason);
        return new Response();
      },
    });
    await create(sandbox);
    await sandbox.clock.advance("15m");
    await sandbox.webhooks.idle();
    return { sandbox, verdicts };
  }

  it("is real time while the clock runs, however far it was advanced", async () => {
    const { sandbox, verdicts } = await delivering({});
    expect(verdicts).toEqual(["accepted", "accepted"]);
    const [, expired] = sandbox.webhooks.deliveries();
    const passedMs =
      Date.parse(expired?.attempts[0]?.at ?? "") - Date.parse(expired?.data.createdAt ?? "");
    expect(passedMs).toBe(15 * 60_000);
  });

  it("is the sandbox's time while its clock is frozen", async () => {
    expect((await delivering({ now: newYear })).verdicts).toEqual([
      "timestamp_too_old",
      "timestamp_too_old",
    ]);
  });
});

it.each([
  [undefined, "deliver threw undefined"],
  [null, "deliver threw null"],
  ["no reason", 'deliver threw "no reason"'],
  [Object.create(null), "deliver threw an object"],
  [new Error("The shop is closed."), "The shop is closed."],
])("records and reports whatever deliver throws: %#", async (thrown, error) => {
  const deliver = () => {
    throw thrown;
  };
  const sandbox = createSandbox({ deliver });
  await create(sandbox);
  const [attempted] = await sandbox.clock.advance("30s");
  const [delivery] = sandbox.webhooks.deliveries();
  expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: null, error }, {}] });
  expect(attempted).toMatchObject({ type: "webhook.attempted", error });
});
