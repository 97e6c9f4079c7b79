import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sandboxFrom, usualIdentity } from "../../src/cli/sandbox-options.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { type Answer, reset, scriptedServer } from "../scripted-server.ts";
import { settlekit } from "./command-line.ts";

const secretKey = "sk_test_kept_quiet";
const webhookSecret = "whsec_kept_quiet";
const emptyPage = {
  data: [],
  pagination: { total: 0, limit: 1, offset: 0, hasMore: false, totalPages: 0, currentPage: 1 },
};

/** The variables of a merchant whose testnet is at this URL. */
const testnetAt = (url: string) => ({
  SETTLEKIT_ENVIRONMENT: "testnet",
  SETTLEKIT_TESTNET_URL: url,
  SETTLEKIT_SECRET_KEY: secretKey,
  SETTLEKIT_WEBHOOK_SECRET: webhookSecret,
});

async function doctor(variables: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await settlekit(["doctor", "--json", ...args], variables);
  expect(stderr).toBe("");
  for (const secret of [secretKey, webhookSecret]) expect(stdout).not.toContain(secret);
  const lines = stdout.trimEnd().split("\n").filter(Boolean);
  const findings = lines.map((line) => JSON.parse(line));
  const find = (check: string) => findings.find((finding) => finding.check === check);
  return { code, findings, find };
}

