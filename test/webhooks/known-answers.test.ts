import nodeCrypto from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { nodeHmacHex, nodeSha256Hex, webMatches, webSha256Hex } from "../../src/webhooks/crypto.ts";
import { signWebhook } from "../../src/webhooks/index.ts";
import { receiver, refusal, webCryptoReceiver } from "./deliveries.ts";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
const ascii = (text: string) => new Uint8Array(Buffer.from(text, "ascii"));

describe("the service's scheme", () => {
  const body = '{"a":1}';
  const headers = {
    "X-Service-Signature": "ab7bd212df57f3ef4ea3c17d4a1a71d8981ef595d4cd699b62517c68d89192a2",
    "X-Service-Timestamp": "1700000000",
  };

  it("signs timestamp, dot and body with the secret's bytes", () => {
    expect(signWebhook({ body, secret: "s", timestamp: 1_700_000_000 }).headers).toMatchObject(
      headers,
    );
  });

  it.each([
    ["node:crypto", receiver({ secret: "s" })],
    ["WebCrypto", webCryptoReceiver({ secret: "s" })],
  ])("accepts the known signature with %s", async (_, webhooks) => {
    // The body is not an event, which is checked only after the signature.
    const refused = await webhooks.safeVerify({ body, headers });
    expect(refused).toMatchObject({ ok: false, reason: "invalid_event" });
  });

  it("rejects the signature with any other secret", () => {
    expect(refusal(receiver({ secret: "S" }), { body, headers })).toBe("signature_mismatch");
  });
});

describe("HMAC-SHA-256", () => {
  const longKey = new Uint8Array(131).fill(0xaa);
  const vectors: [name: string, key: Uint8Array, data: Uint8Array, digest: string][] = [
    [
      "test case 1",
      new Uint8Array(20).fill(0x0b),
      ascii("Hi There"),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ],
    [
      "test case 2, a key shorter than the digest",
      ascii("Jefe"),
      ascii("what do ya want for nothing?"),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ],
    [
      "test case 3, data longer than a block",
      new Uint8Array(20).fill(0xaa),
      new Uint8Array(50).fill(0xdd),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
    ],
    [
      "test case 4",
      bytes("0102030405060708090a0b0c0d0e0f10111213141516171819"),
      new Uint8Array(50).fill(0xcd),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
    [
      "test case 6, a key longer than a block",
      longKey,
      ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
    [
      "test case 7, key and data longer than a block",
      longKey,
      ascii(
        "This is a test using a larger than block-size key and a larger than block-size data. " +
          "The key needs to be hashed before being used by the HMAC algorithm.",
      ),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ],
  ];

  test.each(vectors)("matches RFC 4231 with node:crypto: %s", (_, key, data, digest) => {
    for (const cut of [0, 1, data.length]) {
      const start = Buffer.from(data.subarray(0, cut)).toString("latin1");
      // The start is text that is encoded as UTF-8, so only ASCII keeps its bytes.
      if (data.subarray(0, cut).some((byte) => byte > 0x7f)) continue;
      expect(nodeHmacHex(nodeCrypto, key, start, data.subarray(cut))).toBe(digest);
    }
  });

  test.each(vectors)("matches RFC 4231 with WebCrypto: %s", async (_, key, data, digest) => {
    const secret = new Uint8Array(key);
    const signed = { start: "", body: data };
    const wrong = digest.slice(0, -1) + (digest.endsWith("0") ? "1" : "0");
    expect(await webMatches(secret, { ...signed, signature: digest })).toBe(true);
    expect(await webMatches(secret, { ...signed, signature: wrong })).toBe(false);
  });
});

describe("SHA-256", () => {
  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("matches FIPS 180-2 for %j", async (text, digest) => {
    expect(nodeSha256Hex(nodeCrypto, text.slice(0, 1), text.slice(1))).toBe(digest);
    expect(await webSha256Hex(text.slice(0, 1), text.slice(1))).toBe(digest);
  });
});
