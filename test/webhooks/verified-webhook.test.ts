import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { delivery, receiver, signedAt, timestamp, webCryptoReceiver } from "./deliveries.ts";

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

describe("a verified webhook", () => {
  it("has the time of its signature, to the millisecond", () => {
    const webhooks = receiver();
    expect(webhooks.verifySync(delivery()).timestamp).toEqual(signedAt);
    const precise = delivery({ timestampText: "2023-11-14T22:13:20.123Z" });
    expect(webhooks.verifySync(precise).timestamp.toISOString()).toBe("2023-11-14T22:13:20.123Z");
  });

  it("prints and serialises its content without the raw bytes", () => {
    const webhook = receiver().verifySync(delivery());
    const { deliveryKey } = webhook;
    expect(JSON.parse(JSON.stringify(webhook))).toEqual({
      event: "payment.updated",
      data: { status: "completed", orderId: "order_1" },
      timestamp: "2023-11-14T22:13:20.000Z",
      deliveryKey,
      secretIndex: 0,
      hints: {},
    });
    expect(inspect(webhook)).not.toContain("Uint8Array");
  });

  it.each([
    ["node:crypto", receiver()],
    ["WebCrypto", webCryptoReceiver()],
  ])("does not hold on to the bytes that it was read from, with %s", async (_, webhooks) => {
    const verified = async () => {
      const body = Buffer.alloc(100_000, delivery().body.padEnd(100_000));
      return { webhook: await webhooks.verify(delivery({ body })), bytes: new WeakRef(body) };
    };
    const { webhook, bytes } = await verified();
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    await new Promise(setImmediate);
    collect();
    expect(bytes.deref()).toBeUndefined();
    expect(webhook.deliveryKey).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("the deliveryKey", () => {
  it.each([
    ["node:crypto", receiver()],
    ["WebCrypto", webCryptoReceiver()],
  ])("is the hash of timestamp, dot and raw body with %s", async (_, webhooks) => {
    const ascii = delivery();
    const key = sha256(`${timestamp}.${ascii.body}`);
    expect((await webhooks.verify(ascii)).deliveryKey).toBe(key);
    const marked = delivery({ body: Buffer.from(`\uFEFF{"event":"a","data":{"x":"€\u{1F600}"}}`) });
    const markedKey = sha256(Buffer.concat([Buffer.from(`${timestamp}.`), marked.body]));
    const webhook = await webhooks.verify(marked);
    expect(webhook.deliveryKey).toBe(markedKey);
    expect(webhook.deliveryKey).toBe(markedKey);
  });

  it("is the same for a replay, whatever its unsigned headers and the case of its signature", () => {
    const first = delivery();
    const signature = first.headers["x-service-signature"]?.toUpperCase() ?? "";
    const replay = { ...first, headers: { ...first.headers, "x-service-signature": signature } };
    const webhooks = receiver();
    expect(webhooks.verifySync({ ...replay, body: Buffer.from(first.body) }).deliveryKey).toBe(
      webhooks.verifySync(first).deliveryKey,
    );
  });

  it("differs when the same event is signed again", () => {
    const webhooks = receiver();
    const again = webhooks.verifySync(delivery({ timestampText: "1700000001" }));
    expect(again.deliveryKey).not.toBe(webhooks.verifySync(delivery()).deliveryKey);
  });
});
