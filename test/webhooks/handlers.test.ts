import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type SafeVerifyResult,
  signWebhook,
  type Webhook,
  type Webhooks,
  type WebhooksOptions,
  WebhookVerificationError,
} from "../../src/webhooks/index.ts";
import { delivery, paymentUpdated, receiver, secret, timestamp } from "./deliveries.ts";

const url = "https://shop.example/webhooks";
const signed = (event: string, data: object = {}) =>
  signWebhook({ event: { event, data }, secret, timestamp }).request(url);

const silent = { warn: () => undefined, error: () => undefined };

async function answer(webhooks: Webhooks, request: Request): Promise<number> {
  const response = await webhooks.fetchHandler()(request);
  expect(await response.text(), "the response is bare").toBe("");
  return response.status;
}

afterEach(() => vi.restoreAllMocks());

describe("an event", () => {
  it("reaches its handler as a verified webhook, typed by the event's name", async () => {
    const seen: [status: string, orderId: string | null][] = [];
    const webhooks = receiver().on("payment.updated", ({ data }) => {
      seen.push([data.status, data.orderId]);
    });
    expect(
      await answer(
        webhooks,
        signWebhook({ event: paymentUpdated, secret, timestamp }).request(url),
      ),
    ).toBe(200);
    expect(seen).toEqual([["completed", "order_1"]]);
  });

  it("reaches the fallback only if it has no handler of its own", async () => {
    const log: string[] = [];
    const webhooks = receiver()
      .on("*", ({ event }) => log.push(`fallback ${event}`))
      .on("payment.created", ({ event }) => log.push(`own ${event}`))
      .on("invoice.paid", ({ event, data }) => log.push(`own ${event} ${data.number}`));
    await answer(webhooks, signed("payment.created"));
    await answer(webhooks, signed("withdrawal.updated"));
    await answer(webhooks, signed("invoice.paid", { number: 7 }));
    await answer(webhooks, signed("*"));
    expect(log).toEqual([
      "own payment.created",
      "fallback withdrawal.updated",
      "own invoice.paid 7",
      "fallback *",
    ]);
  });

  it("runs its handlers one after another, in the order of registration", async () => {
    const log: string[] = [];
    const webhooks = receiver()
      .on("payment.created", async () => {
        log.push("first begins");
        await new Promise(setImmediate);
        log.push("first ends");
      })
      .on("payment.created", () => log.push("second"));
    await answer(webhooks, signed("payment.created"));
    expect(log).toEqual(["first begins", "first ends", "second"]);
  });

  it("without data reaches only the fallback, because other handlers rely on the data", async () => {
    const log: string[] = [];
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger }).on("payment.updated", ({ data }) =>
      log.push(data.status),
    );
    const { body, headers } = delivery({ body: '{"event":"payment.updated"}' });
    const empty = () => new Request(url, { method: "POST", body, headers });
    expect(await answer(webhooks, empty())).toBe(200);
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      'There is no handler for the event "payment.updated" without data. The response was 200.',
      { event: "payment.updated", hints: {} },
    );
    webhooks.on("*", ({ event, data }) => log.push(`${event} ${JSON.stringify(data)}`));
    expect(await answer(webhooks, empty())).toBe(200);
    expect(log).toEqual(["payment.updated {}"]);
  });

  it("reaches a handler that was registered after fetchHandler() was called", async () => {
    const webhooks = receiver();
    const handle = webhooks.fetchHandler();
    const handler = vi.fn();
    webhooks.on("payment.created", handler);
    await handle(signed("payment.created"));
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe("the response", () => {
  const { body, headers } = delivery();
  const post = (init: RequestInit) => new Request(url, { method: "POST", body, ...init });

  it.each<[number, string, () => Request, WebhooksOptions?]>([
    [200, "a verified event", () => post({ headers }), { logger: silent }],
    [401, "no signature", () => post({})],
    [
      401,
      "a malformed signature",
      () => post({ headers: { ...headers, "x-service-signature": "zz" } }),
    ],
    [401, "a forged signature", () => post(delivery({ key: "forged" }))],
    [401, "an old timestamp", () => post(delivery({ timestampText: "1" }))],
    [401, "a future timestamp", () => post(delivery({ timestampText: "1800000000" }))],
    [400, "a signed body that is not JSON", () => post(delivery({ body: "{" }))],
    [400, "a signed body that is not an event", () => post(delivery({ body: "[]" }))],
    [413, "a body that is too large", () => post({ headers }), { maxBodyBytes: body.length - 1 }],
    [500, "a secret that cannot be loaded", () => post({ headers }), { secret: () => "" }],
  ])("is %i for %s", async (status, _, request, options) => {
    const onError = vi.fn();
    expect(await answer(receiver({ onError, ...options }), request())).toBe(status);
    expect(onError).toHaveBeenCalledTimes(status === 200 ? 0 : 1);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("is 405 for %s", async (method) => {
    const response = await receiver().fetchHandler()(new Request(url, { method, headers }));
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe("POST");
  });

  it("to a sender that disconnects halfway is not reported to onError", async () => {
    const leaving = new ReadableStream({
      pull: (controller) => controller.error(new Error("the client is gone")),
    });
    const onError = vi.fn();
    const request = post({ headers, body: leaving, duplex: "half" } as RequestInit);
    expect(await answer(receiver({ onError }), request)).toBe(400);
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a handler that throws", () => {
  const failure = new Error("the database is down");

  it.each([
    ["an error", () => Promise.reject(failure), failure],
    [
      "an error synchronously",
      () => {
        throw failure;
      },
      failure,
    ],
    ["a value that is not an error", () => Promise.reject("text"), "text"],
    ["nothing", () => Promise.reject(undefined), undefined],
  ])(
    "%s causes a 500, and onError gets what was thrown and the webhook",
    async (_, handler, error) => {
      const calls: [unknown, Webhook | undefined][] = [];
      const onError = (thrown: unknown, webhook?: Webhook) => calls.push([thrown, webhook]);
      const webhooks = receiver({ onError }).on("payment.created", handler);
      expect(await answer(webhooks, signed("payment.created"))).toBe(500);
      expect(calls).toEqual([[error, expect.objectContaining({ event: "payment.created" })]]);
    },
  );

  it.each([
    ["an object without a prototype", Object.create(null), "an object"],
    ["a symbol", Symbol("odd"), "Symbol(odd)"],
    ["an error that has no text", Object.assign(new Error(), { name: Symbol("odd") }), "an Error"],
  ])("%s causes a 500 and is logged", async (_, thrown, text) => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger }).on("a", () => {
      throw thrown;
    });
    expect(await answer(webhooks, signed("a"))).toBe(500);
    const message = `A webhook delivery of "a" failed. ${text}`;
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(message, expect.anything());
  });

  it("stops the handlers after it, but no other delivery", async () => {
    const second = vi.fn();
    const first = vi.fn().mockRejectedValueOnce(failure);
    const webhooks = receiver({ onError: () => undefined })
      .on("a", first)
      .on("a", second);
    expect(await answer(webhooks, signed("a"))).toBe(500);
    expect(second).not.toHaveBeenCalled();
    expect(await answer(webhooks, signed("a"))).toBe(200);
    expect(second).toHaveBeenCalledOnce();
  });

  it("a WebhookVerificationError of its own causes a 500, too", async () => {
    const webhooks = receiver({ onError: () => undefined }).on("a", () => {
      throw new WebhookVerificationError("signature_mismatch", "of another webhook");
    });
    expect(await answer(webhooks, signed("a"))).toBe(500);
  });
});

describe("safeVerify", () => {
  it("returns the webhook, or a reason and a message", async () => {
    const results: SafeVerifyResult[] = [
      await receiver().safeVerify(delivery()),
      await receiver().safeVerify(delivery({ key: "forged" })),
    ];
    expect(results).toEqual([
      { ok: true, webhook: expect.objectContaining(paymentUpdated) },
      {
        ok: false,
        reason: "signature_mismatch",
        message:
          "No configured secret matches the signature. Check that the endpoint's webhook secret belongs to this environment, and that the body is unchanged.",
      },
    ]);
  });
});
