import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { type Delivery, delivery, receiver } from "./deliveries.ts";
import { listening, post } from "./sites.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

// What all frameworks have in common is in conformance.test.ts.
describe("the node:http handler", () => {
  it.each<[number, string, Delivery<string | Uint8Array>]>([
    [401, "unsigned", { ...delivery(), headers: {} }],
    [400, "not an event", delivery({ body: "[]" })],
    [400, "not UTF-8", delivery({ body: new Uint8Array([0xff]) })],
  ])("answers with a bare %i when a delivery is %s", async (status, _, input) => {
    await using site = await listening(receiver().nodeHandler());
    const response = await post(site.url, input);
    expect([response.status, await response.text()]).toEqual([status, ""]);
  });

  it("verifies the bytes received of a compressed body", async () => {
    const onError = vi.fn();
    await using site = await listening(receiver({ onError }).nodeHandler());
    const plain = delivery();
    const compressed = gzipSync(plain.body);
    for (const [signed, status, reason] of [
      [plain.headers, 401, "signature_mismatch"],
      [delivery({ body: compressed }).headers, 400, "invalid_json"],
    ] as const) {
      const headers = { ...signed, "content-encoding": "gzip" };
      expect((await post(site.url, { body: compressed, headers })).status).toBe(status);
      expect(onError.mock.lastCall?.[0]).toMatchObject({ reason });
    }
  });

  it("assembles a body sent in chunks of one byte", async () => {
    const { body, headers } = delivery({
      body: '{"event":"a","data":{"x":"€\u{1F600}"}}',
    });
    const seen: unknown[] = [];
    const webhooks = receiver().on("a", ({ data }) => seen.push(data));
    await using site = await listening(webhooks.nodeHandler());
    const request = http.request(site.url, { method: "POST", headers });
    for (const byte of Buffer.from(body)) request.write(Buffer.of(byte));
    request.end();
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(seen).toEqual([{ x: "€\u{1F600}" }]);
  });

  it("receives several deliveries on one connection, including refused ones", async () => {
    await using site = await listening(receiver().nodeHandler());
    const sockets = new Set<Socket>();
    site.server.on("connection", (socket) => sockets.add(socket));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const [key, status] of [
      ["forged", 401],
      ["whsec_t0p", 200],
      ["forged", 401],
    ] as const) {
      const { body, headers } = delivery({ key });
      const request = http.request(site.url, { method: "POST", headers, agent }).end(body);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      response.resume();
      await once(response, "end");
      expect(response.statusCode).toBe(status);
    }
    agent.destroy();
    expect(sockets.size).toBe(1);
  });
});

describe("a response that other code sent", () => {
  it("before the handler began is kept", async () => {
    const handle = receiver().nodeHandler();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using site = await listening((request, response) => {
      response.writeHead(404).end();
      resolve(handle(request, response));
    });
    expect((await fetch(site.url)).status).toBe(404);
    await promise;
  });

  it("while the handler ran is kept", async () => {
    const webhooks = receiver();
    const handle = webhooks.nodeHandler();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using site = await listening(async (request, response) => {
      webhooks.on("*", () => void response.writeHead(504).end());
      await handle(request, response);
      resolve();
    });
    expect((await post(site.url)).status).toBe(504);
    await promise;
  });
});

describe("the handler over HTTP/2", () => {
  it.each([
    [200, receiver()],
    [413, receiver({ maxBodyBytes: 10 })],
  ])("answers a delivery with %i", async (status, webhooks) => {
    const server = http2.createServer((request, response) => {
      void webhooks.nodeHandler()(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const warned = vi.fn();
    process.on("warning", warned);
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      const { body, headers } = delivery();
      const stream = session.request({ ":method": "POST", ...headers });
      stream.end(body);
      const [answer] = await once(stream, "response");
      expect(answer[":status"]).toBe(status);
      stream.close();
      await new Promise(setImmediate);
      expect(warned).not.toHaveBeenCalled();
    } finally {
      process.off("warning", warned);
      session.destroy();
      server.close();
    }
  });
});
