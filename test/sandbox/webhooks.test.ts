import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createSandbox, type Deliver, type Sandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { create, list, newYear } from "./merchant.ts";

function breakingOff(text: string): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new Error("gone")),
  });
}

interface Received {
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A merchant's endpoint on a real socket. `answer` gives the status of each request in turn. */
async function receiver(answer: (index: number) => number = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ url: request.url, headers: request.headers, body });
    const status = answer(received.length - 1);
    response.writeHead(status, status === 307 ? { Location: "/elsewhere" } : {}).end("seen");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return {
    url,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Interface section 6, rule 1, from scratch. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const signedText = `${headers["x-service-timestamp"]}.${body}`;
  const expected = createHmac("sha256", secret).update(signedText).digest("hex");
  return headers["x-service-signature"] === expected;
}

const statusesSeen = (received: readonly Received[]) =>
  received.map(({ body }) => {
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, string> };
    return [event, data.orderId, data.status];
  });

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

  it("tells of every change of status", async () => {
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

  it("is not sent for a creation that is repeated under its key", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox, {}, { "Idempotency-Key": "key-1" });
    await create(sandbox, {}, { "Idempotency-Key": "key-1" });
    await sandbox.webhooks.idle();
    expect(endpoint.received).toHaveLength(1);
  });

  it("does not hold up the answer that it tells of", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const sandbox = createSandbox({ deliver: () => promise });
    await create(sandbox);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "pending", attempts: [] }]);
    resolve(new Response());
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("does not overtake another of its payment, however slow the endpoint is", async () => {
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

  it("is delivered by the status alone: an answer without end is not read", async () => {
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

  it("goes to deliver as a request, signed, under the webhookUrl", async () => {
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

  it("goes to exactly the given URL, with what is kept of it and nothing else", async () => {
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
    ["one that breaks off", () => new Response(breakingOff("begun")), "begun"],
    ["one with a secret", () => new Response(`no ${"whsec_0123456789"}`), "no [redacted]"],
  ] as const)("keeps the beginning of the answer's body: %s", async (_title, deliver, body) => {
    const sandbox = createSandbox({ deliver });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ answer: { body } }] },
    ]);
  });

  it("is only recorded where there is no endpoint", async () => {
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

describe("a refused webhook", () => {
  it("is sent again after 30 seconds, 2, 8 and 32 minutes, signed anew each time", async () => {
    await using endpoint = await receiver(() => 500);
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    const { paymentId } = await create(sandbox);
    await sandbox.payments.simulate(paymentId, "timeout");
    await sandbox.webhooks.idle();
    const happened = await sandbox.clock.advance("1d");

    const [created] = sandbox.webhooks.deliveries();
    const times = ["00:00:00", "00:00:30", "00:02:30", "00:10:30", "00:42:30"];
    expect(created?.attempts.map(({ at }) => at.slice(11, 19))).toEqual(times);
    expect(created).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(happened).toHaveLength(8);
    expect(happened[0]).toEqual({
      at: "2026-01-01T00:00:30.000Z",
      type: "webhook.attempted",
      deliveryId: created?.id,
      event: "payment.created",
      attempt: 2,
      status: 500,
      error: null,
      disorder: null,
    });

    const attempts = endpoint.received.filter(({ body }) => body.includes("payment.created"));
    expect(attempts).toHaveLength(5);
    expect(attempts.every((attempt) => isSigned(attempt, sandbox.webhookSecret))).toBe(true);
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
    expect(new Set(attempts.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(1);
    const seconds = attempts.map(({ headers }) => Number(headers["x-service-timestamp"]));
    expect(seconds.map((second) => second - (seconds[0] ?? 0))).toEqual([0, 30, 150, 630, 2550]);
  });

  it("is delivered once the endpoint has recovered", async () => {
    await using endpoint = await receiver((index) => (index < 2 ? 503 : 200));
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    await create(sandbox, { type: "deposit" });
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", nextAttemptAt: "2026-01-01T00:00:30.000Z" },
    ]);
    await sandbox.clock.advance("3m");
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      {
        status: "delivered",
        nextAttemptAt: null,
        attempts: [{ status: 503 }, { status: 503 }, { status: 200 }],
      },
    ]);
    await sandbox.clock.advance("10m");
    expect(endpoint.received).toHaveLength(3);
  });

  it("follows no redirect: it counts as refused", async () => {
    await using endpoint = await receiver(() => 307);
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(endpoint.received).toHaveLength(1);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [{ status: 307, error: null }] },
    ]);
  });

  it.each([199 + 1, 299])("is one whose status is not 2xx: %d is accepted", async (status) => {
    const sandbox = createSandbox({ deliver: () => new Response("", { status }) });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("says why when nobody listens", async () => {
    const endpoint = await receiver();
    await endpoint[Symbol.asyncDispose]();
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { attempts: [{ status: null, error: expect.stringContaining("ECONNREFUSED") }] },
    ]);
  });

  it("says why when deliver throws, and leaves the API alone", async () => {
    const sandbox = createSandbox({
      deliver: () => {
        throw new Error("the shop is closed");
      },
    });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [{ status: null, error: "the shop is closed" }] },
    ]);
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it("keeps the request that was sent and how long the answer took", async () => {
    await using endpoint = await receiver(() => 400);
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox);
    await sandbox.webhooks.idle();
    const [attempt] = sandbox.webhooks.deliveries()[0]?.attempts ?? [];
    expect(attempt?.request.url).toBe(endpoint.url);
    expect(attempt?.request.body).toBe(endpoint.received[0]?.body);
    for (const [name, value] of Object.entries(attempt?.request.headers ?? {})) {
      expect(endpoint.received[0]?.headers[name.toLowerCase()]).toBe(value);
    }
    expect(attempt?.durationMs).toBeGreaterThan(0);
    expect(attempt?.answer).toEqual({
      headers: expect.objectContaining({ connection: "close" }),
      body: "seen",
    });
  });
});

