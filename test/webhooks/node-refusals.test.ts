import { once } from "node:events";
import http2 from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { delivery, receiver } from "./deliveries.ts";
import { exchange, head, listening, post } from "./sites.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

describe("a body that is too large", () => {
  it("is not read to its end, even while the refusal is reported", async () => {
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

  it("is refused even if its first part is exactly as long as the limit", async () => {
    const handle = receiver({ maxBodyBytes: 1000 }).nodeHandler();
    const { promise: firstPart, resolve: takeFirstPart } = Promise.withResolvers<Buffer>();
    await using site = await listening((request, response) => {
      request.once("data", takeFirstPart);
      void handle(request, response);
    });
    const socket = connect(site.port, "127.0.0.1");
    socket.write(head(1010) + " ".repeat(1000));
    expect((await firstPart).length).toBe(1000);
    socket.write(" ".repeat(10));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

describe("a body over HTTP/2 that continues after its refusal", () => {
  it.each([
    ["too large", delivery().headers, "a".repeat(50_000), 413],
    ["not read at all", {}, "a", 401],
    ["late", delivery().headers, "a", 408],
  ])(
    "because it was %s lets its stream close without an error",
    async (_, headers, sent, status) => {
      const bodyTimeoutMs = status === 408 ? 50 : 60_000;
      const receive = receiver({ maxBodyBytes: 1000, bodyTimeoutMs }).nodeHandler();
      const server = http2.createServer((request, response) => void receive(request, response));
      const closed = new Promise<http2.ServerHttp2Stream>((resolve) => {
        server.on("stream", (stream) => stream.on("close", () => resolve(stream)));
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      try {
        const stream = session.request({ ":method": "POST", ...headers }).resume();
        stream.write(sent);
        const [answer] = await once(stream, "response");
        expect(answer[":status"]).toBe(status);
        expect((await closed).rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
      } finally {
        session.destroy();
        server.close();
      }
    },
  );

  it("does not keep genuine webhooks from the same proxy away", async () => {
    const handled = vi.fn();
    const receive = receiver({ maxBodyBytes: 1000 }).on("*", handled).nodeHandler();
    const server = http2.createServer((request, response) => void receive(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let session = http2.connect(url);
    // As a proxy does: on one connection, for as long as the server accepts requests on it.
    async function send(headers: http2.OutgoingHttpHeaders, body: string | Buffer) {
      if (session.closed) session = http2.connect(url);
      const stream = session.request({ ":method": "POST", ...headers }).resume();
      stream.end(body);
      const [answer] = await once(stream, "response");
      if (!stream.closed) await once(stream, "close");
      return answer[":status"];
    }
    try {
      const { headers, body } = delivery();
      // Node never frees the unread bytes in the connection's flow control window.
      for (let n = 0; n < 60; n++) expect(await send({}, Buffer.alloc(300_000))).toBe(401);
      expect(await send(headers, body)).toBe(200);
      expect(handled).toHaveBeenCalledOnce();
    } finally {
      session.destroy();
      server.close();
    }
  });
});

describe("a sender that disconnects halfway", () => {
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

  it("ends the handler quietly if the server itself cut it off", async () => {
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

  it("ends the handler quietly if it left before the handler began", async () => {
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
