import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ConfigurationError,
  type WebhookSecrets,
  Webhooks,
  WebhookVerificationError,
} from "../../src/webhooks/index.ts";
import { delivery, now, receiver, refusal, secret, webCryptoReceiver } from "./deliveries.ts";

const variable = "SETTLEKIT_WEBHOOK_SECRET";
const notASecret =
  "The option secret must be a non-empty string or bytes, or a function that returns it. If it comes from an environment variable, check that the variable is set.";
const noSecret = "There is no webhook secret. Pass secret, or set SETTLEKIT_WEBHOOK_SECRET.";

afterEach(() => vi.unstubAllEnvs());

describe("a secret", () => {
  it.each<[string, string | Uint8Array]>([
    ["text beyond ASCII", "gehe\u00edm\u{1F511}"],
    ["text with a prefix, which is part of it", "whsec_c2VjcmV0"],
    ["text that looks like hex", "00ff"],
    ["text with white space around it", " secret\n"],
    ["one character", "s"],
    ["text longer than a block", "s".repeat(200)],
    ["bytes that are not text", new Uint8Array([0, 255, 128, 10])],
    ["a Buffer", Buffer.from("pooled")],
  ])("may be %s", async (_, key) => {
    const signed = delivery({ key });
    expect(refusal(receiver({ secret: key }), signed)).toBeUndefined();
    expect(await webCryptoReceiver({ secret: key }).safeVerify(signed)).toMatchObject({ ok: true });
    expect(refusal(receiver(), signed)).toBe("signature_mismatch");
  });

  it.each([
    ["empty text", ""],
    ["no bytes", new Uint8Array()],
    ["null", null],
    ["a number", 1],
    ["an object", {}],
    ["an empty list", []],
    ["a list with empty text", ["s", ""]],
    ["a list with a hole", ["s", undefined]],
    ["a list in a list", [["s"]]],
  ])("cannot be %s, even with one in the environment", (_, given) => {
    vi.stubEnv(variable, secret);
    const construct = () => new Webhooks({ secret: given as WebhookSecrets });
    expect(construct).toThrow(ConfigurationError);
    expect(construct).toThrow(expect.objectContaining({ message: notASecret, param: "secret" }));
  });

  it("is copied, so that later changes to its bytes have no effect", async () => {
    const bytes = Buffer.from(secret);
    const webhooks = [receiver({ secret: bytes }), webCryptoReceiver({ secret: [bytes] })];
    bytes.fill(0);
    for (const each of webhooks) {
      expect(await each.safeVerify(delivery())).toMatchObject({ ok: true });
    }
  });
});

