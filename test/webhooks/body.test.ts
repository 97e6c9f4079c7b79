import { describe, expect, it } from "vitest";
import type { WebhookBody, WebhookInput } from "../../src/webhooks/index.ts";
import {
  delivery,
  paymentUpdated,
  receiver,
  refusal,
  secret,
  webCryptoReceiver,
} from "./deliveries.ts";

const { body, headers } = delivery();
const bytes = new TextEncoder().encode(body);
const refused = (given: unknown) => refusal(receiver(), { body: given as WebhookBody, headers });

/** The bytes in the middle of a larger buffer, as from a buffer pool. */
const pooled = (() => {
  const pool = new Uint8Array(bytes.length + 20).fill(0x7b);
  pool.set(bytes, 10);
  return pool.subarray(10, 10 + bytes.length);
})();

describe("the raw body", () => {
  it.each<[string, WebhookBody]>([
    ["text", body],
    ["a Uint8Array", bytes],
    ["a view into a larger pool", pooled],
    ["a Buffer", Buffer.from(body)],
    ["an ArrayBuffer", bytes.slice().buffer],
    ["a DataView", new DataView(pooled.buffer, 10, bytes.length) as unknown as Uint8Array],
  ])("may be %s", async (_, given) => {
    const webhook = receiver().verifySync({ body: given, headers });
    expect(webhook).toMatchObject(paymentUpdated);
    expect(webhook.rawBody).toEqual(bytes);
    expect(await webCryptoReceiver().verify({ body: given, headers })).toMatchObject(
      paymentUpdated,
    );
  });

  it.each([
    ["an object", JSON.parse(body)],
    ["an array", [1]],
    ["nothing", undefined],
    ["null", null],
    ["a number", 1],
    ["a stream", new Blob([body]).stream()],
  ])("cannot be %s", (_, given) => {
    expect(refused(given)).toBe("body_already_parsed");
  });

  it("is refused if it is already parsed, with the line to change in each framework", () => {
    expect(() => receiver().verifySync({ body: JSON.parse(body), headers })).toThrow(
      /^The body is of type object, not a string or bytes\. The signature covers its exact bytes: verify before .* Express: .*express\.json\(.* Next\.js: .*bodyParser: false.* NestJS: .*rawBody: true.* Koa: .* Fastify: .*fastifyWebhooks.* Hapi: .*parse: false.* Vercel functions: .*fetchHandler/,
    );
  });

  it("is reported as missing if there is none, with the way to read it", () => {
    const request = { headers, on: () => {} } as unknown as WebhookInput;
    expect(() => receiver().verifySync(request)).toThrow(
      /^There is no body\. Pass the raw bytes, or let nodeHandler\(\) read them\.$/,
    );
  });

  it("is copied, so that later changes to the caller's buffer have no effect", async () => {
    const vault = receiver({ secret: async () => secret });
    for (const webhooks of [receiver(), webCryptoReceiver(), vault]) {
      const buffer = Uint8Array.from(bytes);
      const pending = webhooks.verify({ body: buffer, headers });
      buffer.fill(0);
      const webhook = await pending;
      expect(webhook).toMatchObject(paymentUpdated);
      expect(webhook.rawBody).toEqual(bytes);
      expect(webhook.rawBody).toBe(webhook.rawBody);
    }
  });
});

describe("the verification of bytes before they are decoded", () => {
  const signedBytes = (...parts: (string | number[])[]) =>
    delivery({
      body: new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string)))),
    });

  it("includes a byte order mark in the signature, but not in the JSON", () => {
    const marked = signedBytes([0xef, 0xbb, 0xbf], body);
    const webhook = receiver().verifySync(marked);
    expect(webhook).toMatchObject(paymentUpdated);
    expect(webhook.rawBody).toEqual(marked.body);
    const unmarked = { ...marked, body: marked.body.subarray(3) };
    expect(refusal(receiver(), unmarked)).toBe("signature_mismatch");
    expect(refused(`\uFEFF${body}`)).toBe("signature_mismatch");
  });

  it.each([
    ["the byte 0xFF", [0xff]],
    ["half a character", [0xc3]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
  ])("rejects %s in a signed body as invalid JSON instead of reading U+FFFD", async (_, odd) => {
    const input = signedBytes('{"event":"a","data":{"x":"', odd, '"}}');
    expect(refusal(receiver(), input)).toBe("invalid_json");
    expect(await webCryptoReceiver().safeVerify(input)).toMatchObject({ reason: "invalid_json" });
  });

  it("distinguishes bytes that decode to the same text", () => {
    const replaced = delivery({ body: '{"event":"a","data":{"x":"\uFFFD"}}' });
    const odd = Buffer.from(replaced.body, "utf8")
      .toString("latin1")
      .replace("\xef\xbf\xbd", "\xff");
    const input = { body: Buffer.from(odd, "latin1"), headers: replaced.headers };
    expect(refusal(receiver(), replaced)).toBeUndefined();
    expect(refusal(receiver(), input)).toBe("signature_mismatch");
  });

  it("reads a lone surrogate in text as the U+FFFD that was signed", async () => {
    const given = delivery({ body: '{"event":"a","data":{"x":"\uD800"}}' });
    for (const webhooks of [receiver(), webCryptoReceiver()]) {
      const webhook = await webhooks.verify(given);
      expect(webhook.data).toEqual({ x: "\uFFFD" });
      expect(webhook.rawBody).toEqual(new TextEncoder().encode(given.body));
    }
  });
});

