import { Readable } from "node:stream";
import { describe, expect, test, vi } from "vitest";
import type { FetchResponse } from "../../src/http/settings.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { createPayment, createWithdrawal } from "../../src/wire/operations.ts";
import { payout } from "../resources/payouts/payout.ts";
import { clientOf } from "../resources/sandbox-client.ts";
import { scriptedServer } from "../scripted-server.ts";
import { createdPayment, withdrawal } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const api = { url: "https://api.example" };
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const withField = (answer: object, name: string, json: string) =>
  `{"${name}":${json},${JSON.stringify(answer).slice(1)}`;

/** Objects that cannot be converted to a string. */
const textless = ['{"toString":1,"valueOf":1}', deep];

describe("a creation with an odd response", () => {
  const body = JSON.stringify(createdPayment);
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0`;
  const counted = `Content-Length: ${body.length}\r\n\r\n${body}`;
  const hooks = { afterResponse: [() => {}] };

  test.each<[string, string, object]>([
    ["已创建", chunked, {}],
    ["已创建", counted, { hooks }],
    ["已创建", counted, { fetch: (url: string, init: RequestInit) => fetch(url, init) }],
    ["Créé", chunked, {}],
  ])("is a success when its status text is %j", async (statusText, rest, options) => {
    await using server = await scriptedServer(({ socket }) => {
      socket?.end(
        Buffer.from(
          `HTTP/1.1 201 ${statusText}\r\n${rest}\r\n\r\n`,
          statusText === "Créé" ? "latin1" : "utf8",
        ),
      );
    });
    const creating = httpTo(server, options).call(createPayment, { body: {} });
    expect(await creating).toEqual(createdPayment);
    expect(server.requests).toHaveLength(1);
  });

  test("is a success however deeply an unknown field is nested", async () => {
    const json = withField(createdPayment, "trace", `[12345678901234567,${deep}]`);
    const fetch = async () => new Response(json, { status: 201 });
    const created = await httpTo(api, { fetch }).call(createPayment, { body: {} });
    expect(created).toMatchObject(createdPayment);
  });

  test.each(["amountInCents", "chainId", "recipientAddress", "orderId", "customMetadata"])(
    "is a success when its %s cannot be converted to text",
    async (field) => {
      for (const value of textless) {
        const sandbox = createSandbox();
        const fetch = async (url: string, init: RequestInit) => {
          const answer = await sandbox.fetch(new Request(url, init));
          if (init.method !== "POST") return answer;
          const json = withField(
            { ...((await answer.json()) as object), [field]: undefined },
            field,
            value,
          );
          return new Response(json, { status: 201 });
        };
        const { withdrawals } = clientOf(sandbox, { fetch });
        expect(await withdrawals.create(payout)).toHaveProperty("id");
      }
    },
  );

  test.each<[string, object]>([
    ["without headers", {}],
    [
      "whose headers throw",
      {
        headers: {
          get: () => {
            throw new RangeError("own");
          },
        },
      },
    ],
  ])("from a fetch function that returns a response %s has an unknown outcome", async (_, odd) => {
    const text = async () => JSON.stringify(withdrawal);
    const fetch = async () => ({ ok: true, status: 201, type: "basic", body: null, text, ...odd });
    const http = httpTo(api, { fetch: fetch as () => Promise<FetchResponse> });
    const creating = http.call(createWithdrawal, { body: {} }, { idempotencyKey: "key-1" });
    await expect(creating).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 1,
      idempotencyKey: "key-1",
      cause: { name: "UnexpectedResponseError", body: expect.stringContaining(withdrawal.id) },
    });
  });
});

describe("a response from a fetch function whose text() resolves to", () => {
  const call = (text: () => Promise<unknown>) => {
    const answer = { ok: true, status: 201, type: "basic", headers: new Headers(), text };
    const http = httpTo(api, { fetch: async () => answer as FetchResponse });
    return http.call(createWithdrawal, { body: {} });
  };

  test("an object has an unknown outcome, whatever the object says", async () => {
    const texts = [withdrawal, { kind: "unreachable", code: "ECONNREFUSED", detail: "refused" }];
    for (const text of texts) {
      await expect(call(async () => text)).rejects.toMatchObject({
        name: "OutcomeUnknownError",
        attempts: 1,
        cause: { name: "UnexpectedResponseError" },
      });
    }
  });

  test("bytes is read as text", async () => {
    const bytes = Buffer.from(JSON.stringify(withdrawal));
    expect(await call(async () => bytes)).toEqual(withdrawal);
  });
});

test.each([{}, { hooks: { beforeRequest: [() => {}] } }])(
  "a response without a body property, as from whatwg-fetch, is read: %o",
  async (options) => {
    const text = async () => JSON.stringify(createdPayment);
    const answer = {
      ok: true,
      status: 201,
      type: "default",
      headers: new Headers(),
      text,
    } as const;
    const http = httpTo(api, { ...options, fetch: async () => answer });
    expect(await http.call(createPayment, { body: {} })).toEqual(createdPayment);
  },
);

test.each<[string, (response: Response) => unknown]>([
  ["read", (response) => response.text()],
  ["locked", (response) => response.body?.getReader()],
])("a response whose body was %s by the fetch function is reported as such", async (_, log) => {
  const fetch = vi.fn(async () => {
    const response = Response.json(createdPayment, { status: 201 });
    log(response);
    return response;
  });
  const creating = httpTo(api, { fetch }).call(createPayment, { body: {} });
  await expect(creating).rejects.toMatchObject({
    name: "OutcomeUnknownError",
    cause: {
      code: "fetch_failed",
      message: expect.stringMatching(
        /^Your fetch function returned a Response that was already read/,
      ),
    },
  });
  expect(fetch).toHaveBeenCalledOnce();
});

test("a 204 is a success even if the fetch function gives every response a body", async () => {
  const fetch = async () => {
    const headers = new Headers();
    // Like node-fetch.
    const body = Readable.from([]);
    return { ok: true, status: 204, type: "default", headers, body, text: async () => "" } as const;
  };
  const operation = { ...createWithdrawal, method: "DELETE", essential: "anything" } as const;
  const http = httpTo(api, { fetch: fetch as unknown as () => Promise<FetchResponse> });
  expect(await http.call(operation, {})).toBeUndefined();
});

test("a status beyond the range of Response is kept", async () => {
  await using server = await scriptedServer((response) => {
    response.socket?.end("HTTP/1.1 600 Odd\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  });
  const creating = httpTo(server, { maxRetries: 0 }).call(createPayment, { body: {} });
  await expect(creating).rejects.toMatchObject({
    name: "OutcomeUnknownError",
    cause: { name: "ServerError", status: 600 },
  });
});
