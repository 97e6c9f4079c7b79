import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import express from "express";
import { describe, expect, it, vi } from "vitest";
import type { NodeHandler, NodeRequest } from "../../src/webhooks/index.ts";
import { type Delivery, delivery, paymentUpdated, receiver } from "./deliveries.ts";

/** A server on a free port, closed with its connections at the end of the scope. */
async function listening(listener: http.RequestListener) {
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/webhooks`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const post = (url: string, { body, headers }: Delivery<string | Uint8Array> = delivery()) =>
  fetch(url, {
    method: "POST",
    body: body as BodyInit,
    headers: { "content-type": "application/json", ...headers },
  });

/** Sends text as it is and gives all that came back by the time the server closed the connection. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.on("close", resolve));
  return received;
}

function head(length: number, headers = delivery().headers): string {
  const lines = Object.entries({ host: "shop.example", "content-length": length, ...headers });
  return `POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

describe("on node:http", () => {
  it("a delivery is read, verified and answered with a bare 200", async () => {
    const handler = vi.fn();
    await using site = await listening(receiver().on("payment.updated", handler).nodeHandler());
    const response = await post(site.url);
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(handler).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(paymentUpdated));
  });

  it.each<[number, string, Delivery<string | Uint8Array>]>([
    [401, "forged", delivery({ key: "forged" })],
    [401, "unsigned", { ...delivery(), headers: {} }],
    [400, "no event", delivery({ body: "[]" })],
    [400, "no UTF-8", delivery({ body: new Uint8Array([0xff]) })],
  ])("a delivery is answered with a bare %i when it is %s", async (status, _, input) => {
    await using site = await listening(receiver().nodeHandler());
    const response = await post(site.url, input);
    expect([response.status, await response.text()]).toEqual([status, ""]);
  });

  it("anything but POST is answered with 405", async () => {
    await using site = await listening(receiver().nodeHandler());
    const response = await fetch(site.url);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("a handler that throws is answered with 500, and the server lives on", async () => {
    const onError = vi.fn();
    const handler = vi.fn().mockRejectedValueOnce(new Error("boom"));
    await using site = await listening(receiver({ onError }).on("*", handler).nodeHandler());
    expect((await post(site.url)).status).toBe(500);
    expect(onError.mock.lastCall?.[0]).toEqual(new Error("boom"));
    expect((await post(site.url)).status).toBe(200);
  });

  it("a signature header given twice is refused", async () => {
    await using site = await listening(receiver().nodeHandler());
    const { body, headers } = delivery();
    const twice = `x-service-signature: ${headers["x-service-signature"]}\r\nconnection: close\r\n`;
    const text = head(body.length).replace("\r\n\r\n", `\r\n${twice}\r\n`) + body;
    expect(await exchange(site.port, text)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("a body in chunks of one byte is put together", async () => {
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

  it("several deliveries share a connection, refused ones among them", async () => {
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

describe("a body that is too large", () => {
  it("is answered with 413 before it was sent, and the connection closed", async () => {
    await using site = await listening(receiver({ maxBodyBytes: 1000 }).nodeHandler());
    // Of a gigabyte, two kilobytes come: enough to know.
    const received = await exchange(site.port, head(1_000_000_000) + " ".repeat(2000));
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toMatch(/connection: close/i);
    expect(received).toMatch(/\r\n\r\n$/);
  });

  it("is not read to its end, nor while the refusal is reported", async () => {
    const bytesRead: number[] = [];
    const slowReporter = async () => {
      for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate);
    };
    const webhooks = receiver({ maxBodyBytes: 1000, onError: slowReporter });
    await using site = await listening(webhooks.nodeHandler());
    site.server.on("connection", (socket) => {
      socket.on("close", () => bytesRead.push(socket.bytesRead));
    });
    const socket = connect(site.port, "127.0.0.1").on("error", () => undefined);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.resume().write(head(1_000_000_000));
    const chunk = Buffer.alloc(65_536, " ");
    const pump = () => {
      while (socket.writable && socket.write(chunk)) {}
    };
    socket.on("drain", pump);
    pump();
    await closed;
    await vi.waitFor(() => expect(bytesRead).toHaveLength(1));
    expect(bytesRead[0]).toBeLessThan(1_000_000);
  });

  it("is not read at all when its headers are refused", async () => {
    await using site = await listening(receiver().nodeHandler());
    const received = await exchange(site.port, head(1_000_000_000, {}));
    expect(received).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i);
  });
});

describe("a sender that goes away half-way", () => {
  it("ends the handler quietly", async () => {
    const onError = vi.fn();
    const handler = vi.fn();
    const handle = receiver({ onError }).on("*", handler).nodeHandler();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let ended: Promise<void> | undefined;
    await using site = await listening((request, response) => {
      ended = handle(request, response);
      request.once("data", begin);
    });
    const socket = connect(site.port, "127.0.0.1").on("error", () => undefined);
    socket.write(`${head(1000)}half`);
    await begun;
    socket.destroy();
    await expect(ended).resolves.toBeUndefined();
    expect(onError).not.toHaveBeenCalled();
    expect(handler).not.toHaveBeenCalled();
    expect((await post(site.url)).status).toBe(200);
  });

  it("or is cut off by the server itself, likewise", async () => {
    const onError = vi.fn();
    const handle = receiver({ onError }).nodeHandler();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using site = await listening((request, response) => {
      void handle(request, response).then(resolve);
      request.once("data", () => request.destroy());
    });
    await exchange(site.port, `${head(1000)}half`);
    await promise;
    expect(onError).not.toHaveBeenCalled();
  });

  it("before the handler began is noticed", async () => {
    const onError = vi.fn();
    const handle = receiver({ onError }).nodeHandler();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using site = await listening((request, response) => {
      request.on("error", () => undefined);
      request.on("close", () => void handle(request, response).then(resolve));
    });
    const socket = connect(site.port, "127.0.0.1").on("error", () => undefined);
    socket.write(`${head(1000)}half`, () => socket.resetAndDestroy());
    await promise;
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a body that something else took first", () => {
  /** Runs the handler on a request that a framework has prepared. */
  async function prepared(prepare: (request: http.IncomingMessage & NodeRequest) => unknown) {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const handle: NodeHandler = receiver({ logger }).nodeHandler();
    const site = await listening(async (request, response) => {
      await prepare(request);
      await handle(request, response);
    });
    return { ...site, logger, [Symbol.asyncDispose]: site[Symbol.asyncDispose] };
  }
  const consume = async (request: http.IncomingMessage) => {
    for await (const _ of request) {
      // To the end.
    }
  };

  it.each<[string, (request: http.IncomingMessage) => unknown]>([
    [
      "parsed",
      (request) => consume(request).then(() => Object.assign(request, { body: paymentUpdated })),
    ],
    [
      "parsed to an empty object",
      (request) => consume(request).then(() => Object.assign(request, { body: {} })),
    ],
    [
      "parsed to a list",
      (request) => consume(request).then(() => Object.assign(request, { body: [] })),
    ],
    ["read and kept elsewhere, as Koa does", consume],
  ])("is answered with 500 when it was %s, with the line to change", async (_, prepare) => {
    await using site = await prepared(prepare);
    expect((await post(site.url)).status).toBe(500);
    const [, details] = site.logger.error.mock.lastCall ?? [];
    expect(details.error).toMatchObject({
      reason: "body_already_parsed",
      message: expect.stringMatching(/express\.json\(\).*bodyParser: false.*rawBody: true.*Koa/),
    });
  });

  it("is answered at once, before any of it arrived", async () => {
    await using site = await prepared((request) =>
      Object.assign(request, { body: paymentUpdated }),
    );
    expect(await exchange(site.port, head(1000))).toMatch(/^HTTP\/1\.1 500 /);
  });

  it.each<[string, (request: http.IncomingMessage) => unknown]>([
    ["in bytes", (request) => Object.assign(request, { body: Buffer.from(delivery().body) })],
    ["as text", (request) => Object.assign(request, { body: delivery().body })],
    [
      "in rawBody, beside the parsed one",
      (request) =>
        Object.assign(request, { body: paymentUpdated, rawBody: Buffer.from(delivery().body) }),
    ],
  ])("is verified when it was kept raw %s", async (_, keep) => {
    await using site = await prepared(async (request) => {
      await consume(request);
      keep(request);
    });
    expect((await post(site.url)).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ["an empty object", {}],
    ["empty text", ""],
    ["null", null],
  ])("is read when a parser left %s on a request it did not read", async (_, body) => {
    await using site = await prepared((request) => Object.assign(request, { body }));
    expect((await post(site.url)).status).toBe(200);
  });

  it("is read when it was paused meanwhile", async () => {
    await using site = await prepared(async (request) => {
      request.pause();
      await new Promise(setImmediate);
    });
    expect((await post(site.url)).status).toBe(200);
  });

  it("is verified in its bytes when the stream was set to give text", async () => {
    await using site = await prepared((request) => request.setEncoding("utf8"));
    const input = delivery({ body: '{"event":"a","data":{"x":"€"}}' });
    expect((await post(site.url, input)).status).toBe(200);
  });

  it("that was empty is judged as such", async () => {
    await using site = await prepared(async (request) => {
      await consume(request);
      Object.assign(request, { body: "" });
    });
    expect((await post(site.url, delivery({ body: "" }))).status).toBe(400);
  });
});

describe("an answer that somebody else gave", () => {
  it("before the handler began stands", async () => {
    const handle = receiver().nodeHandler();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using site = await listening((request, response) => {
      response.writeHead(404).end();
      resolve(handle(request, response));
    });
    expect((await fetch(site.url)).status).toBe(404);
    await promise;
  });

  it("meanwhile stands", async () => {
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

describe("in Express", () => {
  it("the handler is a route like any other", async () => {
    const handler = vi.fn();
    const app = express();
    app.post("/webhooks", receiver().on("payment.updated", handler).nodeHandler());
    app.use(express.json());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  it("express.raw() before it is fine", async () => {
    const app = express();
    app.post("/webhooks", express.raw({ type: "application/json" }), receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
    expect((await post(site.url, delivery({ key: "forged" }))).status).toBe(401);
  });

  it("express.json() before it is answered with 500 and named in the log", async () => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const app = express();
    app.use(express.json());
    app.use("/webhooks", receiver({ logger }).nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(500);
    expect(String(logger.error.mock.lastCall?.[1].error)).toContain(
      "Express: mount this route before express.json()",
    );
  });

  it("a parser for another content type before it is fine", async () => {
    const app = express();
    app.use(express.urlencoded({ extended: false }), express.text());
    app.use("/webhooks", receiver().nodeHandler());
    await using site = await listening(app);
    expect((await post(site.url)).status).toBe(200);
  });
});

describe("over HTTP/2", () => {
  it.each([
    [200, receiver()],
    [413, receiver({ maxBodyBytes: 10 })],
  ])("a delivery is answered with %i", async (status, webhooks) => {
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
