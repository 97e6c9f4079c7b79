import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { json } from "node:stream/consumers";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/errors.ts";
import { errorOf, list, newYear, order, paymentsPath } from "./merchant.ts";

/** The globals before any server listened. */
const platform = { Request: globalThis.Request, Response: globalThis.Response };

function post(url: string, secretKey: string, body: BodyInit, headers = {}) {
  return fetch(url + paymentsPath, {
    method: "POST",
    headers: { "X-Service-Secret-Key": secretKey, "Content-Type": "application/json", ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  });
}

describe("a listening sandbox", () => {
  it("is refused in happy-dom, whose Request and Response it cannot serve", async () => {
    vi.stubGlobal("happyDOM", {});
    await expect(createSandbox().listen({ port: 0 })).rejects.toMatchObject({
      name: "ConfigurationError",
      code: "unsupported_platform",
      message: expect.stringContaining("node environment"),
    });
    vi.unstubAllGlobals();
  });

  it("serves the same API as in process, with payment pages at its own URL", async () => {
    const sandbox = createSandbox({ now: newYear });
    await using server = await sandbox.listen({ port: 0 });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);

    const response = await post(server.url, sandbox.secretKey, JSON.stringify(order));
    expect(response.status).toBe(201);
    expect(response.headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
    const created = (await response.json()) as { paymentId: string; paymentUrl: string };
    expect(created.paymentUrl).toBe(`${server.url}/payment/${created.paymentId}`);
    expect((await list(sandbox)).data.map(({ id }) => id)).toEqual([created.paymentId]);
    expect(sandbox.requests()[0]?.headers["x-service-secret-key"]).toBe("[redacted]");
  });

  it.each(["0.0.0.0", "localhost"])(
    "returns a reachable URL when it listens on %s",
    async (host) => {
      await using server = await createSandbox().listen({ host, port: 0 });
      expect((await fetch(server.url)).status).toBe(404);
    },
  );

  // Other systems may allow shorter queues only.
  it.runIf(process.platform === "linux")("takes a thousand connections at once", async () => {
    await using server = await createSandbox().listen({ port: 0 });
    const sockets = Array.from({ length: 1_000 }, () => connect(server.port, "127.0.0.1"));
    // A connection that the queue does not take is attempted again after a second, and may be reset.
    const waiting = () => sockets.filter(({ connecting }) => connecting).length;
    for (let turns = 0; waiting() > 0 && turns < 2_000; turns++) await new Promise(setImmediate);
    expect(waiting()).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  it("never closes an idle connection, on which a busy client may be about to send a request", async () => {
    await using server = await createSandbox().listen({ port: 0 });
    const { headers } = await fetch(server.url);
    // It would announce when the server closes the connection.
    expect(headers.get("keep-alive")).toBeNull();
    expect(headers.get("connection")).toBe("keep-alive");
  });

  it("does not replace the global Request and Response", async () => {
    await using _server = await createSandbox().listen({ port: 0 });
    expect(globalThis.Request).toBe(platform.Request);
    expect(globalThis.Response).toBe(platform.Response);
  });

  it("refuses a large body, with or without Content-Length", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const large = "x".repeat(2_000_000);
    const streamed = new Blob([large]).stream();
    for (const body of [large, streamed]) {
      const response = await post(server.url, sandbox.secretKey, body);
      expect(response.status).toBe(413);
      // Otherwise the next request on this connection would break.
      expect(response.headers.get("Connection")).toBe("close");
      expect(await errorOf(response)).toMatchObject({ code: "body_too_large" });
    }
  });

  it("reads a body that arrives in chunks split inside a character", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const bytes = new TextEncoder().encode(JSON.stringify({ ...order, orderId: "Größe €" }));
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect((await post(server.url, sandbox.secretKey, pieces)).status).toBe(201);
    expect((await list(sandbox)).data[0]?.orderId).toBe("Größe €");
  });

  it("creates one payment when requests with one key race over sockets", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const headers = { "Idempotency-Key": "race" };
        const body = JSON.stringify(order);
        return (await post(server.url, sandbox.secretKey, body, headers)).text();
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect((await list(sandbox)).data).toHaveLength(1);
  });

  it("survives a client that hangs up in the middle of its request", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(
      `POST ${paymentsPath} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"amount":`,
    );
    socket.destroy();
    await once(socket, "close");
    expect((await post(server.url, sandbox.secretKey, JSON.stringify(order))).status).toBe(201);
  });

  it("answers HEAD without a body", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const headers = { "X-Service-Secret-Key": sandbox.secretKey };
    const response = await fetch(server.url + paymentsPath, { method: "HEAD", headers });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it.each(["TRACE", "DELETE", "PROPFIND"])("refuses %s, with or without a body", async (method) => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    for (const body of [undefined, "{}"]) {
      // fetch refuses to send TRACE.
      const headers = body === undefined ? {} : { "Content-Length": body.length };
      const sent = request(server.url + paymentsPath, { method, headers }).end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(405);
      expect(await json(response)).toMatchObject({ error: { code: "method_not_allowed" } });
    }
  });
});