describe("settlekit doctor", () => {
  test.each([
    ["production", "failure"],
    ["sandbox", "ok"],
  ])(
    "in %s, the sandbox's public webhook secret is a finding of level %s",
    async (environment, level) => {
      const { webhookSecret } = await sandboxFrom({ identity: usualIdentity });
      const { find } = await doctor({
        SETTLEKIT_ENVIRONMENT: environment,
        SETTLEKIT_WEBHOOK_SECRET: webhookSecret,
      });
      expect(find("webhookSecret")).toMatchObject({ level });
      expect(find("webhookSecret").message).not.toContain(webhookSecret);
    },
  );

  test("finds nothing wrong with a running sandbox", async () => {
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    const { code, findings } = await doctor({
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: server.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
    });
    expect(code).toBe(0);
    expect(findings.map(({ type, check, level }) => [type, check, level])).toEqual(
      [
        ...["environment", "baseUrl", "headerPrefix", "secretKey", "webhookSecret"],
        ...["reach", "clock", "call"],
      ].map((check) => ["finding", check, "ok"]),
    );
    // The doctor only reads.
    expect(sandbox.requests()).toMatchObject([
      { method: "GET", path: "/v1/external/secretkey-auth/payments?limit=1" },
    ]);
  });

  test("prints a line for each finding, with fact and cure", async () => {
    const { code, stdout, stderr } = await settlekit(["doctor"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^✓ The environment is production, because SETTLEKIT_ENVIRONMENT/),
      expect.stringMatching(/^✗ There is no base URL for "production", .* set SETTLEKIT_BASE_URL/),
      "✓ The service's own headers begin with X-Service.",
      expect.stringMatching(/^✗ There is no secret key\. .*SETTLEKIT_SECRET_KEY/),
      expect.stringMatching(/^! SETTLEKIT_WEBHOOK_SECRET is not set\. Set it/),
    ]);
  });

  test("reads variables from a file; variables that are set override them", async () => {
    await using service = await scriptedServer({ body: emptyPage });
    const folder = await mkdtemp(join(tmpdir(), "settlekit-doctor-"));
    const path = join(folder, ".env");
    const variables = { ...testnetAt(service.url), SETTLEKIT_ENVIRONMENT: "nowhere" };
    const text = Object.entries(variables).map(([name, value]) => `${name}="${value}"`);
    await writeFile(path, text.join("\n"));
    const { code } = await doctor({ SETTLEKIT_ENVIRONMENT: "testnet" }, "--dotenv", path);
    expect(code).toBe(0);
    await rm(folder, { recursive: true });
  });

  test("reads the first variable of a file that begins with a byte order mark", async () => {
    await using service = await scriptedServer({ body: emptyPage });
    const folder = await mkdtemp(join(tmpdir(), "settlekit-doctor-"));
    const path = join(folder, ".env");
    const text = Object.entries(testnetAt(service.url)).map(([name, value]) => `${name}=${value}`);
    await writeFile(path, `\ufeff${text.join("\r\n")}`);
    const { code, find } = await doctor({}, "--dotenv", path);
    expect(find("environment").message).toContain("The environment is testnet");
    expect(code).toBe(0);
    await rm(folder, { recursive: true });
  });

  test("refuses a file of variables in UTF-16, in which it would find none", async () => {
    const folder = await mkdtemp(join(tmpdir(), "settlekit-doctor-"));
    const path = join(folder, ".env");
    await writeFile(path, "\ufeffSETTLEKIT_ENVIRONMENT=testnet", "utf16le");
    const { code, stderr } = await settlekit(["doctor", "--dotenv", path]);
    expect(code).toBe(2);
    expect(stderr).toContain(".env is not in UTF-8.");
    await rm(folder, { recursive: true });
  });

  test.each([
    ["environment", { SETTLEKIT_ENVIRONMENT: "staging" }, 2, /no environment "staging"/],
    ["baseUrl", { SETTLEKIT_TESTNET_URL: "http://api.example" }, 2, /plain http/],
    ["headerPrefix", { SETTLEKIT_HEADER_PREFIX: "a b" }, 2, /^SETTLEKIT_HEADER_PREFIX must be/],
    ["secretKey", { SETTLEKIT_SECRET_KEY: "sk_production" }, 3, /production key/],
    ["secretKey", { SETTLEKIT_SECRET_KEY: `${secretKey} ` }, 3, /copy it again/],
    ["webhookSecret", { SETTLEKIT_WEBHOOK_SECRET: `"${webhookSecret}"` }, 2, /quotes around it/],
  ])("an invalid %s in %j makes it exit with %i", async (check, variables, exit, message) => {
    await using service = await scriptedServer({ body: emptyPage });
    const { code, find } = await doctor({ ...testnetAt(service.url), ...variables });
    expect(code).toBe(exit);
    expect(find(check)).toMatchObject({
      level: "failure",
      message: expect.stringMatching(message),
    });
    // The secret key is not sent while the configuration is invalid.
    expect(service.requests).toHaveLength(check === "webhookSecret" ? 1 : 0);
  });

  test("an invalid --header-prefix is a finding, too", async () => {
    const { code, find } = await doctor(testnetAt("https://a.example"), "--header-prefix", "a b");
    expect([code, find("headerPrefix")?.level]).toEqual([2, "failure"]);
  });

  test("reports every failure, and exits with the code of the first", async () => {
    const variables = { ...testnetAt("not a URL"), SETTLEKIT_SECRET_KEY: "sk_production" };
    const { code, findings } = await doctor(variables);
    expect(code).toBe(2);
    expect(findings.map(({ check, level }) => [check, level])).toEqual([
      ["environment", "ok"],
      ["baseUrl", "failure"],
      ["headerPrefix", "ok"],
      ["secretKey", "failure"],
      ["webhookSecret", "ok"],
    ]);
  });

  test("a key of an unknown form is only a warning, because the service decides", async () => {
    await using service = await scriptedServer({ body: emptyPage });
    const variables = { ...testnetAt(service.url), SETTLEKIT_SECRET_KEY: "key_1" };
    const { code, find } = await doctor(variables);
    expect(code).toBe(0);
    expect(find("secretKey")).toMatchObject({ level: "warning" });
    expect(find("call")).toMatchObject({ level: "ok" });
  });

  test.each<[string, Answer, number, RegExp]>([
    ["401", { status: 401 }, 3, /credential/],
    ["403", { status: 403 }, 3, /ask the service/],
    ["429", { status: 429, headers: { "retry-after": "9" } }, 5, /Call again in 9 s/],
    ["500", { status: 500 }, 5, /The service failed/],
    ["a page of a proxy", { body: "<html>" }, 5, /not with the expected JSON/],
    ["a redirect", { status: 301, headers: { location: "https://b.example/" } }, 2, /b\.example/],
  ])(
    "an answer of %s is a failure of the call, not of the connection",
    async (_, answer, exit, why) => {
      await using service = await scriptedServer(answer);
      const { code, find } = await doctor(testnetAt(service.url));
      expect(code).toBe(exit);
      expect(find("reach")).toMatchObject({ level: "ok" });
      expect(find("call")).toMatchObject({
        level: "failure",
        exitCode: exit,
        message: expect.stringMatching(why),
      });
      expect(service.requests).toHaveLength(1);
    },
  );

  test("an unreachable service makes it exit with 4", async () => {
    await using service = await scriptedServer(reset);
    for (const url of [service.url, "http://127.0.0.1:1"]) {
      const { code, find } = await doctor(testnetAt(url));
      expect(code).toBe(4);
      expect(find("reach")).toMatchObject({ level: "failure" });
      expect(find("call")).toBeUndefined();
    }
  });

  test("a connection that was never made is not reported as broken", async () => {
    await using service = await scriptedServer({ body: emptyPage });
    for (const [url, message] of [
      // Not a TLS server, as behind a wrong port or a proxy.
      [service.url.replace("http:", "https:"), /No TLS connection to https:.*Nothing was sent/],
      // A port that fetch refuses.
      ["http://127.0.0.1:1", /^No connection to.*Nothing was sent/],
    ] as const) {
      const { find } = await doctor(testnetAt(url));
      expect(find("reach").message).toMatch(message);
    }
  });

  test("a proxy that Node ignores is named if the service cannot be reached", async () => {
    const advice = "HTTPS_PROXY is set, but Node uses it only if NODE_USE_ENV_PROXY is 1.";
    const reach = async (url: string, more: Record<string, string>) => {
      const proxies = { HTTPS_PROXY: "", https_proxy: "", NODE_USE_ENV_PROXY: "", ...more };
      const { code, find } = await doctor({ ...testnetAt(url), ...proxies });
      expect(code).toBe(4);
      return find("reach").message;
    };
    const elsewhere = "https://service.invalid";
    const proxy = { https_proxy: "http://127.0.0.1:1" };
    expect(await reach(elsewhere, proxy)).toContain(advice);
    expect(await reach(elsewhere, {})).not.toContain(advice);
    expect(await reach(elsewhere, { ...proxy, NODE_USE_ENV_PROXY: "1" })).not.toContain(advice);
    expect(await reach("https://127.0.0.1:1", proxy)).not.toContain(advice);
  });

  test("a missing sandbox makes it say how to start one", async () => {
    const { find } = await doctor({
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: "http://127.0.0.1:1",
      SETTLEKIT_SECRET_KEY: secretKey,
    });
    expect(find("reach").message).toContain("settlekit sandbox");
  });

  test("drift is a warning that lists the paths", async () => {
    const pagination = { ...emptyPage.pagination, total: "none" };
    await using service = await scriptedServer({ body: { ...emptyPage, pagination } });
    const { code, find } = await doctor(testnetAt(service.url));
    expect(code).toBe(0);
    expect(find("drift")).toMatchObject({
      level: "warning",
      message: expect.stringContaining("pagination.total"),
    });
  });

  test("another header prefix is used when it is given", async () => {
    await using service = await scriptedServer({ body: emptyPage });
    await doctor(testnetAt(service.url), "--header-prefix", "X-Acme");
    await doctor({ ...testnetAt(service.url), SETTLEKIT_HEADER_PREFIX: "X-Acme" });
    expect(service.requests).toHaveLength(2);
    for (const { headers } of service.requests) {
      expect(headers["x-acme-secret-key"]).toBe(secretKey);
    }
  });

  test("a clock that is far off is detected from the service's Date header", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-01-01T01:00:00Z"), toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";
    await using service = await scriptedServer({ headers: { date }, body: emptyPage });
    const { code, find } = await doctor(testnetAt(service.url));
    expect(code).toBe(2);
    expect(find("clock")).toMatchObject({ level: "failure" });
    expect(find("clock").message).toMatch(/is 3600 s ahead of the service's.*NTP/);
  });
});
