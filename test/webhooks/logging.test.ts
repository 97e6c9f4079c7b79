import { afterEach, describe, expect, it, vi } from "vitest";
import { signWebhook, type Webhooks, type WebhooksOptions } from "../../src/webhooks/index.ts";
import { receiver, secret, timestamp } from "./deliveries.ts";

const url = "https://shop.example/webhooks";
const signed = (event: string, data: object = {}) =>
  signWebhook({ event: { event, data }, secret, timestamp }).request(url);

async function answer(webhooks: Webhooks, request: Request): Promise<number> {
  return (await webhooks.fetchHandler()(request)).status;
}

afterEach(() => vi.restoreAllMocks());

describe("registering a handler", () => {
  const warnings = (...events: string[]) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    for (const event of events) receiver().on(event, () => undefined);
    return warn.mock.calls;
  };

  it.each([
    ["payment.update", "payment.updated"],
    ["payments.updated", "payment.updated"],
    ["payment_updated", "payment.updated"],
    ["Payment.Updated", "payment.updated"],
    ["payment.confirm", "payment.confirmed"],
    ["withdraw.updated", "withdrawal.updated"],
  ])("for %s asks whether %s was meant", (event, meant) => {
    expect(warnings(event)).toEqual([
      [`The event "${event}" is not known. Did you mean "${meant}"?`],
    ]);
  });

  it.each([
    ["payment.completed", "payment.updated"],
    ["payment.paid", "payment.updated"],
    ["payment.expired", "payment.updated"],
    ["payment.refunded", "payment.updated"],
    ["payment.*", "payment.updated"],
    ["withdrawal.completed", "withdrawal.updated"],
    ["withdrawal.failed", "withdrawal.updated"],
  ])(
    "for %s, which is not a documented event, suggests %s, which reports every status",
    (event, meant) => {
      expect(warnings(event)).toEqual([
        [`The event "${event}" is not known. Did you mean "${meant}"?`],
      ]);
    },
  );

  it("for a known name, any event or an unrelated name logs nothing", () => {
    expect(warnings("payment.updated", "payment.confirmed", "*")).toEqual([]);
    expect(
      warnings("payment.failed", "payout.completed", "payout.updated", "invoice.settled"),
    ).toEqual([]);
  });

  it("works even if the logger throws", async () => {
    const warn = vi.fn(() => {
      throw new Error("the log is full");
    });
    const handler = vi.fn();
    const webhooks = receiver({ logger: { warn, error: warn } }).on("payment.update", handler);
    expect(warn).toHaveBeenCalledOnce();
    expect(await answer(webhooks, signed("payment.update"))).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });
});

describe("an event without a handler", () => {
  it("is answered with 200, and logged once", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const webhooks = receiver().on("payment.updated", () => undefined);
    for (const event of ["withdrawal.created", "something.new", "withdrawal.created"]) {
      expect(await answer(webhooks, signed(event))).toBe(200);
    }
    expect(await answer(webhooks, signed("payment.updated"))).toBe(200);
    expect(warn.mock.calls).toEqual([
      ['There is no handler for the event "withdrawal.created". The response was 200.'],
      ['There is no handler for the event "something.new". The response was 200.'],
    ]);
  });

  it("is not logged if it is the creation of an object whose updates have a handler", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger }).on("withdrawal.updated", () => undefined);
    expect(await answer(webhooks, signed("withdrawal.created"))).toBe(200);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("is logged each time, with its order, if it is payment.confirmed and payment.updated has a handler", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger }).on("payment.updated", () => undefined);
    for (const orderId of ["order_1", "order_2"]) {
      const data = { status: "confirmed", id: `p_of_${orderId}`, orderId, amountInCents: 2500 };
      expect(await answer(webhooks, signed("payment.confirmed", data))).toBe(200);
    }
    const message =
      'There is no handler for the event "payment.confirmed". The response was 200. Handle it like payment.updated.';
    const ids = { event: "payment.confirmed", hints: {} };
    expect(logger.error.mock.calls).toEqual([
      [message, { ...ids, id: "p_of_order_1", orderId: "order_1" }],
      [message, { ...ids, id: "p_of_order_2", orderId: "order_2" }],
    ]);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("is logged once if it is payment.confirmed and payment.updated has no handler either", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger });
    for (let time = 0; time < 2; time++) await answer(webhooks, signed("payment.confirmed"));
    expect(logger.warn).toHaveBeenCalledOnce();
    expect(logger.error).not.toHaveBeenCalled();
  });

  it("without data is logged without advice for events with data, even if it is payment.confirmed", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger }).on("payment.updated", () => undefined);
    const event = { event: "payment.confirmed" } as never;
    const request = signWebhook({ event, secret, timestamp }).request(url);
    expect(await answer(webhooks, request)).toBe(200);
    expect(logger.warn.mock.lastCall?.[0]).toBe(
      'There is no handler for the event "payment.confirmed" without data. The response was 200.',
    );
    expect(logger.error).not.toHaveBeenCalled();
  });

  it("is logged in one short line, whatever its name is", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    await answer(receiver({ logger }), signed(`a\n${"b".repeat(100_000)}`));
    const [message] = logger.warn.mock.lastCall ?? [];
    expect(message).toMatch(
      /^There is no handler for the event "a\\nb+"\.\.\. \(100002 characters\)\. /,
    );
    expect(message.length).toBeLessThan(200);
  });
});

