import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { inboxTables } from "../src/inbox/tables.ts";
import * as settlekit from "../src/index.ts";
import { sqlite } from "../src/stores/sqlite.ts";
import { call, migrate } from "../src/stores/store.ts";
import { Webhooks } from "../src/webhooks/index.ts";
import { type Answer, reset, scriptedServer, silent } from "./scripted-server.ts";
import { scriptedService } from "./scripted-service.ts";
import { createdPayment } from "./wire/examples.ts";

const { MerchantClient, SettlekitError, UnexpectedResponseError } = settlekit;
type Client = InstanceType<typeof MerchantClient>;

const secretKey = "sk_test_d0n0tsh0w";
const webhookSecret = "whsec_n0rth1s";

/** The classes of all errors that were inspected. */
const seen = new Set<string>();

/** The output of every way to print a value. */
function shown(value: unknown): string {
  if (SettlekitError.is(value)) seen.add(value.name);
  const options = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true };
  const stack = value instanceof Error ? value.stack : "";
  return [
    inspect(value, options),
    inspect(value, { depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(value),
    String(value),
    stack,
  ].join("\n");
}

const clientFor = (baseUrl: string, options = {}) =>
  new MerchantClient({ secretKey, environment: "sandbox", baseUrl, maxRetries: 0, ...options });

async function failure(client: Client): Promise<Error> {
  const order = { amount: 2500, orderId: "order_1" };
  const error = await client.payments.create(order).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return error;
}

test("no way of printing the client or the verifier shows their secret", () => {
  const client = clientFor("http://127.0.0.1:2");
  expect(shown(client)).not.toContain(secretKey);
  // Reading the getters of zod's prototypes breaks all schemas of the process.
  expect(shown(client)).not.toContain("Zod");
  expect(shown(client.payments)).not.toContain(secretKey);
  expect(shown(new Webhooks({ secret: webhookSecret }))).not.toContain(webhookSecret);
});

test("neither onEvent nor the logger gets a payment's secret, even if its URL contains it", async () => {
  const secret = "n0t_f0r_any_l0g";
  const paymentUrl = `https://pay.example/payment?paymentId=1&secret=${secret}`;
  const drift = { amountInCents: paymentUrl };
  const payment = { ...createdPayment.payment, ...drift };
  const body = { ...createdPayment, payment, secret, paymentUrl };
  using server = scriptedService({ status: 201, body });
  const seenByObservers: unknown[] = [];
  const log = (...line: unknown[]) => seenByObservers.push(line);
  const client = clientFor(server.url, {
    onEvent: log,
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const created = await client.payments.create({ amount: 2500, orderId: "order_1" });
  expect(created).toMatchObject({ secret, paymentUrl });
  expect(seenByObservers.length).toBeGreaterThan(4);
  expect(shown(seenByObservers)).toContain("payment.amountInCents");
  expect(shown(seenByObservers)).not.toContain(secret);
});

describe("a printed error", () => {
  test.each<[string, Answer]>([
    ...[400, 401, 403, 404, 409, 418, 422, 429, 500].map((status): [string, Answer] => [
      `when the service repeats it with a ${status}`,
      {
        status,
        headers: { "x-request-id": "req_1" },
        body: { error: { message: `bad key ${secretKey}`, code: secretKey, param: secretKey } },
      },
    ]),
    [
      "with escapes in JSON, and in the request id",
      {
        status: 400,
        headers: { "x-request-id": `req-${secretKey}` },
        body: `{"error":{"message":"bad ${secretKey.replace("_", "\\u005f")}"}}`,
      },
    ],
    ["on an HTML page", { status: 502, body: `<title>${secretKey}</title>` }],
    ["in a redirect", { status: 302, headers: { location: `https://x.example/?k=${secretKey}` } }],
    ["in an unreadable success", { body: `key=${secretKey}` }],
    ["when the connection breaks", reset],
  ])("does not show the secret %s", async (_, answer) => {
    await using server = await scriptedServer(answer);
    expect(shown(await failure(clientFor(server.url)))).not.toContain(secretKey);
  });

  test("does not show the secret in an incomplete success, whose body stays accessible", async () => {
    const { paymentUrl, ...body } = createdPayment;
    using server = scriptedService({ status: 201, body });
    const error = await failure(clientFor(server.url));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(shown(error)).not.toContain(createdPayment.secret);
    expect((error as InstanceType<typeof UnexpectedResponseError>).body).toEqual(body);
    expect(paymentUrl).toBeDefined();
  });

  test("does not show the secret when the connection fails", async () => {
    expect(shown(await failure(clientFor("http://127.0.0.1:2")))).not.toContain(secretKey);
  });

  test("does not show the secret when fetch fails with an error that repeats its arguments", async () => {
    const fetch = (url: string, init: RequestInit) =>
      Promise.reject(
        Object.assign(new TypeError(`cannot send ${JSON.stringify(init.headers)}`), { url, init }),
      );
    const error = await failure(clientFor("https://api.example", { fetch }));
    expect(shown(error)).toContain("[redacted]");
    expect(shown(error)).not.toContain(secretKey);
  });

  test.each([
    ["message", { message: secretKey }],
    ["code", { code: secretKey }],
  ])("does not show the secret when the platform puts it into its error's %s", async (_, facts) => {
    const cause = Object.assign(new Error("it broke"), { code: "EPIPE" }, facts);
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const error = await failure(clientFor("https://api.example", { fetch }));
    expect(shown(error)).toContain("[redacted]");
    expect(shown(error)).not.toContain(secretKey);
  });

  test("does not show a secret without a prefix that the service returns as another object's id", async () => {
    const secret = "Q7fx9Zk3LmN0pXr2";
    using server = scriptedService({ body: { ...createdPayment.payment, id: secret } });
    const error = await clientFor(server.url)
      .checkout({ paymentId: "a-payment", secret })
      .payment()
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "answer_differs" });
    expect(shown(error)).toContain("[redacted]");
    expect(shown(error)).not.toContain(secret);
  });

  test("does not show the secret when the key itself is refused", () => {
    const wrong = `sk_live\n${webhookSecret}`;
    const refuse = () => new MerchantClient({ secretKey: wrong, environment: "sandbox" });
    expect(refuse).toThrow(/copy it again/);
    try {
      refuse();
    } catch (error) {
      expect(shown(error)).not.toContain(webhookSecret);
    }
  });

  test.each<[string, (client: Client) => unknown]>([
    ["a parameter", ({ payments }) => payments.create({ [secretKey]: 1 } as never)],
    ["a filter", ({ payments }) => payments.list({ [secretKey]: 1 } as never)],
    ["an option", ({ payments }) => payments.get("id", { [secretKey]: 1 } as never)],
    ["an option of a verifier", () => new Webhooks({ [secretKey]: 1 } as never)],
  ])("does not show a secret that was passed as the name of %s", async (_, call) => {
    const client = clientFor("http://127.0.0.1:2");
    const error = await (async () => call(client))().catch((thrown) => thrown);
    expect(error).toMatchObject({ param: "sk_[redacted]" });
    expect(shown(error)).not.toContain(secretKey);
  });

  test.each<[string, Answer, object]>([
    ["after a read that times out", silent, { timeoutMs: 20 }],
    ["after a read that is rejected", { status: 404, body: { message: secretKey } }, {}],
    [
      "after a read with a status that has no error class",
      { status: 418, body: { message: secretKey } },
      {},
    ],
    ["after a read that fails in the service", { status: 500, body: secretKey }, {}],
    ["after a read that is aborted", silent, { signal: AbortSignal.timeout(20) }],
    ["after a read whose response is not JSON", { body: `<html>${secretKey}` }, {}],
  ])("does not show the secret %s", async (_, answer, options) => {
    await using server = await scriptedServer(answer);
    const error = await clientFor(server.url)
      .payments.get("id", options)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(shown(error)).not.toContain(secretKey);
  });

  test("does not show the secret of a webhook that cannot be verified", async () => {
    const webhooks = new Webhooks({ secret: webhookSecret });
    const headers = { "x-service-signature": "0".repeat(64), "x-service-timestamp": "1700000000" };
    const error = await webhooks.verify({ body: "{}", headers }).catch((thrown) => thrown);
    expect(shown(error)).not.toContain(webhookSecret);
  });

  test("does not show the result of an effect that the store refuses", async () => {
    const store = sqlite(":memory:");
    const error = await migrate(store, inboxTables)
      .then(() => store.transaction(() => call(async () => secretKey)))
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "async_effect" });
    expect(shown(error)).not.toContain(secretKey);
    await store.close();
  });

  test("was tested for every error class", () => {
    const classes = Object.keys(settlekit).filter((name) => name.endsWith("Error"));
    expect([...seen].sort()).toEqual(classes.filter((name) => name !== "SettlekitError").sort());
  });
});
