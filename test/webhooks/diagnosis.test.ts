import { afterEach, describe, expect, it, vi } from "vitest";
import type { WebhooksOptions } from "../../src/webhooks/index.ts";
import { delivery, hmacHex, receiver, secret, webCryptoReceiver } from "./deliveries.ts";

const onError = () => undefined;
const fact = "No configured secret matches the signature. ";
const general =
  "Check that the endpoint's webhook secret belongs to this environment, and that the body is handed over exactly as received.";

/** The message of a mismatch, for a receiver that asked for causes. */
async function cause(
  input: { body: string | Uint8Array; headers: Record<string, string> },
  options: WebhooksOptions = {},
): Promise<string> {
  const [node, web] = await Promise.all([
    receiver({ onError, ...options }).safeVerify(input),
    webCryptoReceiver({ onError, ...options }).safeVerify(input),
  ]);
  expect(web).toEqual(node);
  expect(node).toMatchObject({ ok: false, reason: "signature_mismatch" });
  const { message } = node as { message: string };
  expect(message.startsWith(fact)).toBe(true);
  return message.slice(fact.length);
}

/** What arrives when the body was changed after it was signed. */
const changed = (sent: string | Uint8Array, arrived: string | Uint8Array) => ({
  ...delivery({ body: sent }),
  body: arrived,
});

afterEach(() => vi.unstubAllEnvs());

describe("the cause of a mismatch is named when the body was changed on its way:", () => {
  const value = { event: "payment.updated", data: { text: 'a, "b":\n {', list: [1, [], {}] } };
  const compact = JSON.stringify(value);
  const spaced = compact.replace('","data":{"text":', '", "data": {"text": ');

  it.each<[string, string, string]>([
    ["compact JSON that was indented", compact, JSON.stringify(value, null, 2)],
    ["compact JSON that was indented by tabs", compact, JSON.stringify(value, null, "\t")],
  ])("%s", async (_, sent, arrived) => {
    expect(await cause(changed(sent, arrived))).toBe(
      "The body was changed on its way: as compact JSON it matches. Hand over the bytes that were received, not JSON.stringify(request.body).",
    );
  });

  it.each<[string, string]>([
    ["indented by 2", JSON.stringify(value, null, 2)],
    ["indented by 4", JSON.stringify(value, null, 4)],
    [
      "on one line with spaces",
      '{"event": "payment.updated", "data": {"text": "a, \\"b\\":\\n {", "list": [1, [], {}]}}',
    ],
  ])("JSON %s that was parsed and written again", async (form, sent) => {
    expect(JSON.parse(sent)).toEqual(value);
    expect(await cause(changed(sent, compact))).toContain(`as JSON ${form} it matches`);
  });

  it.each<[string, string, string, string]>([
    ["a byte order mark that was lost", `\uFEFF${spaced}`, spaced, "with a byte order mark"],
    [
      "a byte order mark that was put before it",
      spaced,
      `\uFEFF${spaced}`,
      "without the byte order mark",
    ],
    ["a line break that was lost", `${spaced}\n`, spaced, "with a line break at its end"],
    ["a CRLF that was lost", `${spaced}\r\n`, spaced, "with a line break at its end"],
    [
      "a line break that was put after it",
      spaced,
      `${spaced}\n`,
      "without the white space at its end",
    ],
    ["a CRLF that was put after it", spaced, `${spaced}\r\n`, "without the white space at its end"],
  ])("%s", async (_, sent, arrived, what) => {
    expect(await cause(changed(sent, arrived))).toContain(`${what} it matches`);
    const bytes = changed(Buffer.from(sent), Buffer.from(arrived));
    expect(await cause(bytes)).toContain(`${what} it matches`);
  });

  it("it was read by something else and is empty", async () => {
    expect(await cause(changed(compact, ""))).toBe(
      "The body is empty: verify before a body parser or anything else reads it.",
    );
  });

  it("it was decoded as another encoding", async () => {
    const sent = Buffer.from('{"event":"a","data":{"x":"é"}}', "latin1");
    const arrived = new TextDecoder().decode(sent);
    expect(await cause(changed(sent, arrived))).toBe(
      "The body was decoded wrongly before: hand over the bytes instead of text.",
    );
  });
});

describe("the cause of a mismatch is named when the secret is", () => {
  it.each([` ${secret}`, `${secret}\n`, `"${secret}"`, `'${secret}' `])(
    "in white space or quotes, as %j",
    async (configured) => {
      expect(await cause(delivery(), { secret: configured })).toBe(
        "It matches without the white space or quotes around the configured secret. Remove them.",
      );
    },
  );

  it("another one than the environment's, which matches", async () => {
    vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", secret);
    expect(await cause(delivery(), { secret: "of the testnet" })).toBe(
      "It matches the secret in SETTLEKIT_WEBHOOK_SECRET instead: the option secret holds another one, such as another environment's.",
    );
  });

  it("the second of two", async () => {
    expect(await cause(delivery(), { secret: ["new", ` ${secret}`] })).toContain("Remove them");
  });
});

