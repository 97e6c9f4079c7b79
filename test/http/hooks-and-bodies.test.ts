import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { ClientHooks } from "../../src/http/hooks.ts";
import type { FetchInit, FetchResponse } from "../../src/http/settings.ts";
import { createPayment, getPayment } from "../../src/wire/operations.ts";
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