describe("a secret that is not in the options", () => {
  it("is read from the environment at construction", () => {
    vi.stubEnv(variable, secret);
    const webhooks = new Webhooks({ now });
    vi.stubEnv(variable, "changed afterwards");
    expect(refusal(webhooks, delivery())).toBeUndefined();
    vi.stubEnv(variable, secret);
    expect(refusal(new Webhooks({ now, secret: undefined }), delivery())).toBeUndefined();
  });

  it.each([undefined, ""])("and is %j in the environment fails the construction", (value) => {
    vi.stubEnv(variable, value);
    expect(() => new Webhooks()).toThrow(
      expect.objectContaining({ message: noSecret, param: "secret" }),
    );
  });

  it("fails the construction on a platform without an environment", () => {
    vi.stubGlobal("process", undefined);
    try {
      expect(() => new Webhooks()).toThrow(ConfigurationError);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("several secrets", () => {
  const old = delivery({ key: "old" });
  const fresh = delivery({ key: "new" });

  it.each([
    ["node:crypto", receiver({ secret: ["new", "old"] })],
    ["WebCrypto", webCryptoReceiver({ secret: ["new", "old"] })],
  ])("are all accepted, and secretIndex says which one matched, with %s", async (_, webhooks) => {
    expect((await webhooks.verify(fresh)).secretIndex).toBe(0);
    expect((await webhooks.verify(old)).secretIndex).toBe(1);
    const neither = await webhooks.safeVerify(delivery({ key: "other" }));
    expect(neither).toMatchObject({ reason: "signature_mismatch" });
  });

  it("that are equal report the index of the first", async () => {
    expect(receiver({ secret: ["new", "new"] }).verifySync(fresh).secretIndex).toBe(0);
    expect((await webCryptoReceiver({ secret: ["new", "new"] }).verify(fresh)).secretIndex).toBe(0);
  });

  it("are all tried, even if the first one matches", () => {
    const crypto = process.getBuiltinModule("node:crypto");
    const compare = vi.fn(crypto.timingSafeEqual);
    const platform = vi
      .spyOn(process, "getBuiltinModule")
      .mockReturnValue({ ...crypto, timingSafeEqual: compare } as never);
    const webhooks = receiver({ secret: ["new", "old", "older"] });
    platform.mockRestore();
    for (const signed of [fresh, old]) {
      compare.mockClear();
      webhooks.verifySync(signed);
      expect(compare).toHaveBeenCalledTimes(3);
    }
  });
});

describe("a secret function", () => {
  it.each<[string, () => WebhookSecrets | Promise<WebhookSecrets>]>([
    ["text", () => secret],
    ["a promise of text", async () => secret],
    ["a promise of several", async () => ["other", Buffer.from(secret)]],
  ])("may return %s", async (_, provider) => {
    for (const webhooks of [
      receiver({ secret: provider }),
      webCryptoReceiver({ secret: provider }),
    ]) {
      expect(await webhooks.verify(delivery())).toMatchObject({ event: "payment.updated" });
    }
  });

  it("is called for each delivery, except those with malformed headers", async () => {
    const provider = vi.fn(() => secret);
    const webhooks = receiver({ secret: provider });
    expect(provider).not.toHaveBeenCalled();
    await webhooks.safeVerify({ body: "{}", headers: {} });
    expect(provider).not.toHaveBeenCalled();
    await webhooks.verify(delivery());
    await webhooks.verify(delivery());
    expect(provider).toHaveBeenCalledTimes(2);
  });

  it("is refused by verifySync, which cannot await it", () => {
    expect(() => receiver({ secret: () => secret }).verifySync(delivery())).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        message:
          "The option secret must be a string or bytes for verifySync, which also needs node:crypto. Or use verify.",
      }),
    );
  });

  it.each([undefined, "", null, []])(
    "that returns %j causes an error for any delivery",
    async (given) => {
      const webhooks = receiver({ secret: () => given as WebhookSecrets });
      const forged = delivery({ key: "any" });
      await expect(webhooks.verify(forged)).rejects.toThrow(notASecret);
      await expect(webhooks.safeVerify(forged)).rejects.toThrow(ConfigurationError);
    },
  );

  it("that rejects makes verification reject with the same error", async () => {
    const failure = new Error("the store is down");
    const webhooks = receiver({ secret: () => Promise.reject(failure) });
    await expect(webhooks.verify(delivery())).rejects.toBe(failure);
    await expect(webhooks.safeVerify(delivery())).rejects.toBe(failure);
  });
});

describe("a configured secret", () => {
  const shown = (value: unknown) =>
    [
      inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? value.stack : "",
    ].join("\n");

  /** The secret as text and as printed bytes. */
  const forms = [secret, [...Buffer.from(secret)].join(","), Buffer.from(secret).toString("hex")];
  const isHidden = (value: unknown) => {
    const text = shown(value).replace(/\s/g, "");
    return forms.every((form) => !text.includes(form));
  };
  const expectHidden = (value: unknown) => expect(value).toSatisfy(isHidden);

  it.each([
    ["with text", receiver()],
    ["with bytes", receiver({ secret: Buffer.from(secret) })],
    ["with WebCrypto", webCryptoReceiver()],
    ["with a function", receiver({ secret: async () => secret })],
  ])("does not show in a Webhooks %s, or in its results and errors", async (_, webhooks) => {
    expectHidden(webhooks);
    expectHidden(await webhooks.verify(delivery()));
    for (const input of [
      delivery({ key: "other" }),
      delivery({ timestampText: "1" }),
      delivery({ body: "{" }),
      delivery({ body: "{}" }),
      { body: "", headers: {} },
      { body: {} as string, headers: {} },
    ]) {
      const error = await webhooks.verify(input).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WebhookVerificationError);
      expectHidden(error);
    }
  });

  it("does not show in the error for another option", () => {
    for (const options of [
      { secret: [secret, ""] },
      { secret: { [secret]: secret } as unknown as string },
      { secret, toleranceSeconds: -1 },
      { secret, headerPrefix: `${secret} ` },
    ]) {
      const construct = () => new Webhooks(options);
      expect(construct).toThrow(ConfigurationError);
      expect(construct).toThrow(expect.toSatisfy(isHidden));
    }
  });
});
