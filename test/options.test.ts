// Longer than 300 lines: the options of the client are tested in one place.

import { Agent } from "node:http";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../src/errors.ts";
import type { CredentialSource } from "../src/http/settings.ts";
import { type ClientOptions, configure } from "../src/options.ts";

const key = "sk_test_4f9a7c1e";
const complete: ClientOptions = { secretKey: key, environment: "sandbox" };

const asked = async ({ value }: CredentialSource) => (typeof value === "string" ? value : value());

describe("the environment", () => {
  test("is production unless an option or a variable says otherwise, in this order", () => {
    const variables = {
      SETTLEKIT_SECRET_KEY: "sk_live",
      SETTLEKIT_BASE_URL: "https://api.example",
    };
    expect(configure({}, variables)).toMatchObject({
      environment: "production",
      baseUrl: "https://api.example",
    });
    const sandbox = { SETTLEKIT_SECRET_KEY: key, SETTLEKIT_ENVIRONMENT: "sandbox" };
    expect(configure({}, sandbox).environment).toBe("sandbox");
    const testnet = { environment: "testnet", baseUrl: "https://testnet.example" } as const;
    expect(configure(testnet, sandbox).environment).toBe("testnet");
  });

  test.each([
    ["environment", "unknown_environment"],
    ["secretKey", "missing_credential"],
  ])("is not read from a variable when %s is null, which is refused", (param, code) => {
    const variables = { SETTLEKIT_SECRET_KEY: key, SETTLEKIT_ENVIRONMENT: "sandbox" };
    const refused = expect.objectContaining({ name: "ConfigurationError", param, code });
    expect(() => configure({ [param]: null }, variables)).toThrow(refused);
  });

  test("chooses the variable that holds the base URL", () => {
    const variables = {
      SETTLEKIT_BASE_URL: "https://production.example",
      SETTLEKIT_TESTNET_URL: "https://testnet.example",
    };
    const baseUrl = (options: ClientOptions) => configure(options, variables).baseUrl;
    expect(baseUrl({ secretKey: "sk_live" })).toBe("https://production.example");
    expect(baseUrl({ secretKey: key, environment: "testnet" })).toBe("https://testnet.example");
    expect(baseUrl(complete)).toBe("http://127.0.0.1:4010");
    expect(configure(complete, { SETTLEKIT_SANDBOX_URL: "http://localhost:9" }).baseUrl).toBe(
      "http://localhost:9",
    );
  });
});

describe("the defaults", () => {
  test("are those of the guide", () => {
    expect(configure(complete, {})).toMatchObject({
      timeoutMs: 30_000,
      deadlineMs: 90_000,
      maxRetries: 3,
      wire: { headerPrefix: "X-Service", requestIdHeader: "X-Request-Id" },
    });
  });

  test("cannot be changed afterwards", () => {
    expect(Object.isFrozen(configure(complete, {}))).toBe(true);
  });
});

