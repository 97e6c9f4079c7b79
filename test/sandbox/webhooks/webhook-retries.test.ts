import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import { create, newYear } from "../merchant.ts";
import { isSigned, type Received, receiver } from "./merchant-endpoint.ts";

describe("a refused webhook", () => {
  it("is retried after 30 seconds, 2, 8 and 32 minutes, signed anew each time", async () => {
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
    expect(happened[0]).toMatchObject({
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
    const ids = (name: string) => attempts.map(({ headers }) => headers[`x-service-${name}-id`]);
    expect(ids("delivery")).toEqual(created?.attempts.map(({ deliveryId }) => deliveryId));
    expect(new Set(ids("delivery")).size).toBe(5);
    expect(new Set(ids("event"))).toEqual(new Set([created?.eventId]));
    const seconds = attempts.map(({ headers }) => Number(headers["x-service-timestamp"]));
    expect(seconds.map((second) => second - (seconds[0] ?? 0))).toEqual([0, 30, 150, 630, 2550]);
  });

  it("can be replayed by the delivery id of any of its attempts", async () => {
    await using endpoint = await receiver((index) => (index < 2 ? 503 : 200));
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    await create(sandbox, { type: "deposit" });
    await sandbox.webhooks.idle();
    await sandbox.clock.advance("30s");
    const id = String(endpoint.received[1]?.headers["x-service-delivery-id"]);
    const again = await sandbox.webhooks.replay(id);
    const [original] = sandbox.webhooks.deliveries();
    expect(again).toMatchObject({ eventId: original?.eventId, status: "delivered" });
    expect([again.id, original?.id]).not.toContain(id);
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

  it("does not follow a redirect, which counts as a refusal", async () => {
    await using endpoint = await receiver(() => 307);
    const sandbox = createSandbox({ now: newYear, webhookUrl: endpoint.url });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(endpoint.received).toHaveLength(1);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [{ status: 307, error: null }] },
    ]);
  });

  it.each([200, 299])("is not one that is answered with %d", async (status) => {
    const sandbox = createSandbox({ deliver: () => new Response("", { status }) });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("records the error when nothing listens", async () => {
    const endpoint = await receiver();
    await endpoint[Symbol.asyncDispose]();
    const sandbox = createSandbox({ webhookUrl: endpoint.url });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { attempts: [{ status: null, error: expect.stringContaining("ECONNREFUSED") }] },
    ]);
  });

  it("records the request that was sent, the answer and its duration", async () => {
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

  it("times out after 30 seconds, even if it ignores the signal", async () => {
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
      { status: "pending", attempts: [{ status: null, error: "no response within 30 seconds" }] },
    ]);
  });
});

it.each([
  [undefined, "undefined"],
  ["ok", '"ok"'],
  [{ status: 200 }, "an object"],
])(
  "deliver must return a Response, and the attempt says so when it returns %s",
  async (given, shown) => {
    const sandbox = createSandbox({ deliver: () => given as Response });
    await create(sandbox);
    await sandbox.webhooks.idle();
    expect(sandbox.webhooks.deliveries()[0]?.attempts).toMatchObject([
      { status: null, error: `deliver must return a Response, but returned ${shown}` },
    ]);
  },
);

it("an answered webhook leaves no timer behind", async () => {
  vi.useFakeTimers({ now: newYear });
  const sandbox = createSandbox({ now: newYear, deliver: () => new Response() });
  await create(sandbox);
  await sandbox.webhooks.idle();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
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
  it("discards deliveries and retries, and ignores an answer that arrives afterwards", async () => {
    const answers: ((response: Response) => void)[] = [];
    const deliver = () => new Promise<Response>((resolve) => answers.push(resolve));
    const sandbox: Sandbox = createSandbox({ seed: "reset", now: newYear, deliver });
    await create(sandbox);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    sandbox.reset();
    expect(sandbox.webhooks.deliveries()).toEqual([]);

    // With a seed, the new delivery has the id of the one that is still in flight.
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
