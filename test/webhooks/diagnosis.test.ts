import { afterEach, describe, expect, it, vi } from "vitest";
import { suspicions } from "../../src/webhooks/diagnosis.ts";
import { headerNamesFor, readClaims } from "../../src/webhooks/headers.ts";
import type { WebhooksOptions } from "../../src/webhooks/index.ts";
import { delivery, hmacHex, receiver, secret, webCryptoReceiver } from "./deliveries.ts";

const fact = "No configured secret matches the signature. ";
const general =
  "Check that the endpoint's webhook secret belongs to this environment, and that the body is unchanged.";

/** The cause of a mismatch, from the message. */
async function cause(
  input: { body: string | Uint8Array; headers: Record<string, string> },
  options: WebhooksOptions = {},
): Promise<string> {
  const [node, web] = await Promise.all([
    receiver(options).safeVerify(input),
    webCryptoReceiver(options).safeVerify(input),
  ]);
  expect(web).toEqual(node);
  expect(node).toMatchObject({ ok: false, reason: "signature_mismatch" });
  const { message } = node as { message: string };
  expect(message.startsWith(fact)).toBe(true);
  return message.slice(fact.length);
}

/** A delivery whose body was changed after it was signed. */
const changed = (sent: string | Uint8Array, arrived: string | Uint8Array) => ({
  ...delivery({ body: sent }),
  body: arrived,
});

afterEach(() => vi.unstubAllEnvs());

describe("a mismatch after a change to the body", () => {
  const data = { text: 'a, "b":\n {', none: "", list: [1, [], {}] };
  const value = { event: "payment.updated", data };
  const compact = JSON.stringify(value);
  const spaced = compact.replace('","data":{"text":', '", "data": {"text": ');
  const withSpaces =
    '{"event": "payment.updated", "data": {"text": "a, \\"b\\":\\n {", "none": "", "list": [1, [], {}]}}';

  it.each<[string, string, string]>([
    ["compact JSON that was indented", compact, JSON.stringify(value, null, 2)],
    ["compact JSON that was indented by tabs", compact, JSON.stringify(value, null, "\t")],
  ])("names its cause: %s", async (_, sent, arrived) => {
    expect(await cause(changed(sent, arrived))).toBe(
      "It matches as compact JSON. Pass the bytes received, not JSON.stringify(request.body).",
    );
  });

  it("names its cause: JSON with spaces that was parsed and serialised again", async () => {
    expect(JSON.parse(withSpaces)).toEqual(value);
    expect(await cause(changed(withSpaces, compact))).toContain("It matches as JSON with spaces.");
  });

  it.each<[string, string, string, string]>([
    ["a byte order mark that was lost", `\uFEFF${spaced}`, spaced, "with a byte order mark"],
    ["a byte order mark that was added", spaced, `\uFEFF${spaced}`, "without its byte order mark"],
    ["a line break that was lost", `${spaced}\n`, spaced, "with a line break after it"],
    ["a CRLF that was lost", `${spaced}\r\n`, spaced, "with a line break after it"],
    ["a line break that was added", spaced, `${spaced}\n`, "without the white space after it"],
    ["a CRLF that was added", spaced, `${spaced}\r\n`, "without the white space after it"],
    ["one after compact JSON", compact, `${compact}\n`, "without the white space after it"],
    [
      "one after JSON with spaces",
      withSpaces,
      `${withSpaces}\n`,
      "without the white space after it",
    ],
  ])("names its cause: %s", async (_, sent, arrived, what) => {
    expect(await cause(changed(sent, arrived))).toContain(`It matches ${what}.`);
    const bytes = changed(Buffer.from(sent), Buffer.from(arrived));
    expect(await cause(bytes)).toContain(`It matches ${what}.`);
  });

  it("names its cause: a body that is empty because something else read it", async () => {
    expect(await cause(changed(compact, ""))).toBe(
      "The body is empty: verify before anything else reads it.",
    );
  });
});

describe("a mismatch because of the secret", () => {
  it.each([` ${secret}`, `${secret}\n`, `"${secret}"`, `'${secret}' `])(
    "names white space or quotes around the secret, as in %j",
    async (configured) => {
      expect(await cause(delivery(), { secret: configured })).toBe(
        "It matches without the white space or quotes around the secret.",
      );
    },
  );

  it("names no cause if the secret is nothing but white space", async () => {
    expect(await cause(delivery(), { secret: " \n" })).toBe(general);
  });

  it("names SETTLEKIT_WEBHOOK_SECRET if that one matches", async () => {
    vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", secret);
    expect(await cause(delivery(), { secret: "of the testnet" })).toBe(
      "It matches with SETTLEKIT_WEBHOOK_SECRET. The secret option may be for another environment.",
    );
  });

  it("names the cause in the second of two secrets", async () => {
    expect(await cause(delivery(), { secret: ["new", ` ${secret}`] })).toContain(
      "quotes around the secret",
    );
  });
});

