import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Webhook, WebhooksOptions } from "../../src/webhooks/index.ts";
import { type Delivery, delivery, paymentUpdated, receiver } from "./deliveries.ts";
import { frameworks } from "./frameworks/index.ts";
import { exchange, head, post } from "./sites.ts";

const maxBodyBytes = 1000;

/** A receiver with spies as its logger, `onError` and handler. */
function watched(options: WebhooksOptions = {}) {
  const logger = { warn: vi.fn(), error: vi.fn() };
  const onError = vi.fn<(error: unknown, webhook?: Webhook) => void>();
  const handler = vi.fn<(webhook: Webhook) => unknown>();
  const webhooks = receiver({ maxBodyBytes, logger, onError, ...options }).on("*", handler);
  return { webhooks, handler, logger, onError };
}

/** Sends a delivery over one of the agent's connections. Returns the status of the response. */
async function postOver(agent: Agent, url: string, { body, headers }: Delivery) {
  const outgoing = request(url, { agent, method: "POST", headers });
  outgoing.end(body);
  const [answer] = await once(outgoing, "response");
  await once(answer.resume(), "end");
  return answer.statusCode;
}

describe.each(frameworks)(
  "webhooks in $name",
  ({ serve, serveAfterParser, cure, buffers = false }) => {
    const unhandled = vi.fn();
    beforeEach(() => void process.on("unhandledRejection", unhandled));
    afterEach(() => {
      process.off("unhandledRejection", unhandled);
      expect(unhandled).not.toHaveBeenCalled();
    });

    it("a valid delivery reaches its handler and is answered with a bare 200", async () => {
      const { webhooks, handler, onError } = watched();
      await using site = await serve(webhooks);
      const response = await post(site.url);
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expect(handler).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(paymentUpdated));
      expect(onError).not.toHaveBeenCalled();
    });

    it.each([
      ["signed with another secret", delivery({ key: "another" }), "signature_mismatch"],
      ["stale", delivery({ timestampText: "1699999000" }), "timestamp_too_old"],
      [
        "tampered with",
        { ...delivery(), body: JSON.stringify(paymentUpdated).replace("order_1", "order_2") },
        "signature_mismatch",
      ],
    ])("a delivery that is %s is answered with a bare 401", async (_, input, reason) => {
      const { webhooks, handler, onError, logger } = watched();
      await using site = await serve(webhooks);
      const response = await post(site.url, input);
      expect([response.status, await response.text()]).toEqual([401, ""]);
      expect(handler).not.toHaveBeenCalled();
      expect(onError).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ reason }),
        undefined,
      );
      expect(logger.warn).toHaveBeenCalledOnce();
    });

    it("a body that was parsed first is answered with 500 at once, and the log names the line to change", async () => {
      const { webhooks, handler, logger } = watched();
      await using site = await serveAfterParser(webhooks);
      const { body, headers } = delivery();
      const response = await fetch(site.url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
      });
      expect([response.status, await response.text()]).toEqual([500, ""]);
      expect(handler).not.toHaveBeenCalled();
      expect(logger.error).toHaveBeenCalledExactlyOnceWith(
        expect.stringMatching(cure),
        expect.objectContaining({
          error: expect.objectContaining({ reason: "body_already_parsed" }),
        }),
      );
    });

    it("a body over the limit is answered with 413", async () => {
      const { webhooks, handler, onError } = watched();
      await using site = await serve(webhooks);
      const input = delivery({ body: JSON.stringify(paymentUpdated).padEnd(maxBodyBytes + 1) });
      expect((await post(site.url, input)).status).toBe(413);
      const exact = delivery({ body: JSON.stringify(paymentUpdated).padEnd(maxBodyBytes) });
      expect((await post(site.url, exact)).status).toBe(200);
      expect(handler).toHaveBeenCalledOnce();
      expect(onError).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ reason: "body_too_large" }),
        undefined,
      );
    });

    it("a body beyond the default limits of parsers is accepted", async () => {
      const { webhooks, handler } = watched({ maxBodyBytes: undefined });
      await using site = await serve(webhooks);
      const event = { event: "a", data: { text: "€".repeat(300_000) } };
      expect((await post(site.url, delivery({ body: JSON.stringify(event) }))).status).toBe(200);
      expect(handler).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
    });

    // Platforms that hand over complete bodies have already read them.
    if (!buffers) {
      it.each([
        ["over the limit", 413, head(1_000_000_000)],
        [
          "with a stale timestamp",
          401,
          head(1_000_000_000, delivery({ timestampText: "1" }).headers),
        ],
        ["sent by another method", 405, head(1_000_000_000).replace("POST", "PUT")],
      ])(
        "a body %s is not read to its end, and the connection is closed",
        async (_, status, text) => {
          const { webhooks } = watched();
          await using site = await serve(webhooks);
          // Two kilobytes of the announced gigabyte are enough to know.
          const answer = await exchange(site.port, text + " ".repeat(2000));
          expect(answer).toMatch(
            new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*connection: close`, "i"),
          );
        },
      );

      it("a delivery after a refused one on the same connection is accepted", async () => {
        const { webhooks } = watched();
        await using site = await serve(webhooks);
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        expect(await postOver(agent, site.url, delivery({ body: " ".repeat(500_000) }))).toBe(413);
        expect(await postOver(agent, site.url, delivery())).toBe(200);
        agent.destroy();
      });
    }

    it.each([
      ["a form", { "content-type": "application/x-www-form-urlencoded" }],
      ["several parts", { "content-type": "multipart/form-data; boundary=x" }],
      ["UTF-16", { "content-type": "application/json; charset=utf-16" }],
      ["compressed", { "content-encoding": "br" }],
    ])(
      "a body is verified as received, even if its headers say that it is %s",
      async (_, claim) => {
        const { webhooks, handler } = watched();
        await using site = await serve(webhooks);
        const { body, headers } = delivery();
        expect((await post(site.url, { body, headers: { ...headers, ...claim } })).status).toBe(
          200,
        );
        expect(handler).toHaveBeenCalledOnce();
      },
    );

    it.each(["x-service-signature", "x-service-timestamp"])(
      "a delivery whose %s was sent twice is answered with 401, even if both are equal",
      async (name) => {
        const { webhooks, handler } = watched();
        await using site = await serve(webhooks);
        const { body, headers } = delivery();
        const outgoing = request(site.url, { method: "POST", headers });
        outgoing.setHeader(name, [headers[name] ?? "", headers[name] ?? ""]);
        outgoing.end(body);
        const [answer] = await once(outgoing, "response");
        expect(answer.resume().statusCode).toBe(401);
        expect(handler).not.toHaveBeenCalled();
      },
    );

    it("a trailer neither replaces nor doubles a header", async () => {
      const { webhooks, handler } = watched();
      await using site = await serve(webhooks);
      const { body, headers } = delivery();
      const chunked = {
        ...headers,
        "transfer-encoding": "chunked",
        trailer: "x-service-signature",
      };
      const outgoing = request(site.url, { method: "POST", headers: chunked });
      outgoing.addTrailers({ "x-service-signature": "0".repeat(64) });
      outgoing.end(body);
      const [answer] = await once(outgoing, "response");
      expect(answer.resume().statusCode).toBe(200);
      expect(handler).toHaveBeenCalledOnce();
    });

    it("a GET is answered with 405", async () => {
      const { webhooks, onError } = watched();
      await using site = await serve(webhooks);
      const response = await fetch(site.url);
      expect([response.status, await response.text()]).toEqual([405, ""]);
      expect(response.headers.get("allow")).toBe("POST");
      expect(onError).not.toHaveBeenCalled();
    });

    it("an unknown event is answered with 200", async () => {
      const { webhooks, handler } = watched();
      await using site = await serve(webhooks);
      const event = { event: "invoice.settled", data: { number: 7 } };
      expect((await post(site.url, delivery({ body: JSON.stringify(event) }))).status).toBe(200);
      expect(handler).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
    });

    it("a handler that throws is answered with 500, and its error reaches onError", async () => {
      const { webhooks, handler, onError } = watched();
      await using site = await serve(webhooks);
      const failure = new Error("the database is down");
      handler.mockRejectedValueOnce(failure);
      const response = await post(site.url);
      expect([response.status, await response.text()]).toEqual([500, ""]);
      expect(onError).toHaveBeenCalledExactlyOnceWith(
        failure,
        expect.objectContaining(paymentUpdated),
      );
      expect((await post(site.url)).status).toBe(200);
    });

    it("two deliveries are handled at once", async () => {
      const { webhooks, handler } = watched();
      await using site = await serve(webhooks);
      const both = Promise.withResolvers<void>();
      handler.mockImplementation(() => {
        if (handler.mock.calls.length === 2) both.resolve();
        return both.promise;
      });
      const orders = ["order_1", "order_2"];
      const responses = await Promise.all(
        orders.map((orderId) => {
          const event = { event: "payment.updated", data: { status: "completed", orderId } };
          return post(site.url, delivery({ body: JSON.stringify(event) }));
        }),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      expect(handler.mock.calls.map(([{ data }]) => data.orderId).toSorted()).toEqual(orders);
    });

    it("a client that disconnects halfway causes no error", async () => {
      const { webhooks, handler, onError } = watched();
      await using site = await serve(webhooks);
      const arrived = once(site.server, "request");
      const left = new Promise((resolve) => {
        site.server.once("connection", (socket) => socket.once("close", resolve));
      });
      const socket = connect(site.port, "127.0.0.1").on("error", () => undefined);
      socket.write(`${head(900)}half`);
      await arrived;
      await new Promise(setImmediate);
      socket.resetAndDestroy();
      await left;
      await new Promise(setImmediate);
      expect(handler).not.toHaveBeenCalled();
      expect(onError).not.toHaveBeenCalled();
      expect((await post(site.url)).status).toBe(200);
      expect(handler).toHaveBeenCalledOnce();
    });
  },
);
