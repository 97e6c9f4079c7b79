import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ClientHooks } from "../../src/http/hooks.ts";
import type { FetchInit, FetchResponse } from "../../src/http/settings.ts";
import { createPayment, createWithdrawal, getPayment } from "../../src/wire/operations.ts";
import { scriptedServer, truncated } from "../scripted-server.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };
const created = { status: 201, body: createdPayment };

type Hook = NonNullable<ClientHooks["afterResponse"]>[number];
const afterwards = (hook: Hook): ClientHooks => ({ afterResponse: [hook] });
const reading: Hook = async ({ response }) => void (await response.text());

/** Like node-fetch, whose bodies are Node streams. */
async function nodeFetch(url: string, init: FetchInit): Promise<FetchResponse> {
  const response = await fetch(url, init);
  const body = Readable.from(Buffer.from(await response.arrayBuffer()));
  return new Proxy(response, {
    get: (target, name) => (name === "body" ? body : Reflect.get(target, name, target)),
  });
}

test("a request of a beforeRequest hook whose body takes too long is not sent later", async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const { promise: isComplete, resolve: complete } = Promise.withResolvers<void>();
  const source: UnderlyingDefaultSource = {
    async pull(controller) {
      read();
      await isComplete;
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  // Without the signal of the request that the hook received.
  const hook: NonNullable<ClientHooks["beforeRequest"]>[number] = ({ request }) => {
    const { method, headers, url } = request;
    return new Request(url, { method, headers, body, duplex: "half" } as RequestInit);
  };
  const fetch = vi.fn(async () => Response.json({}, { status: 201 }));
  const options = { fetch, hooks: { beforeRequest: [hook] }, timeoutMs: 200, maxRetries: 0 };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const call = httpTo({ url: "https://api.example" }, options).call(createWithdrawal, { body: {} });
  call.catch(() => {});
  await isRead;
  vi.advanceTimersByTime(200);
  await expect(call).rejects.toMatchObject({ name: "TimeoutError", outcome: "not_sent" });
  complete();
  await setImmediate();
  expect(fetch).not.toHaveBeenCalled();
});

test("a beforeRequest hook that has read the request it returns is told to read a clone", async () => {
  const hook: NonNullable<ClientHooks["beforeRequest"]>[number] = async ({ request }) => {
    const own = request.clone();
    await own.text();
    return own;
  };
  const fetch = vi.fn(async () => Response.json(createdPayment, { status: 201 }));
  const options = { fetch, hooks: { beforeRequest: [hook] } };
  const call = httpTo({ url: "https://api.example" }, options).call(createPayment, order);
  await expect(call).rejects.toThrow(/read the request's body\. Read a request\.clone\(\)/);
  expect(fetch).not.toHaveBeenCalled();
});

describe("a beforeRequest hook that returns a Request without the signal it received", () => {
  const hooks: ClientHooks = {
    beforeRequest: [
      async ({ request }) => {
        const { method, headers, url } = request;
        const body = await request.clone().text();
        return new Request(url, { method, headers, ...(body && { body }) });
      },
    ],
  };

  test.each([
    ["that takes too long", () => vi.advanceTimersByTime(200), "TimeoutError"],
    ["that is aborted", (controller: AbortController) => controller.abort(), "AbortError"],
  ])("leaves no request in flight for a call %s", async (_, end, name) => {
    const sent = Promise.withResolvers<AbortSignal>();
    const fetch = (_: string, { signal }: FetchInit) => {
      sent.resolve(signal);
      return new Promise<Response>(() => {});
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const http = httpTo(
      { url: "https://api.example" },
      { fetch, hooks, timeoutMs: 200, maxRetries: 0 },
    );
    const call = http.call(getPayment, read, { signal: controller.signal });
    call.catch(() => {});
    const signal = await sent.promise;
    end(controller);
    await expect(call).rejects.toMatchObject({ name });
    expect(signal.aborted).toBe(true);
  });

  test("does not keep a hanging afterResponse hook running after an abort", async () => {
    // timeoutMs must not be what ends the call.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const hang = () => {
      controller.abort();
      return new Promise<void>(() => {});
    };
    const options = {
      fetch: async () => Response.json(payment),
      hooks: { ...hooks, afterResponse: [hang] },
    };
    const http = httpTo({ url: "https://api.example" }, options);
    const call = http.call(getPayment, read, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("an afterResponse hook", () => {
  test.each<Hook>([
    ({ response }) => response,
    async ({ response }) => {
      await response.text();
      return response;
    },
  ])("that returns the response it received changes nothing", async (hook) => {
    const error = { type: "invalid_request_error", code: "invalid_amount", message: "No." };
    await using server = await scriptedServer(created, { status: 422, body: { error } });
    const http = httpTo(server, { hooks: afterwards(hook) });
    expect(await http.call(createPayment, order)).toEqual(createdPayment);
    await expect(http.call(createPayment, order)).rejects.toMatchObject({
      name: "InvalidRequestError",
      outcome: "rejected",
    });
    expect(server.requests).toHaveLength(2);
  });

  test("that reads a truncated body is not blamed for it, and the call is retried", async () => {
    await using server = await scriptedServer(truncated, created);
    const http = httpTo(server, { hooks: afterwards(reading) });
    expect(await http.call(createPayment, order)).toEqual(createdPayment);
    expect(server.requests).toHaveLength(2);
  });

  test("that reads an oversized body is not blamed for it", async () => {
    await using server = await scriptedServer({ body: { id: "x".repeat(300_000) } });
    const http = httpTo(server, { hooks: afterwards(reading), maxResponseBytes: 100_000 });
    await expect(http.call(getPayment, read)).rejects.toMatchObject({ code: "response_too_large" });
  });

  test.each([undefined, nodeFetch])(
    "gets the URL, status text and body of the response, with fetch %o",
    async (fetch) => {
      await using server = await scriptedServer((response) => {
        const text = JSON.stringify(payment);
        // In chunks, without a length.
        response.writeHead(200, { "content-type": "application/json" }).write(text.slice(0, 5));
        response.end(text.slice(5));
      });
      const seen: unknown[] = [];
      const hooks = afterwards(async ({ response }) => {
        seen.push(response.url, response.statusText, await response.json());
      });
      const http = httpTo(server, { hooks, ...(fetch && { fetch }) });
      expect(await http.call(getPayment, read)).toEqual(payment);
      expect(seen).toEqual([expect.stringContaining(server.url), "OK", payment]);
    },
  );
});
