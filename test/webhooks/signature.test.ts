import { describe, expect, it } from "vitest";
import { delivery, receiver, refusal, timestamp, webCryptoReceiver } from "./deliveries.ts";

const webhooks = receiver();
const valid = delivery();
const hex = valid.headers["x-service-signature"] ?? "";

const withSignature = (signature: string) => ({
  body: valid.body,
  headers: { ...valid.headers, "x-service-signature": signature },
});

describe("a signature", () => {
  it.each([
    ["in lower case", hex],
    ["in upper case", hex.toUpperCase()],
    ["in mixed case", hex.replace(/[a-f]/, (digit) => digit.toUpperCase())],
  ])("of 64 hex digits %s is accepted", (_, signature) => {
    expect(refusal(webhooks, withSignature(signature))).toBeUndefined();
  });

  it.each([
    ["one digit short", hex.slice(1)],
    ["one digit long", `${hex}0`],
    ["with junk after it", `${hex}zz`],
    ["with junk in its place", `${hex.slice(0, 62)}zz`],
    ["with a line break after it", `${hex}\n`],
    ["with white space before it", ` ${hex}`],
    ["with white space in it", `${hex.slice(0, 63)} `],
    ["with a prefix", `sha256=${hex}`],
    ["with 0x before it", `0x${hex.slice(2)}`],
    ["with separators", hex.replace(/../g, "$&:").slice(0, 64)],
    ["with a sign", `-${hex.slice(1)}`],
    ["in base64", Buffer.from(hex, "hex").toString("base64")],
    ["64 characters beyond ASCII", "é".repeat(64)],
    ["64 full-width digits", "０".repeat(64)],
    ["of characters whose low byte is a digit", "\u0130".repeat(64)],
    ["of control characters", "\u0010".repeat(64)],
    ["of the characters next to the digits", "/:@G`g".repeat(11).slice(0, 64)],
    ["very long", "a".repeat(100_000)],
  ])("is malformed: %s", (_, signature) => {
    expect(refusal(webhooks, withSignature(signature))).toBe("malformed_signature");
  });

  it("of 64 equal characters is malformed unless they are hex digits", () => {
    for (let code = 0; code < 0x200; code++) {
      const character = String.fromCharCode(code);
      const reason = refusal(webhooks, withSignature(character.repeat(64)));
      const isHex = /^[0-9a-fA-F]$/.test(character);
      const expected = isHex ? "signature_mismatch" : "malformed_signature";
      expect(reason, `character ${code}`).toBe(expected);
    }
  });

  it("counts as missing if it is absent or empty", () => {
    const { "x-service-signature": _, ...rest } = valid.headers;
    expect(refusal(webhooks, { body: valid.body, headers: rest })).toBe("missing_signature");
    expect(refusal(webhooks, withSignature(""))).toBe("missing_signature");
  });
});

describe("verification", () => {
  const flipped = (bytes: Uint8Array, bit: number) => {
    const copy = Uint8Array.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  };

  it("refuses a body with any single bit changed", () => {
    const bytes = Buffer.from(valid.body);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const input = { body: flipped(bytes, bit), headers: valid.headers };
      expect(refusal(webhooks, input), `bit ${bit}`).toBe("signature_mismatch");
    }
  });

  it("refuses a signature with any single bit changed", () => {
    const bytes = Buffer.from(hex, "hex");
    for (let bit = 0; bit < 256; bit++) {
      const signature = Buffer.from(flipped(bytes, bit)).toString("hex");
      expect(refusal(webhooks, withSignature(signature)), `bit ${bit}`).toBe("signature_mismatch");
    }
  });

  it("refuses a timestamp with any single bit changed", () => {
    const patient = receiver({ toleranceSeconds: Number.POSITIVE_INFINITY });
    const bytes = Buffer.from(timestamp);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const text = Buffer.from(flipped(bytes, bit)).toString("latin1");
      const headers = { ...valid.headers, "x-service-timestamp": text };
      const reason = refusal(patient, { body: valid.body, headers });
      const expected = /^\d+(\.\d+)?$/.test(text) ? "signature_mismatch" : "malformed_timestamp";
      expect(reason, `bit ${bit}`).toBe(expected);
    }
  });

  it("refuses bytes added to or taken from either end of the body", () => {
    for (const body of [`${valid.body}\n`, ` ${valid.body}`, valid.body.slice(1), ""]) {
      expect(refusal(webhooks, { body, headers: valid.headers })).toBe("signature_mismatch");
    }
  });

  it("refuses a moved dot between timestamp and body, because an object never starts with a digit", () => {
    const patient = receiver({ toleranceSeconds: Number.POSITIVE_INFINITY });
    const { headers } = delivery({ body: "12.34", timestampText: "1700000000" });
    const moved = (timestampText: string, body: string) =>
      refusal(patient, { body, headers: { ...headers, "x-service-timestamp": timestampText } });
    // The signature matches, because the signed bytes are the same.
    expect(moved("1700000000.12", "34")).toBe("invalid_event");
    expect(moved("17000000", "00.12.34")).toBe("signature_mismatch");
  });

  it("refuses the same changes with WebCrypto", async () => {
    const web = webCryptoReceiver();
    const inputs = [
      { body: `${valid.body}\n`, headers: valid.headers },
      withSignature(`${hex.startsWith("0") ? "1" : "0"}${hex.slice(1)}`),
      { ...valid, headers: { ...valid.headers, "x-service-timestamp": "1700000001" } },
    ];
    for (const input of inputs) {
      expect(await web.safeVerify(input)).toMatchObject({ reason: "signature_mismatch" });
    }
  });
});