describe("a body's size", () => {
  const limited = receiver({ maxBodyBytes: 60 });
  const sized = (length: number, character = " ") =>
    delivery({ body: body.padEnd(length, character) });

  it("may be up to maxBodyBytes", () => {
    expect(body.length).toBeLessThan(90);
    const exact = receiver({ maxBodyBytes: 90 });
    expect(refusal(exact, sized(90))).toBeUndefined();
    expect(refusal(exact, sized(91))).toBe("body_too_large");
    expect(refusal(exact, { ...sized(91), body: Buffer.from(sized(91).body) })).toBe(
      "body_too_large",
    );
  });

  it("is counted in bytes, not in characters", () => {
    const text = `{"event":"a","data":{"x":"${"€".repeat(100)}"}}`;
    const length = Buffer.byteLength(text);
    expect(length).toBe(text.length + 200);
    const signed = delivery({ body: text });
    expect(refusal(receiver({ maxBodyBytes: length }), signed)).toBeUndefined();
    expect(refusal(receiver({ maxBodyBytes: length - 1 }), signed)).toBe("body_too_large");
  });

  it("that is too large is reported with the limit", () => {
    expect(() => limited.verifySync(sized(91))).toThrow(
      "The body is larger than maxBodyBytes, 60. Raise it if the service sent this.",
    );
  });

  it("may be up to a mebibyte by default", () => {
    expect(refusal(receiver(), sized(1_048_576))).toBeUndefined();
    expect(refusal(receiver(), sized(1_048_577))).toBe("body_too_large");
  });
});

describe("a Web Request", () => {
  const request = (init: RequestInit = {}) =>
    new Request("https://shop.example/", { method: "POST", headers, body, ...init });

  it("is read and verified", async () => {
    expect(await receiver().verify(request())).toMatchObject(paymentUpdated);
  });

  it("whose body was already read is refused with the cure", async () => {
    const read = request();
    await read.text();
    const locked = request();
    locked.body?.getReader();
    // As on platforms that unlock a body once it has been read.
    const unlocked = Object.defineProperty(request(), "bodyUsed", { value: true });
    for (const given of [read, locked, unlocked]) {
      expect(await receiver().safeVerify(given)).toEqual({
        ok: false,
        reason: "body_already_parsed",
        message: expect.stringMatching(
          /^The body was already read or parsed\. The signature covers its exact bytes: verify before anything else reads it\./,
        ),
      });
    }
  });

  it("without a body counts as one with an empty body", async () => {
    const { headers: emptyHeaders } = delivery({ body: "" });
    const empty = new Request("https://shop.example/", { method: "POST", headers: emptyHeaders });
    expect(await receiver().safeVerify(empty)).toMatchObject({ reason: "invalid_json" });
  });

  it("is read no further than maxBodyBytes", async () => {
    let pulls = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulls++;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const given = request({ body: endless, duplex: "half" } as RequestInit);
    const result = await receiver({ maxBodyBytes: 5000 }).safeVerify(given);
    expect(result).toMatchObject({ reason: "body_too_large" });
    expect(pulls).toBeLessThan(10);
  });

  it("that is too large may go on arriving, on platforms that enqueue without asking", async () => {
    const { promise: begun, resolve: begin } =
      Promise.withResolvers<ReadableStreamDefaultController>();
    const stream = new ReadableStream({ start: begin });
    const result = receiver({ maxBodyBytes: 5000 }).safeVerify(
      request({ body: stream, duplex: "half" } as RequestInit),
    );
    const controller = await begun;
    controller.enqueue(new Uint8Array(5001));
    expect(await result).toMatchObject({ reason: "body_too_large" });
    // As a listener of the request's data, it would end the process.
    expect(() => controller.enqueue(new Uint8Array(1000))).not.toThrow();
  });

  it("with malformed headers is refused unread", async () => {
    const unsigned = new Request("https://shop.example/", { method: "POST", body });
    expect(await receiver().safeVerify(unsigned)).toMatchObject({ reason: "missing_signature" });
    expect(unsigned.bodyUsed).toBe(false);
  });

  it("whose body breaks off is a signature mismatch", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error("reset")),
    });
    const given = request({ body: broken, duplex: "half" } as RequestInit);
    expect(await receiver().safeVerify(given)).toMatchObject({ reason: "signature_mismatch" });
  });
});