describe("a base URL", () => {
  test.each([
    ["https://api.example", "https://api.example"],
    ["https://api.example/", "https://api.example"],
    ["https://api.example/gateway//", "https://api.example/gateway"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://shop.localhost", "http://shop.localhost"],
    ["http://127.8.0.1:80", "http://127.8.0.1"],
    ["http://[::1]:3000", "http://[::1]:3000"],
  ])("may be %s", (baseUrl, normal) => {
    expect(configure({ ...complete, baseUrl }, {}).baseUrl).toBe(normal);
  });

  test("that is malformed is reported by its variable", () => {
    const variables = {
      SETTLEKIT_SANDBOX_URL: "localhost:4010",
      SETTLEKIT_BASE_URL: "http://a.example",
    };
    expect(() => configure(complete, variables)).toThrow(/^SETTLEKIT_SANDBOX_URL is not a URL/);
    expect(() => configure({ secretKey: "sk_9" }, variables)).toThrow(
      expect.objectContaining({
        param: "baseUrl",
        message: expect.stringMatching(/^SETTLEKIT_BASE_URL is plain http to "a.example"/),
      }),
    );
  });
});

describe("a secret key from the environment", () => {
  test.each([
    ["that is empty counts as missing", "", /There is no secret key/],
    [
      "that is malformed is reported by its variable",
      "sk_test_1\n",
      /^SETTLEKIT_SECRET_KEY contains a character/,
    ],
    [
      "of another environment is reported by its variable",
      "sk_9",
      /^SETTLEKIT_SECRET_KEY is a production key/,
    ],
  ])("%s", (_, value, message) => {
    const configureFrom = () =>
      configure({ environment: "sandbox" }, { SETTLEKIT_SECRET_KEY: value });
    expect(configureFrom).toThrow(
      expect.objectContaining({ param: "secretKey", message: expect.stringMatching(message) }),
    );
  });
});

describe("fetchOptions", () => {
  test.each([
    ["method", "PUT"],
    ["body", "{}"],
    ["headers", { "x-a": "b" }],
    ["signal", AbortSignal.abort()],
    ["redirect", "follow"],
    ["cache", "force-cache"],
  ])("may not have %s, which would have no effect", (name, value) => {
    expect(() => configure({ ...complete, fetchOptions: { [name]: value } }, {})).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        param: `fetchOptions.${name}`,
        message: expect.stringMatching(
          /would have no effect.* Leave it out\. headers is an option/,
        ),
      }),
    );
  });

  test.each([{}, 5, "http://proxy.example"])("may not have %j as its dispatcher", (dispatcher) => {
    const fetchOptions = { dispatcher };
    expect(() => configure({ ...complete, fetchOptions }, {})).toThrow(
      /^fetchOptions\.dispatcher must be an undici dispatcher, such as new ProxyAgent\(url\), got/,
    );
    const fetch = () => Promise.resolve(new Response());
    expect(configure({ ...complete, fetchOptions, fetch }, {})).toMatchObject({ fetchOptions });
  });

  test("may have Node's agent only with a fetch that may take it", () => {
    const fetchOptions = { agent: new Agent() };
    expect(() => configure({ ...complete, fetchOptions }, {})).toThrow(
      /^fetchOptions\.agent would have no effect on the global fetch\. Use an undici dispatcher/,
    );
    const fetch = () => Promise.resolve(new Response());
    expect(configure({ ...complete, fetchOptions, fetch }, {})).toMatchObject({ fetchOptions });
  });
});