describe("the report of a failure", () => {
  const logger = () => ({ warn: vi.fn(), error: vi.fn() });
  const failing = (options: WebhooksOptions) =>
    receiver(options).on("a", () => Promise.reject(new Error("boom")));

  it("goes to the logger as a warning with its reason if a delivery was refused", async () => {
    const log = logger();
    await answer(receiver({ logger: log }), new Request(url, { method: "POST" }));
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^A webhook delivery was refused\. .*x-service-signature is missing/),
      { reason: "missing_signature" },
    );
    expect(log.error).not.toHaveBeenCalled();
  });

  it("goes to the logger as an error if a handler failed", async () => {
    const log = logger();
    await answer(failing({ logger: log }), signed("a"));
    expect(log.error).toHaveBeenCalledExactlyOnceWith(
      'A webhook delivery of "a" failed. Error: boom',
      { error: new Error("boom"), event: "a", hints: {} },
    );
    expect(log.warn).not.toHaveBeenCalled();
  });

  it("has the delivery's ids and no amounts if it was verified", async () => {
    const log = logger();
    const data = { status: "completed", id: "p_1", orderId: "order_1", amountInCents: 2500 };
    const request = signed("a", data);
    request.headers.set("x-service-delivery-id", "d_1");
    await answer(failing({ logger: log }), request);
    expect(log.error.mock.lastCall?.[1]).toEqual({
      error: new Error("boom"),
      event: "a",
      id: "p_1",
      orderId: "order_1",
      hints: { deliveryId: "d_1" },
    });
  });

  it("leaves out ids that are not text", async () => {
    const log = logger();
    await answer(failing({ logger: log }), signed("a", { id: { amount: 1 }, orderId: null }));
    expect(Object.keys(log.error.mock.lastCall?.[1])).toEqual(["error", "event", "hints"]);
  });

  it("goes to the console if there is neither logger nor onError, in one line for a refusal", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const unsigned = () => new Request(url, { method: "POST" });
    await answer(receiver({ onError: () => undefined }), unsigned());
    await answer(failing({ onError: () => undefined }), signed("a"));
    expect([...error.mock.calls, ...warn.mock.calls]).toEqual([]);
    await answer(receiver(), unsigned());
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^A webhook delivery was refused\. .*signature is missing.*$/)],
    ]);
    await answer(failing({}), signed("a"));
    expect(error).toHaveBeenCalledExactlyOnceWith('A webhook delivery of "a" failed. Error: boom', {
      error: new Error("boom"),
      event: "a",
      hints: {},
    });
  });

  it("goes to both logger and onError", async () => {
    const [log, onError] = [logger(), vi.fn()];
    await answer(failing({ logger: log, onError }), signed("a"));
    expect(log.error).toHaveBeenCalledOnce();
    expect(onError).toHaveBeenCalledOnce();
  });

  it("includes the event if a handler's event name resembles a known one", async () => {
    const log = logger();
    receiver({ logger: log }).on("payment.update", () => undefined);
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      'The event "payment.update" is not known. Did you mean "payment.updated"?',
      { event: "payment.update" },
    );
  });

  it("precedes the response: onError is awaited", async () => {
    const log: string[] = [];
    const onError = async () => {
      await new Promise(setImmediate);
      log.push("reported");
    };
    await answer(failing({ onError }), signed("a"));
    expect(log).toEqual(["reported"]);
  });

  it("goes to the console if onError fails, with both errors", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const onError = () => Promise.reject(new TypeError("the reporter is down"));
    await answer(failing({ onError }), signed("a"));
    expect(error).toHaveBeenCalledExactlyOnceWith(
      'A webhook delivery of "a" failed. Error: boom (onError failed, too: TypeError: the reporter is down)',
      { error: new Error("boom"), event: "a", hints: {} },
    );
  });

  it("does not change the response if reporting fails", async () => {
    const onError = vi.fn(() => Promise.reject(new Error("the reporter is down")));
    const throwing = () => {
      throw new Error("the log is full");
    };
    const options = { onError, logger: { warn: throwing, error: throwing } };
    expect(await answer(failing(options), signed("a"))).toBe(500);
    expect(await answer(receiver(options), new Request(url, { method: "POST" }))).toBe(401);
    expect(onError).toHaveBeenCalledTimes(2);
  });
});
