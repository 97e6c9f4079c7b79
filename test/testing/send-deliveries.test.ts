import { describe, expect, it, vi } from "vitest";
import { type SendOptions, sendDeliveries, signedDelivery } from "../../src/testing/index.ts";
import { type Webhook, Webhooks } from "../../src/webhooks/index.ts";
import { listening } from "../webhooks/sites.ts";

const secret = "whsec_t0p";
const paid = (orderId: string, timestamp?: Date) =>
  signedDelivery({
    event: { event: "payment.updated", data: { status: "completed", orderId } },
    secret,
    timestamp,
  });

describe("sendDeliveries", () => {
  it("delivers every order over a real socket, and nothing forged is accepted", async () => {
    const orders = Array.from({ length: 20 }, (_, index) => `order_${index}`);
    const seen: unknown[] = [];
    const webhooks = new Webhooks({ secret, onError: () => undefined });
    webhooks.on("payment.updated", ({ data }) => seen.push(data.orderId));
    await using site = await listening(webhooks.nodeHandler());
    const disturbance = { seed: "bad day", duplicate: 0.5, reorder: true, tamper: 0.5 };
    const sent = await sendDeliveries(
      site.url,
      orders.map((orderId) => paid(orderId)),
      disturbance,
    );
    for (const { tampered, status } of sent) expect(status).toBe(tampered ? 401 : 200);
    expect(new Set(seen)).toEqual(new Set(orders));
    expect(seen.length).toBeGreaterThan(orders.length);
    expect(seen).not.toEqual(seen.toSorted());
    expect(sent.length).toBeGreaterThan(seen.length);
    const arrived = sent.filter(({ tampered }) => !tampered).map(({ index }) => orders[index]);
    expect(seen).toEqual(arrived);
  });

  it("waits with the given sleep function, so that late deliveries are late for the receiver", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const begin = now;
    const arrivals: number[] = [];
    const webhooks = new Webhooks({ secret, now: () => new Date(now), onError: () => undefined });
    webhooks.on("*", () => void arrivals.push(now - begin));
    const handle = webhooks.fetchHandler();
    const deliveries = Array.from({ length: 30 }, (_, index) => paid(`${index}`, new Date(now)));
    const sent = await sendDeliveries(new URL("https://shop.example/webhooks"), deliveries, {
      seed: 1,
      maxDelayMs: 600_000,
      sleep: (ms) => {
        now += ms;
      },
      fetch: (url, init) => handle(new Request(url, init)),
    });
    for (const { delayMs, status } of sent) expect(status).toBe(delayMs > 300_000 ? 401 : 200);
    expect(arrivals).toEqual(sent.map(({ delayMs }) => delayMs).filter((ms) => ms <= 300_000));
    expect(arrivals.length).toBeGreaterThan(0);
    expect(arrivals.length).toBeLessThan(30);
  });

  it("sends one delivery at a time, or as many as atOnce says", async () => {
    let underWay = 0;
    let most = 0;
    const fetch = async () => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      return new Response();
    };
    const deliveries = Array.from({ length: 10 }, (_, index) => paid(`${index}`));
    await sendDeliveries("http://shop.example", deliveries, { seed: 1, fetch });
    expect(most).toBe(1);
    await sendDeliveries("http://shop.example", deliveries, { seed: 1, fetch, atOnce: 4 });
    expect(most).toBe(4);
  });

  it.each([
    [{ atOnce: 0 }, "The option atOnce must be a whole number above 0."],
    [{ tampr: 0.5 }, 'There is no option "tampr". Did you mean tamper?'],
    [{ sleep: 5 }, "The option sleep must be a function that takes milliseconds."],
    [{ duplicate: 50 }, "The option duplicate must be a share from 0 to 1."],
  ])("refuses %o before it sends anything", async (wrong, message) => {
    const fetch = vi.fn();
    const options = { seed: 1, fetch, ...wrong } as SendOptions;
    await expect(sendDeliveries("http://shop.example", [paid("a")], options)).rejects.toThrow(
      message,
    );
    expect(fetch).not.toHaveBeenCalled();
  });

  it("waits in real time if no sleep function is given", async () => {
    vi.useFakeTimers();
    try {
      const fetch = vi.fn(async () => new Response());
      const options = { seed: 5, maxDelayMs: 1000, fetch };
      const sending = sendDeliveries("http://shop.example", [paid("a"), paid("b")], options);
      await vi.advanceTimersByTimeAsync(1);
      expect(fetch.mock.calls.length).toBeLessThan(2);
      await vi.advanceTimersByTimeAsync(1000);
      expect(await sending).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("rejects when a delivery gets no response", async () => {
    const failure = new Error("connection refused");
    const fetch = vi.fn().mockRejectedValue(failure);
    const deliveries = [paid("a"), paid("b"), paid("c")];
    for (const atOnce of [1, 3]) {
      const options = { seed: 1, fetch, atOnce };
      await expect(sendDeliveries("http://shop.example", deliveries, options)).rejects.toBe(
        failure,
      );
    }
  });

  it("delivers exactly the bytes that were signed", async () => {
    const seen: Webhook[] = [];
    const webhooks = new Webhooks({ secret }).on("*", (webhook) => seen.push(webhook));
    await using site = await listening(webhooks.nodeHandler());
    const delivery = paid("order_é");
    await sendDeliveries(site.url, [delivery], { seed: 1, duplicate: 1 });
    expect(seen.map(({ rawBody }) => Buffer.from(rawBody).toString())).toEqual([
      delivery.body,
      delivery.body,
    ]);
    expect(seen[0]?.deliveryKey).toBe(seen[1]?.deliveryKey);
  });
});