describe("an invalid configuration", () => {
  test.each<[string, ClientOptions, string, RegExp]>([
    ["no secret key", { environment: "sandbox" }, "secretKey", /SETTLEKIT_SECRET_KEY/],
    ["an empty secret key", { ...complete, secretKey: "" }, "secretKey", /non-empty/],
    [
      "a key with a line break",
      { ...complete, secretKey: `${key}\n` },
      "secretKey",
      /copy it again/,
    ],
    ["a key with a space", { ...complete, secretKey: `${key} x` }, "secretKey", /copy it again/],
    ["a key in quotation marks", { ...complete, secretKey: `"${key}"` }, "secretKey", /quotation/],
    ["a key with an umlaut", { ...complete, secretKey: `${key}ü` }, "secretKey", /copy it again/],
    [
      "a test key with production",
      { secretKey: key, baseUrl: "https://a.example" },
      "secretKey",
      /test key/,
    ],
    [
      "a production key with the testnet",
      { secretKey: "sk_9", environment: "testnet", baseUrl: "https://a.example" },
      "secretKey",
      /production key/,
    ],
    [
      "a production key with the sandbox",
      { secretKey: "sk_9", environment: "sandbox" },
      "secretKey",
      /production key/,
    ],
    [
      "an unknown environment",
      { ...complete, environment: "staging" as "sandbox" },
      "environment",
      /"production", "testnet" or "sandbox"/,
    ],
    [
      "an environment in another case",
      { ...complete, environment: "Testnet" as "testnet" },
      "environment",
      /There is no environment "Testnet"\. Did you mean testnet\?/,
    ],
    [
      "half a slot",
      { ...complete, maxConcurrency: 1.5 },
      "maxConcurrency",
      /positive whole number/,
    ],
    [
      "no base URL where no environment was chosen",
      { secretKey: "sk_9" },
      "baseUrl",
      /"production", the default environment\. .* SETTLEKIT_BASE_URL/,
    ],
    [
      "no base URL for production",
      { secretKey: "sk_9", environment: "production" },
      "baseUrl",
      /"production"\. .* SETTLEKIT_BASE_URL/,
    ],
    [
      "no base URL for the testnet",
      { secretKey: key, environment: "testnet" },
      "baseUrl",
      /SETTLEKIT_TESTNET_URL/,
    ],
    [
      "text as wire",
      { ...complete, wire: "X-Service" as never },
      "wire",
      /wire must be an object, such as \{ headerPrefix \}/,
    ],
    [
      "a number as namespace",
      { ...complete, idempotencyNamespace: 7 as never },
      "idempotencyNamespace",
      /non-empty string/,
    ],
    [
      "a function as hooks",
      { ...complete, hooks: (() => {}) as never },
      "hooks",
      /hooks must be an object/,
    ],
    ["a malformed base URL", { ...complete, baseUrl: "api.example" }, "baseUrl", /not a URL/],
    ["only a host and a port", { ...complete, baseUrl: "localhost:4010" }, "baseUrl", /not a URL/],
    ["plain http", { ...complete, baseUrl: "http://api.example" }, "baseUrl", /Use https/],
    [
      "plain http to a look-alike",
      { ...complete, baseUrl: "http://localhost.evil.example" },
      "baseUrl",
      /Use https/,
    ],
    [
      "plain http to a numeric look-alike",
      { ...complete, baseUrl: "http://127.0.0.1.evil.example" },
      "baseUrl",
      /Use https/,
    ],
    ["another scheme", { ...complete, baseUrl: "ftp://localhost" }, "baseUrl", /scheme/],
    [
      "credentials in the URL",
      { ...complete, baseUrl: "https://u:hunter2@api.example" },
      "baseUrl",
      /credentials/,
    ],
    [
      "a query in the URL",
      { ...complete, baseUrl: "https://api.example/?a=1" },
      "baseUrl",
      /query/,
    ],
    [
      "a fragment in the URL",
      { ...complete, baseUrl: "https://api.example/#a" },
      "baseUrl",
      /fragment/,
    ],
    ["a timeout of zero", { ...complete, timeoutMs: 0 }, "timeoutMs", /milliseconds/],
    [
      "an infinite timeout",
      { ...complete, timeoutMs: Number.POSITIVE_INFINITY },
      "timeoutMs",
      /milliseconds/,
    ],
    ["a deadline of NaN", { ...complete, deadlineMs: Number.NaN }, "deadlineMs", /milliseconds/],
    ["half a retry", { ...complete, maxRetries: 0.5 }, "maxRetries", /whole number/],
    ["negative retries", { ...complete, maxRetries: -1 }, "maxRetries", /whole number/],
    [
      "a fetch that is not a function",
      { ...complete, fetch: {} as typeof fetch },
      "fetch",
      /function/,
    ],
    [
      "a header that settlekit sets",
      { ...complete, headers: { "x-service-SECRET-key": "hunter2" } },
      "headers",
      /secretKey/,
    ],
    [
      "an Authorization header",
      { ...complete, headers: { authorization: "Bearer hunter2" } },
      "headers",
      /credential/,
    ],
    [
      "an idempotency key for everything",
      { ...complete, headers: { "idempotency-key": "1" } },
      "headers",
      /idempotencyKey/,
    ],
    [
      "a header with a line break",
      { ...complete, headers: { "x-a": "hunter2\r\nx-b: 1" } },
      "headers",
      /line break/,
    ],
    [
      "a header name with a space",
      { ...complete, headers: { "x a": "1" } },
      "headers",
      /header name/,
    ],
    [
      "a header prefix with a colon",
      { ...complete, wire: { headerPrefix: "X:" } },
      "wire.headerPrefix",
      /letters/,
    ],
    [
      "a wire option with a wrong name",
      { ...complete, wire: { headerprefix: "X" } as object },
      "wire.headerprefix",
      /headerPrefix/,
    ],
    [
      "an option with a wrong name",
      { ...complete, apiKey: "hunter2" } as ClientOptions,
      "apiKey",
      /secretKey, environment/,
    ],
  ])("is refused before anything is sent: %s", (_, options, param, message) => {
    const refuse = () => configure(options, {});
    expect(refuse).toThrow(ConfigurationError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ param, outcome: "not_sent" }));
    expect(refuse).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter2|4f9a7c1e/) }),
    );
  });

  test("is refused without quoting it: a key in place of the options", () => {
    const refuse = () => configure(key as unknown as ClientOptions, {});
    expect(refuse).toThrow(/^The options must be an object, such as \{ secretKey \}\.$/);
  });

  test("is refused by the first call: a secretKey function that returns a wrong key", async () => {
    const { credential } = configure({ ...complete, secretKey: () => "sk_live" }, {});
    await expect(asked(credential)).rejects.toMatchObject({ code: "production_key_in_test" });
  });
});

