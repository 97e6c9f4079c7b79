import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { MerchantClient, UnexpectedResponseError } from "../src/index.ts";
import { Webhooks } from "../src/webhooks/index.ts";
import { type Answer, reset, scriptedServer } from "./scripted-server.ts";
import { createdPayment } from "./wire/examples.ts";

const secretKey = "sk_test_d0n0tsh0w";
const webhookSecret = "whsec_n0rth1s";

/** Everything that ways of printing a value give away. */
function shown(value: unknown): string {
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

async function failure(client: MerchantClient): Promise<Error> {
  const order = { amount: 2500, orderId: "order_1" };
  const error = await client.payments.create(order).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  return error;
}

test("no way of printing the client or the verifier shows their secret", () => {
  const client = clientFor("http://127.0.0.1:1");
  expect(shown(client)).not.toContain(secretKey);
  expect(shown(client.payments)).not.toContain(secretKey);
  expect(shown(new Webhooks({ secret: webhookSecret }))).not.toContain(webhookSecret);
});

describe("no way of printing an error shows a secret", () => {
  test.each<[string, Answer]>([
    ...[400, 401, 403, 404, 409, 418, 422, 429, 500].map((status): [string, Answer] => [
      `that the service repeats with a ${status}`,
      {
        status,
        headers: { "x-request-id": "req_1" },
        body: { error: { message: `bad key ${secretKey}`, code: secretKey, param: secretKey } },
      },
    ]),
    ["on an HTML page", { status: 502, body: `<title>${secretKey}</title>` }],
    ["in a redirect", { status: 302, headers: { location: `https://x.example/?k=${secretKey}` } }],
    ["in an unreadable success", { body: `key=${secretKey}` }],
    ["when the connection breaks", reset],
  ])("%s", async (_, answer) => {
    await using server = await scriptedServer(answer);
    expect(shown(await failure(clientFor(server.url)))).not.toContain(secretKey);
  });

  test("in an incomplete success, whose body stays within reach", async () => {
    const { paymentUrl, ...body } = createdPayment;
    await using server = await scriptedServer({ status: 201, body });
    const error = await failure(clientFor(server.url));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(shown(error)).not.toContain(createdPayment.secret);
    expect((error as UnexpectedResponseError).body).toEqual(body);
    expect(paymentUrl).toBeDefined();
  });

  test("when nothing can be reached", async () => {
    expect(shown(await failure(clientFor("http://127.0.0.1:1")))).not.toContain(secretKey);
  });

  test("when fetch fails with everything it was given", async () => {
    const fetch = (url: string, init: RequestInit) =>
      Promise.reject(
        Object.assign(new TypeError(`cannot send ${JSON.stringify(init.headers)}`), { url, init }),
      );
    const error = await failure(clientFor("https://api.example", { fetch }));
    expect(shown(error)).toContain("[redacted]");
    expect(shown(error)).not.toContain(secretKey);
  });

  test("when the key itself is refused", () => {
    const wrong = `sk_live\n${webhookSecret}`;
    const refuse = () => new MerchantClient({ secretKey: wrong, environment: "sandbox" });
    expect(refuse).toThrow(/copy it again/);
    try {
      refuse();
    } catch (error) {
      expect(shown(error)).not.toContain(webhookSecret);
    }
  });
});