describe("an endpoint that does not answer", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is given up after 30 seconds, even if it ignores the signal", async () => {
    vi.useFakeTimers({ now: newYear, toFake: ["setTimeout", "clearTimeout"] });
    const signals: AbortSignal[] = [];
    const sandbox = createSandbox({
      now: newYear,
      deliver: (request) => {
        signals.push(request.signal);
        return new Promise<never>(() => {});
      },
    });
    await create(sandbox);
    await new Promise(setImmediate);
    expect(signals).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(sandbox.webhooks.deliveries()[0]?.attempts).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await sandbox.webhooks.idle();
    expect(signals[0]?.aborted).toBe(true);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [{ status: null, error: "no answer within 30 seconds" }] },
    ]);
  });
});

it("an answered webhook leaves no timer behind", async () => {
  vi.useFakeTimers({ now: newYear });
  const sandbox = createSandbox({ now: newYear, deliver: () => new Response() });
  await create(sandbox);
  await sandbox.webhooks.idle();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("the stamp of a webhook", () => {
  /** A sandbox and a verifier of another process: it knows the secret, and no clock but its own. */
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

  it("is the sandbox's time where that is frozen", async () => {
    expect((await delivering({ now: newYear })).verdicts).toEqual([
      "timestamp_too_old",
      "timestamp_too_old",
    ]);
  });
});

describe("replaying a webhook", () => {
  it("delivers the same event under a new delivery, signed at the new time", async () => {
    await using endpoint = await receiver();
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    await create(sandbox, { type: "deposit" });
    await sandbox.webhooks.idle();
    const [original] = sandbox.webhooks.deliveries();
    await sandbox.clock.advance("5m");
    const again = await sandbox.webhooks.replay(original?.id ?? "");

    expect(again).toMatchObject({ status: "delivered", eventId: original?.eventId });
    expect(again.id).not.toBe(original?.id);
    expect(sandbox.webhooks.deliveries()).toEqual([original, again]);
    const [first, second] = endpoint.received as [Received, Received];
    expect(second.body).toBe(first.body);
    expect(second.headers["x-service-timestamp"]).not.toBe(first.headers["x-service-timestamp"]);
    expect(isSigned(second, sandbox.webhookSecret)).toBe(true);
  });

  it("is refused for an unknown delivery and without an endpoint", async () => {
    const sandbox = createSandbox();
    await expect(sandbox.webhooks.replay("unknown")).rejects.toMatchObject({
      name: "NotFoundError",
      param: "deliveryId",
    });
    await create(sandbox);
    const [delivery] = sandbox.webhooks.deliveries();
    await expect(sandbox.webhooks.replay(delivery?.id ?? "")).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("webhookUrl or deliver"),
    });
    expect(sandbox.webhooks.deliveries()).toHaveLength(1);
  });
});

describe("a reset", () => {
  it("forgets deliveries and retries, and an answer that comes afterwards changes nothing", async () => {
    const answers: ((response: Response) => void)[] = [];
    const deliver = () => new Promise<Response>((resolve) => answers.push(resolve));
    const sandbox: Sandbox = createSandbox({ seed: "reset", now: newYear, deliver });
    await create(sandbox);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    sandbox.reset();
    expect(sandbox.webhooks.deliveries()).toEqual([]);

    // With a seed, the new delivery has the id of the one that is still on its way.
    await create(sandbox);
    answers[0]?.(new Response(null, { status: 500 }));
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "pending", attempts: [] }]);
    answers[1]?.(new Response());
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "delivered", attempts: [{ status: 200 }] },
    ]);
  });
});
