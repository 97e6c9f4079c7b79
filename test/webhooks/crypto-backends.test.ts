import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { nodeModule } from "../../src/values.ts";
import {
  ConfigurationError,
  signWebhook,
  type WebhookInput,
  type Webhooks,
} from "../../src/webhooks/index.ts";
import { delivery, receiver, secret, webCryptoReceiver } from "./deliveries.ts";

const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 200 });
const body = fc.oneof(
  fc.string({ unit: "binary" }),
  bytes(0),
  fc.json(),
  fc
    .tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()))
    .map(([event, data]) => JSON.stringify({ event, data })),
);
const timestampText = fc.constantFrom(
  "1700000000",
  "1700000000000",
  "2023-11-14T22:13:20Z",
  "1",
  "abc",
);

/** A delivery that is valid, or wrong in one respect. */
const anyDelivery = fc
  .record({
    key: bytes(1),
    body,
    timestampText,
    spoil: fc.constantFrom("nothing", "signature", "body", "timestamp", "case"),
  })
  .map(({ key, body, timestampText, spoil }) => {
    const right = delivery({ key, body: Buffer.from(body), timestampText });
    const headers = { ...right.headers };
    const signature = headers["x-service-signature"] ?? "";
    if (spoil === "signature") headers["x-service-signature"] = signature.replace(/./, "f");
    if (spoil === "case") headers["x-service-signature"] = signature.toUpperCase();
    if (spoil === "timestamp") headers["x-service-timestamp"] = "1700000001";
    return { key, input: { body: spoil === "body" ? Buffer.from("{}") : body, headers } };
  });

const outcome = async (webhooks: Webhooks, input: WebhookInput) => {
  const result = await webhooks.safeVerify(input);
  if (!result.ok) return result;
  const { event, data, timestamp, secretIndex, deliveryKey, rawBody } = result.webhook;
  return { event, data, timestamp, secretIndex, deliveryKey, rawBody };
};

describe("node:crypto and WebCrypto", () => {
  it("agree on every delivery, accepted or refused", async () => {
    const seen = new Set<unknown>();
    const property = fc.asyncProperty(anyDelivery, bytes(1), async ({ key, input }, other) => {
      const options = { secret: [other, key] };
      const [node, web] = await Promise.all([
        outcome(receiver(options), input),
        outcome(webCryptoReceiver(options), input),
      ]);
      seen.add("reason" in node ? node.reason : "accepted");
      expect(web).toEqual(node);
    });
    await fc.assert(property, { numRuns: 300 });
    for (const each of ["accepted", "signature_mismatch", "invalid_event", "invalid_json"]) {
      expect(seen).toContain(each);
    }
  });

  it("agree on text and its bytes", async () => {
    const property = fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const { headers } = delivery({ body: text });
      const results = await Promise.all(
        [receiver(), webCryptoReceiver()].flatMap((webhooks) => [
          outcome(webhooks, { body: text, headers }),
          outcome(webhooks, { body: new TextEncoder().encode(text), headers }),
        ]),
      );
      for (const result of results) expect(result).toEqual(results[0]);
    });
    await fc.assert(property);
  });
});

describe("a platform without node:crypto", () => {
  const edgeRuntime = {
    getBuiltinModule() {
      throw new Error("A Node.js API is used (process.getBuiltinModule) which is not supported.");
    },
  };

  it.each([
    ["no process", undefined],
    ["a process without getBuiltinModule", {}],
    ["a getBuiltinModule that does not have node:crypto", { getBuiltinModule: () => undefined }],
    ["a getBuiltinModule that throws, as in the Edge Runtime of Next.js", edgeRuntime],
  ])("is recognised by %s", (_, platform) => {
    vi.stubGlobal("process", platform);
    try {
      expect(nodeModule("node:crypto")).toBeUndefined();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("can verify webhooks even if functions of process throw", async () => {
    vi.stubGlobal("process", edgeRuntime);
    try {
      expect(await receiver().safeVerify(delivery())).toMatchObject({ ok: true });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("has verify, which the error of verifySync recommends", async () => {
    const webhooks = webCryptoReceiver();
    expect(await webhooks.safeVerify(delivery())).toMatchObject({ ok: true });
    expect(() => webhooks.verifySync(delivery())).toThrow(ConfigurationError);
    expect(() => webhooks.verifySync(delivery())).toThrow(/Or use verify/);
  });

  it("gets an error from signWebhook that says where it works", () => {
    const platform = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    try {
      expect(() => signWebhook({ body: "{}", secret })).toThrow(
        "signWebhook needs node:crypto. Use it on a server.",
      );
    } finally {
      platform.mockRestore();
    }
  });

  it("and without WebCrypto gets an error from verify that says what is needed", async () => {
    const webhooks = webCryptoReceiver();
    vi.stubGlobal("crypto", {});
    try {
      await expect(webhooks.verify(delivery())).rejects.toThrow(
        "Webhooks need node:crypto or WebCrypto. Use them on a server.",
      );
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