describe("the cause of a mismatch is named when the sender signed", () => {
  const misSigned = (signed: string, sent: string) => {
    const { body, headers } = delivery({ timestampText: signed });
    return { body, headers: { ...headers, "x-service-timestamp": sent } };
  };

  it.each([
    ["a timestamp in milliseconds", misSigned("1700000000000", "1700000000")],
    ["a timestamp in seconds", misSigned("1700000000", "1700000000000")],
    ["a timestamp in seconds", misSigned("1700000000", "2023-11-14T22:13:20.500Z")],
  ])("%s and sent another one", async (what, input) => {
    expect(await cause(input)).toBe(
      `The sender signed ${what}, but has to sign the timestamp header's exact text, a dot and the body.`,
    );
  });

  it("the body alone", async () => {
    const { body, headers } = delivery();
    const signature = hmacHex(secret, body);
    const input = { body, headers: { ...headers, "x-service-signature": signature } };
    expect(await cause(input)).toContain("The sender signed the body alone");
  });
});

describe("a mismatch without a known cause", () => {
  it("says what to check", async () => {
    expect(await cause(delivery({ key: "of another environment" }))).toBe(general);
    expect(await cause(delivery({ key: "other", body: "no JSON" }))).toBe(general);
  });

  it("because the body is nested too deeply to be written again, is one too", async () => {
    const deep = `${"[".repeat(8000)}${"]".repeat(8000)}`;
    expect(await cause(delivery({ key: "other", body: deep }))).toBe(general);
  });
});

describe("the search for causes", () => {
  const verifications = () => vi.spyOn(crypto.subtle, "verify");
  const reserialised = changed('{"event": "a", "data": {}}', '{"event":"a","data":{}}');

  afterEach(() => vi.restoreAllMocks());

  it("is made only where somebody reads the result", async () => {
    const result = await receiver().safeVerify(reserialised);
    expect(result).toMatchObject({ message: fact + general });
  });

  it("costs a bounded number of signatures, however many secrets there are", async () => {
    const spy = verifications();
    const many = Array.from({ length: 50 }, (_, index) => `secret ${index}`);
    await receiver({ onError, secret: many }).safeVerify(reserialised);
    expect(spy.mock.calls.length).toBeGreaterThan(20);
    expect(spy.mock.calls.length).toBeLessThanOrEqual(60);
  });

  it("leaves large bodies alone", async () => {
    const spy = verifications();
    const large = delivery({ key: "forged", body: JSON.stringify({ x: "x".repeat(20_000) }) });
    await receiver({ onError }).safeVerify(large);
    expect(spy).not.toHaveBeenCalled();
  });

  it("never leads to acceptance", async () => {
    const handler = vi.fn();
    const webhooks = receiver({ onError, secret: ` ${secret}` }).on("*", handler);
    const { body, headers } = delivery();
    const request = new Request("https://shop.example", { method: "POST", body, headers });
    expect((await webhooks.fetchHandler()(request)).status).toBe(401);
    expect(handler).not.toHaveBeenCalled();
  });

  it("never prints a secret", async () => {
    vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", secret);
    for (const configured of [`"${secret}"`, "another_secret"]) {
      const message = await cause(delivery(), { secret: configured });
      expect(message).not.toContain(secret);
      expect(message).not.toContain("another_secret");
    }
  });

  it("gives the general advice where it cannot be made", async () => {
    vi.spyOn(crypto.subtle, "importKey").mockRejectedValue(new Error("out of order"));
    const result = await receiver({ onError }).safeVerify(reserialised);
    expect(result).toMatchObject({ message: fact + general });
  });
});

describe("verifySync, which cannot wait for the cause,", () => {
  it("throws the general advice and tells logger and onError the cause", async () => {
    const told = Promise.withResolvers<Error>();
    const logger = { warn: vi.fn(), error: vi.fn() };
    const webhooks = receiver({ logger, onError: (error) => told.resolve(error as Error) });
    const body = Buffer.from('{"event":"a","data":{}}');
    const { headers } = delivery({ body: '{"event": "a", "data": {}}' });
    expect(() => webhooks.verifySync({ body, headers })).toThrow(fact + general);
    body.fill(0);
    expect((await told.promise).message).toContain("as JSON on one line with spaces it matches");
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it("tells nothing of other refusals, which name their cause themselves", async () => {
    const reporter = vi.fn();
    const webhooks = receiver({ onError: reporter });
    expect(() => webhooks.verifySync(delivery({ timestampText: "1" }))).toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reporter).not.toHaveBeenCalled();
  });
});