describe("plain http to another machine", () => {
  const container = { ...complete, baseUrl: "http://sandbox:4010" };

  test("is refused with the name of the option that allows it for a sandbox", () => {
    expect(() => configure(container, {})).toThrow(
      /allowHttp to true or SETTLEKIT_SANDBOX_ALLOW_HTTP to 1/,
    );
    const testnet = { ...container, environment: "testnet" } as const;
    expect(() => configure(testnet, {})).toThrow(/^(?!.*allowHttp)baseUrl is plain http/);
  });

  test.each([
    ["by the option", { allowHttp: true }, {}],
    ["by the variable", {}, { SETTLEKIT_SANDBOX_ALLOW_HTTP: "1" }],
  ])("is allowed for a sandbox with a test key, %s", (_, options, variables) => {
    expect(configure({ ...container, ...options }, variables)).toMatchObject({
      baseUrl: "http://sandbox:4010",
      allowHttp: true,
    });
    const withoutPrefix = { ...container, ...options, secretKey: "hunter2hunter2" };
    expect(() => configure(withoutPrefix, variables)).toThrow(
      expect.objectContaining({
        param: "secretKey",
        message: expect.not.stringContaining("hunter2"),
      }),
    );
  });

  test("is refused if the option is false, whatever the variable says", () => {
    const options = { ...container, allowHttp: false };
    expect(() => configure(options, { SETTLEKIT_SANDBOX_ALLOW_HTTP: "1" })).toThrow(/plain http/);
  });

  test("requires a test key from a function, too", async () => {
    const options = { ...container, allowHttp: true, secretKey: async () => "hunter2" };
    await expect(asked(configure(options, {}).credential)).rejects.toMatchObject({
      param: "secretKey",
      message: expect.not.stringContaining("hunter2"),
    });
  });

  test("is not allowed for other environments", () => {
    const options = { secretKey: "sk_9", baseUrl: "https://a.example", allowHttp: true };
    expect(() => configure(options, {})).toThrow(expect.objectContaining({ param: "allowHttp" }));
  });
});

test("the idempotency namespace comes from the option, before the variable", () => {
  const namespace = (options: ClientOptions, variables = {}) =>
    configure({ ...complete, ...options }, variables).idempotencyNamespace;
  const variables = { SETTLEKIT_IDEMPOTENCY_NAMESPACE: "shop-us" };
  expect(namespace({})).toBe("default");
  expect(namespace({}, { SETTLEKIT_IDEMPOTENCY_NAMESPACE: "" })).toBe("default");
  expect(namespace({}, variables)).toBe("shop-us");
  expect(namespace({ idempotencyNamespace: "shop-eu" }, variables)).toBe("shop-eu");
});