describe("a sandbox behind a proxy that ends TLS", () => {
  it.each([
    ["https", "https"],
    ["https, http", "https"],
    ["http", "http"],
    ["httpsomething", "http"],
  ])("with X-Forwarded-Proto: %s has %s payment pages", async (forwarded, scheme) => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const headers = { "X-Forwarded-Proto": forwarded };
    const created = await post(server.url, sandbox.secretKey, JSON.stringify(order), headers);
    const { paymentUrl } = (await created.json()) as { paymentUrl: string };
    expect(paymentUrl).toMatch(new RegExp(`^${scheme}://127.0.0.1:${server.port}/payment/`));
    const page = await fetch(paymentUrl.replace(/^https/, "http"), { headers });
    // The page's script may only call the page's own origin.
    expect(await page.text()).toContain(`base-url="${scheme}://127.0.0.1:${server.port}"`);
  });
});

describe("closing the server", () => {
  it("frees the port and may be repeated", async () => {
    const sandbox = createSandbox();
    const first = await sandbox.listen({ port: 0 });
    await first.close();
    await first.close();
    await using second = await sandbox.listen({ port: first.port });
    expect(second.port).toBe(first.port);
  });

  it("does not wait for clients that keep their connections", async () => {
    const server = await createSandbox().listen({ port: 0 });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n");
    // A closed connection may emit an error first.
    const dropped = new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
    await server.close();
    await dropped;
  });

  it("leaves the sandbox usable in process and on another port", async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen({ port: 0 });
    await post(server.url, sandbox.secretKey, JSON.stringify(order));
    await server.close();
    await using _again = await sandbox.listen({ port: 0 });
    expect((await list(sandbox)).data).toHaveLength(1);
  });
});

describe("a port that cannot be opened", () => {
  it("is refused with a cure when it is taken", async () => {
    await using taken = await createSandbox().listen({ port: 0 });
    const attempt = createSandbox().listen({ port: taken.port });
    await expect(attempt).rejects.toBeInstanceOf(ConfigurationError);
    await expect(attempt).rejects.toMatchObject({
      code: "port_taken",
      param: "port",
      message: expect.stringMatching(new RegExp(`${taken.port}.*0 takes any`)),
    });
  });

  it("is refused when the address is not this machine's", async () => {
    const listening = createSandbox().listen({ host: "192.0.2.1", port: 0 });
    await expect(listening).rejects.toMatchObject({
      name: "ConfigurationError",
      code: "cannot_listen",
    });
  });

  // Node would treat a string as the path of a socket.
  it.each(["x", "4010", 70_000, -1, 0.5, Number.NaN])(
    "is refused when it is not a port number: %j",
    async (port) => {
      const listening = createSandbox().listen({ port: port as number });
      await expect(listening).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "invalid_option",
        param: "port",
        message: expect.stringMatching(
          /^port must be a whole number from 0 to 65535, got .+\. Pass 0/,
        ),
      });
    },
  );
});
