import { once } from "node:events";
import type http from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { NodeHandler, NodeRequest } from "../../src/webhooks/index.ts";
import { delivery, paymentUpdated, receiver } from "./deliveries.ts";
import { exchange, head, listening, post, statusFor } from "./sites.ts";

describe("a body that other code handled first", () => {
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
  ])(
    "is answered with 500 when it was %s, and the log names the line to change",
    async (_, prepare) => {
      await using site = await prepared(prepare);
      expect((await post(site.url)).status).toBe(500);
      const [, details] = site.logger.error.mock.lastCall ?? [];
      expect(details.error).toMatchObject({
        reason: "body_already_parsed",
        message: expect.stringMatching(/express\.json\(\).*bodyParser: false.*rawBody: true.*Koa/),
      });
    },
  );

  it("is answered at once, before any of it arrives", async () => {
    await using site = await prepared((request) =>
      Object.assign(request, { body: paymentUpdated }),
    );
    expect(await exchange(site.port, head(1000))).toMatch(/^HTTP\/1\.1 500 /);
  });

  it("is not listed byte by byte when it was kept raw, which would block the process", async () => {
    const body = Buffer.from(delivery().body);
    const listKeys = vi.spyOn(Object, "keys");
    await using site = await prepared((request) => Object.assign(request, { body }));
    expect(await statusFor(site.port, head(1000))).toBe(200);
    expect(listKeys.mock.calls.filter(([listed]) => listed === body)).toEqual([]);
    listKeys.mockRestore();
  });

  it("is verified at once when it was kept in rawBody, whatever the stream still holds", async () => {
    const rawBody = Buffer.from(delivery().body);
    await using site = await prepared((request) => Object.assign(request, { rawBody }));
    expect(await statusFor(site.port, head(1000))).toBe(200);
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

  it("is read when the stream was paused", async () => {
    await using site = await prepared(async (request) => {
      request.pause();
      await new Promise(setImmediate);
    });
    expect((await post(site.url)).status).toBe(200);
  });

  it("is read from the copy that Next.js makes for its middleware", async () => {
    const event = { event: "a", data: { text: "x".repeat(200_000) } };
    await using site = await prepared(async (request) => {
      const copy = new PassThrough();
      for await (const chunk of request) copy.push(chunk);
      copy.push(null);
      // Next.js puts every property of the copy on the request, methods bound to the request.
      for (const key in copy) {
        const value: unknown = Reflect.get(copy, key);
        const property = typeof value === "function" ? value.bind(request) : value;
        Reflect.set(request, key, property);
      }
    });
    expect((await post(site.url, delivery({ body: JSON.stringify(event) }))).status).toBe(200);
  });

  it("is verified as bytes when the stream was set to decode text", async () => {
    await using site = await prepared((request) => request.setEncoding("utf8"));
    const input = delivery({ body: '{"event":"a","data":{"x":"€"}}' });
    expect((await post(site.url, input)).status).toBe(200);
  });

  it("counts as empty when the stream has ended without data", async () => {
    await using site = await prepared(async (request) => {
      request.resume();
      await once(request, "end");
    });
    expect((await post(site.url, delivery({ body: "" }))).status).toBe(400);
    expect(site.logger.warn.mock.lastCall?.[1]).toEqual({ reason: "invalid_json" });
  });

  it("counts as empty when it was kept as empty text", async () => {
    await using site = await prepared(async (request) => {
      await consume(request);
      Object.assign(request, { body: "" });
    });
    expect((await post(site.url, delivery({ body: "" }))).status).toBe(400);
  });
});