describe("the header prefix", () => {
  const prefix = (options: ClientOptions, variables = {}) =>
    configure({ ...complete, ...options }, variables).wire.headerPrefix;

  test("comes from the option, under either name, before the variable", () => {
    const variables = { SETTLEKIT_HEADER_PREFIX: "X-Env" };
    expect(prefix({})).toBe("X-Service");
    expect(prefix({}, variables)).toBe("X-Env");
    expect(prefix({ headerPrefix: "X-Acme" }, variables)).toBe("X-Acme");
    expect(prefix({ wire: { headerPrefix: "X-Acme" } }, variables)).toBe("X-Acme");
    expect(prefix({ headerPrefix: "X-Acme", wire: { headerPrefix: "X-Acme" } })).toBe("X-Acme");
  });

  test.each<[string, ClientOptions, Record<string, string>]>([
    ["of two names that differ", { headerPrefix: "X-A", wire: { headerPrefix: "X-B" } }, {}],
    ["with a space", { headerPrefix: "X A" }, {}],
    ["with the hyphen that follows it", { headerPrefix: "X-Service-" }, {}],
    ["with that hyphen in the variable", {}, { SETTLEKIT_HEADER_PREFIX: "X-Service-" }],
    ["with a line break in the variable", {}, { SETTLEKIT_HEADER_PREFIX: "X\r\nY" }],
  ])("%s is refused", (_, options, variables) => {
    expect(() => prefix(options, variables)).toThrow(
      expect.objectContaining({ code: "invalid_option", param: "headerPrefix" }),
    );
  });
});

describe("a refusal", () => {
  test.each([
    [{ secretkey: key }, "Did you mean secretKey?"],
    [{ timeout: 5 }, "Did you mean timeoutMs?"],
    [{ wire: { chainIdFromat: "number" } }, "Did you mean chainIdFormat?"],
    [{ hooks: { beforeRequests: [] } }, "Did you mean beforeRequest?"],
    [{ environment: "sandbx" }, "Did you mean sandbox?"],
  ])("of %o suggests the nearest name", (options, suggestion) => {
    expect(() => configure({ ...complete, ...options } as ClientOptions, {})).toThrow(suggestion);
  });

  test.each<[string, object, Record<string, string>]>([
    ["in place of the environment", { environment: key }, {}],
    [
      "in the variable of the environment",
      { environment: undefined },
      { SETTLEKIT_ENVIRONMENT: key },
    ],
    ["in the variable of the base URL", {}, { SETTLEKIT_SANDBOX_URL: key }],
    ["as a host", { baseUrl: `http://${key}:80` }, {}],
    ["in place of a number", { maxRetries: key }, {}],
    ["as the name of an option", { [key]: 1 }, {}],
    ["as a header's name", { headers: { [key]: "1\n" } }, {}],
    ["as the header prefix", {}, { SETTLEKIT_HEADER_PREFIX: `${key}!` }],
  ])("of a key %s does not repeat it", (_, options, variables) => {
    const refuse = () => configure({ ...complete, ...options } as ClientOptions, variables);
    expect(refuse).toThrow(ConfigurationError);
    try {
      refuse();
    } catch (error) {
      expect(`${JSON.stringify(error)} ${(error as Error).message}`).not.toContain("4f9a7c1e");
    }
  });

  test("of a missing base URL says how to try it out", () => {
    expect(() => configure({ secretKey: "sk_9" }, {})).toThrow(
      /settlekit exec.* settlekit sandbox/,
    );
  });

  test.each([
    ["a bigint", { timeoutMs: 5n }, "got 5n."],
    ["a long text", { maxRetries: "9".repeat(5000) }, "(5000 characters)"],
  ])("shows %s as it was given", (_, options, shown) => {
    expect(() => configure({ ...complete, ...options } as never, {})).toThrow(shown);
  });
});