describe("a mismatch because of what the sender signed", () => {
  const misSigned = (signed: string, sent: string) => {
    const { body, headers } = delivery({ timestampText: signed });
    return { body, headers: { ...headers, "x-service-timestamp": sent } };
  };

  it.each([
    ["a timestamp in milliseconds", misSigned("1700000000000", "1700000000")],
    ["a timestamp in seconds", misSigned("1700000000", "1700000000000")],
    ["a timestamp in seconds", misSigned("1700000000", "2023-11-14T22:13:20.500Z")],
  ])("names %s if another one was sent", async (what, input) => {
    expect(await cause(input)).toBe(
      `It matches with ${what}. Sign the timestamp header's exact text, a dot and the body.`,
    );
  });

  it("names a missing timestamp if only the body was signed", async () => {
    const { body, headers } = delivery();
    const signature = hmacHex(secret, body);
    const input = { body, headers: { ...headers, "x-service-signature": signature } };
    expect(await cause(input)).toContain("It matches with no timestamp.");
  });
});

describe("a mismatch without a known cause", () => {
  it("says what to check", async () => {
    expect(await cause(delivery({ key: "of another environment" }))).toBe(general);
    expect(await cause(delivery({ key: "other", body: "no JSON" }))).toBe(general);
  });

  it("includes one whose body is nested too deeply to be serialised again", async () => {
    const deep = `${"[".repeat(8000)}${"]".repeat(8000)}`;
    expect(await cause(delivery({ key: "other", body: deep }))).toBe(general);
  });
});

/** The shortest of many times in milliseconds, so that other load on the machine does not count. */
function fastest(run: () => void): number {
  const times = Array.from({ length: 200 }, () => {
    const begin = performance.now();
    run();
    return performance.now() - begin;
  });
  return Math.min(...times);
}

describe("the search for causes", () => {
  const reserialised = changed('{"event": "a", "data": {}}', '{"event":"a","data":{}}');
  const tried = (body: string | Uint8Array, secrets = 1) => {
    const claims = readClaims(delivery().headers, headerNamesFor("X-Service"));
    const keys = Array.from({ length: secrets }, (_, index) => new Uint8Array([65 + index]));
    return suspicions({ ...claims, body }, keys);
  };

  it.each([
    ["node:crypto", receiver],
    ["WebCrypto", webCryptoReceiver],
  ])("needs no option, with %s", async (_, create) => {
    expect(await create().safeVerify(reserialised)).toMatchObject({
      message: expect.stringContaining("It matches as JSON with spaces."),
    });
  });

  it("tries a bounded number of signatures, however many secrets there are", () => {
    const { body } = reserialised;
    expect(tried(body).length).toBeGreaterThan(10);
    expect(tried(body, 2).length).toBeLessThanOrEqual(30);
    expect(tried(body, 50)).toHaveLength(tried(body, 2).length);
  });

  it("skips large bodies", () => {
    expect(tried(JSON.stringify("x".repeat(4094)))).not.toEqual([]);
    expect(tried(JSON.stringify("x".repeat(4095)))).toEqual([]);
  });

  it.each([1, 500, 1000, 2000])("serialises little for a body nested %i deep", (depth) => {
    const zeros = "0,".repeat(2047 - depth);
    const body = `${"[".repeat(depth)}${zeros}0${"]".repeat(depth)}`;
    expect(body.length).toBe(4095);
    const length = tried(body, 2).reduce((sum, suspicion) => sum + suspicion.body.length, 0);
    expect(length).toBeLessThan(4096 * 30);
  });

  it("takes less than ten times as long as the signatures that it tries, about a millisecond", () => {
    vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", "of another environment");
    const zeros = JSON.stringify({ event: "a", data: { zeros: Array(2000).fill(0) } });
    const forged = delivery({ key: "forged", body: zeros });
    const webhooks = receiver({ secret: ["new", "old"] });
    const signatures = tried(zeros, 2).length;
    expect(signatures).toBeGreaterThan(20);
    const floorMs = fastest(() => {
      for (let index = 0; index < signatures; index++) hmacHex("forged", zeros);
    });
    const ms = fastest(() => expect(() => webhooks.verifySync(forged)).toThrow(general));
    expect(ms / floorMs).toBeLessThan(10);
  });

  it("never leads to acceptance", async () => {
    const handler = vi.fn();
    const webhooks = receiver({ secret: ` ${secret}` }).on("*", handler);
    const { body, headers } = delivery();
    const request = new Request("https://shop.example", { method: "POST", body, headers });
    const response = await webhooks.fetchHandler()(request);
    expect([response.status, await response.text()]).toEqual([401, ""]);
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

  it("is complete when verifySync throws", () => {
    const verify = () => receiver().verifySync(reserialised);
    expect(verify).toThrow(`${fact}It matches as JSON with spaces.`);
  });
});
