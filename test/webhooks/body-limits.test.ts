import { afterEach, describe, expect, it, vi } from "vitest";
import { everyChunk, memoryUnderAttack } from "./attack-by-tiny-chunks.ts";
import { delivery, paymentUpdated, receiver } from "./deliveries.ts";
import { exchange, head, listening, statusFor } from "./sites.ts";

afterEach(() => void vi.useRealTimers());

const limits = { onError: vi.fn(), bodyTimeoutMs: 7000 };
const fakeTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

describe("the body of a delivery", () => {
  it.each<[string, number, string]>([
    ["without a signature", 401, head(1_000_000_000, {})],
    [
      "with a malformed timestamp",
      401,
      head(1_000_000_000, delivery({ timestampText: "x" }).headers),
    ],
    ["with a stale timestamp", 401, head(1_000_000_000, delivery({ timestampText: "1" }).headers)],
    ["with another method", 405, head(1_000_000_000).replace("POST", "PUT")],
  ])("is not read %s", async (_, status, text) => {
    const arrived: unknown[] = [];
    const handle = receiver(limits).nodeHandler();
    await using site = await listening((request, response) => {
      request.on("newListener", (event) => arrived.push(event));
      void handle(request, response);
    });
    const received = await exchange(site.port, text);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close`, "i"));
    expect(arrived).not.toContain("data");
  });
});

describe("a body that takes longer than bodyTimeoutMs", () => {
  it("is answered with 408 by node:http, which closes the connection", async () => {
    fakeTimers();
    const { promise: begun, resolve: begin } = Promise.withResolvers<unknown>();
    const handle = receiver(limits).nodeHandler();
    await using site = await listening((request, response) => {
      void handle(request, response);
      request.once("data", begin);
    });
    const answer = exchange(site.port, `${head(1000)}half`);
    await begun;
    vi.advanceTimersByTime(7000);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i);
    expect(limits.onError.mock.lastCall?.[0]).toMatchObject({
      reason: "body_timeout",
      message: "The body took longer than bodyTimeoutMs, 7000. Raise it if the service sent this.",
    });
  });

  it("is answered with 408 by a Web handler, and may go on arriving", async () => {
    fakeTimers();
    const cancel = vi.fn();
    const body = new ReadableStream({ cancel });
    const { headers } = delivery();
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const answer = receiver(limits).fetchHandler()(new Request("https://shop.example", init));
    let isAnswered = false;
    void answer.finally(() => (isAnswered = true));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(6999);
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    vi.advanceTimersByTime(1);
    expect((await answer).status).toBe(408);
    expect(cancel).not.toHaveBeenCalled();
  });

  it("is refused by verify", async () => {
    fakeTimers();
    const init = { method: "POST", headers: delivery().headers, duplex: "half" } as RequestInit;
    const request = new Request("https://shop.example", { ...init, body: new ReadableStream() });
    const result = receiver(limits).safeVerify(request);
    await new Promise(setImmediate);
    vi.advanceTimersByTime(7000);
    expect(await result).toMatchObject({ ok: false, reason: "body_timeout" });
  });

  it("is late after 10 seconds by default, and no timer is left once it has been read", async () => {
    fakeTimers();
    const webhooks = receiver().on("payment.updated", () => undefined);
    await using site = await listening(webhooks.nodeHandler());
    const { body } = delivery();
    expect(await statusFor(site.port, head(body.length) + body)).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
    const set = vi.spyOn(globalThis, "setTimeout");
    const { headers } = delivery();
    await webhooks.verify(new Request("https://shop.example", { method: "POST", headers, body }));
    expect(set).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 10_000);
  });
});

describe("a body in many chunks", () => {
  it("is assembled in order, whatever their sizes", async () => {
    const text = JSON.stringify({ ...paymentUpdated, more: "é€😀".repeat(5000) });
    const bytes = new TextEncoder().encode(text);
    const { headers } = delivery({ body: text });
    for (const size of [1, 7, 1023, 1024, 1025, 4096, bytes.length]) {
      let position = 0;
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(bytes.slice(position, position + size));
          position += size;
          if (position >= bytes.length) controller.close();
        },
      });
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const webhook = await receiver().verify(new Request("https://shop.example", init));
      expect(webhook.rawBody).toEqual(bytes);
    }
  });

  // The tests send a quarter of what `npm run check:fuzz` sends.
  it("of one byte each takes less than 60 MB of memory", async () => {
    expect(await memoryUnderAttack(everyChunk / 4)).toBeLessThan(60_000_000);
  });
});
