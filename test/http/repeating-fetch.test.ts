import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { FetchInit } from "../../src/http/settings.ts";
import { createPayment, createQuote, createWithdrawal } from "../../src/wire/operations.ts";
import { scriptedServer } from "../scripted-server.ts";
import { httpTo } from "./http-to.ts";

describe("Node's fetch, which repeats requests after a 421", () => {
  const post = { body: { amount: 2500 } };

  test("sends a withdrawal once, with its length, and the outcome is unknown", async () => {
    await using server = await scriptedServer({ status: 421 }, { status: 201 });
    const creating = httpTo(server).call(createWithdrawal, post, { maxRetries: 0 });
    await expect(creating).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    const [request, another] = server.requests;
    expect(another).toBeUndefined();
    expect(request?.body.toString()).toBe(JSON.stringify(post.body));
    expect(request?.headers).toMatchObject({ "content-length": "15" });
    expect(request?.headers).not.toHaveProperty("transfer-encoding");
  });

  test("sends a withdrawal once if a merchant passes undici's fetch with a dispatcher", async () => {
    await using server = await scriptedServer({ status: 421 }, { status: 201 });
    // Stands in for undici's fetch. The dispatcher is not real, so it is left out.
    const fetch = (url: string, init: FetchInit) =>
      globalThis.fetch(url, { ...init, dispatcher: undefined } as RequestInit);
    const http = httpTo(server, { fetch, fetchOptions: { dispatcher: { dispatch() {} } } });
    await expect(http.call(createWithdrawal, post)).rejects.toMatchObject({ attempts: 1 });
    expect(server.requests.map((request) => request.body)).toEqual([JSON.stringify(post.body)]);
  });

  test("reports a 401 for a withdrawal as such, and sends a request without a body", async () => {
    await using server = await scriptedServer(
      { status: 401, body: JSON.stringify({ error: { type: "a", code: "b", message: "No." } }) },
      { status: 201, body: "{}" },
    );
    const creating = httpTo(server).call(createWithdrawal, post);
    await expect(creating).rejects.toMatchObject({ name: "AuthenticationError" });
    await httpTo(server).call(
      { ...createWithdrawal, path: "/v1/cancel", essential: "anything" },
      {},
    );
    expect(server.requests[1]?.headers).toMatchObject({ "content-length": "0" });
  });

  test("sends a withdrawal once if a merchant passes it as the fetch option", async () => {
    await using server = await scriptedServer({ status: 421 }, { status: 201 });
    const http = httpTo(server, { fetch: globalThis.fetch });
    await expect(http.call(createWithdrawal, post)).rejects.toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test("gets the body of a new payment as text, so that tests can read it", async () => {
    const fetch = vi
      .spyOn(globalThis, "fetch")
      .mockResolvedValue(new Response("", { status: 404 }));
    onTestFinished(() => fetch.mockRestore());
    await expect(
      httpTo({ url: "https://api.example" }).call(createPayment, post),
    ).rejects.toThrow();
    expect(fetch.mock.calls[0]?.[1]?.body).toBe(JSON.stringify(post.body));
  });
});

test.each([createWithdrawal, createPayment])(
  "a refused connection after $name's body was written leaves its outcome unknown",
  async (operation) => {
    // Like undici's RetryAgent, if it may retry a POST.
    const retrying = async (_: string, { body }: RequestInit) => {
      await new Response(body).text();
      const cause = Object.assign(new Error("refused"), {
        code: "ECONNREFUSED",
        syscall: "connect",
      });
      throw new TypeError("fetch failed", { cause });
    };
    vi.stubGlobal("fetch", retrying);
    onTestFinished(() => void vi.unstubAllGlobals());
    const fetchOptions = { dispatcher: { dispatch() {} } };
    const http = httpTo({ url: "https://api.example" }, { fetchOptions });
    const creating = http.call<unknown>(operation, { body: { amount: 2500 } }, { maxRetries: 0 });
    await expect(creating).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  },
);

describe("a check before the body", () => {
  const body = { amount: 2500 };
  const late = new Error("Too late.");
  const platformFetch = globalThis.fetch;

  test.each([
    ["Node's fetch", (url: string, init: RequestInit) => platformFetch(url, init)],
    [
      "a wrapper around it",
      (url: string, init: RequestInit) => platformFetch(new Request(url, init)),
    ],
    [
      "two wrappers",
      (url: string, init: RequestInit) => platformFetch(new Request(new Request(url, init))),
    ],
  ])("runs again once %s has connected, and can still hold back the body", async (_, wrapper) => {
    vi.stubGlobal("fetch", wrapper);
    onTestFinished(() => void vi.unstubAllGlobals());
    await using server = await scriptedServer({ status: 201, body: "{}" });
    const steps: string[] = [];
    const connected = () => steps.push("connected");
    subscribe("undici:client:connected", connected);
    onTestFinished(() => void unsubscribe("undici:client:connected", connected));
    const beforeBody = () => {
      if (steps.includes("connected")) throw late;
      steps.push("checked");
    };
    const http = httpTo(server);
    await expect(http.call(createWithdrawal, { body, beforeBody })).rejects.toBe(late);
    expect(steps).toEqual(["checked", "connected"]);
    expect(server.requests).toEqual([]);
  });

  test("runs after the hooks, and nothing is sent when it throws", async () => {
    await using server = await scriptedServer({ status: 201, body: "{}" });
    let isLate = false;
    const slow = () => {
      isLate = true;
    };
    const beforeBody = () => {
      if (isLate) throw late;
    };
    const http = httpTo(server, { hooks: { beforeRequest: [slow] } });
    await expect(http.call(createPayment, { body, beforeBody })).rejects.toBe(late);
    expect(server.requests).toEqual([]);
  });
});

test("the runtime's fetch as the fetch option fails like the runtime's, and its reads are retried", async () => {
  // As on Cloudflare Workers.
  const fetch = vi.fn().mockRejectedValueOnce(new Error("Network connection lost."));
  vi.stubGlobal("fetch", fetch.mockResolvedValue(Response.json({ id: "1" })));
  onTestFinished(() => void vi.unstubAllGlobals());
  const http = httpTo({ url: "https://api.example" }, { fetch: globalThis.fetch });
  const read = { ...createWithdrawal, method: "GET", replay: "safe" } as const;
  expect((await http.call(read, {}).withResponse()).attempts).toBe(2);
});

describe("Bun's fetch, which repeats requests if a reused connection breaks", () => {
  const inits = initsOn("Bun", { version: "1.4.5" });

  test("sends a withdrawal on a connection of its own, as text", async () => {
    const body = { amount: 2500 };
    await httpTo({ url: "https://api.example" }).call(createWithdrawal, { body });
    expect(inits).toMatchObject([{ keepalive: false, body: JSON.stringify(body) }]);
  });

  test("sends a withdrawal on a connection of its own through a merchant's fetch, too", async () => {
    const fetch = (url: string, init: FetchInit) => globalThis.fetch(url, init);
    const body = { amount: 2500 };
    await httpTo({ url: "https://api.example" }, { fetch }).call(createWithdrawal, { body });
    expect(inits).toMatchObject([{ keepalive: false, body: JSON.stringify(body) }]);
  });

  test("reuses connections for a payment, which is harmless to repeat", async () => {
    await httpTo({ url: "https://api.example" }).call(createPayment, { body: { amount: 2500 } });
    expect(inits[0]).not.toHaveProperty("keepalive");
  });

  test("up to 1.3 sends a payment on a connection of its own, because a repetition may be refused", async () => {
    vi.stubGlobal("Bun", { version: "1.3.14" });
    await httpTo({ url: "https://api.example" }).call(createPayment, { body: { amount: 2500 } });
    expect(inits).toMatchObject([{ keepalive: false }]);
  });
});

// The behaviour of Deno itself is tested by npm run test:runtimes.
describe("Deno's fetch, which repeats requests by itself", () => {
  const inits = initsOn("Deno", { version: { deno: "2.9.6" } });
  const body = { amount: 2500 };
  const http = (options = {}) => httpTo({ url: "https://api.example" }, options);

  test.each([createPayment, createWithdrawal])(
    "gets the body of $name as a stream, which cannot be sent again",
    async (operation) => {
      await http().call<unknown>(operation, { body });
      const [init] = inits;
      expect(init?.body).toBeInstanceOf(ReadableStream);
      expect(init).toMatchObject({
        duplex: "half",
        headers: { "content-type": "application/json" },
      });
      expect(await new Response(init?.body).json()).toEqual(body);
    },
  );

  test("gets an empty stream for a request without a body", async () => {
    await http().call({ ...createWithdrawal, path: "/v1/cancel" }, {});
    expect(inits[0]?.body).toBeInstanceOf(ReadableStream);
    expect(await new Response(inits[0]?.body).text()).toBe("");
  });

  test("gets a stream if it is passed as the fetch option", async () => {
    await http({ fetch: globalThis.fetch }).call(createWithdrawal, { body });
    expect(inits[0]?.body).toBeInstanceOf(ReadableStream);
  });

  test("gets text for a request that may be repeated, as a custom fetch does for any request", async () => {
    const own = (url: string, init: FetchInit) => globalThis.fetch(url, init);
    await http().call(createQuote, { path: { paymentId: "1" }, body });
    await http({ fetch: own }).call(createWithdrawal, { body });
    expect(inits.map((init) => init.body)).toEqual([JSON.stringify(body), JSON.stringify(body)]);
  });
});

// The behaviour of workerd itself is tested by npm run test:runtimes.
describe("Cloudflare's fetch, which repeats a PUT or DELETE without a body if a reused connection breaks", () => {
  const inits = initsOn("navigator", { userAgent: "Cloudflare-Workers" });

  test("gets an empty stream for such a request", async () => {
    const remove = { ...createWithdrawal, method: "DELETE", path: "/v1/item" } as const;
    await httpTo({ url: "https://api.example" }).call(remove, {});
    expect(inits[0]?.body).toBeInstanceOf(ReadableStream);
    expect(await new Response(inits[0]?.body).text()).toBe("");
  });

  test("gets text for a withdrawal, which then has a length", async () => {
    const body = { amount: 2500 };
    await httpTo({ url: "https://api.example" }).call(createWithdrawal, { body });
    expect(inits[0]?.body).toBe(JSON.stringify(body));
  });
});

/** What fetch gets in each test on a runtime, which a global names. */
function initsOn(name: string, value: object) {
  const inits: (RequestInit & { duplex?: string })[] = [];
  beforeEach(() => {
    inits.length = 0;
    vi.stubGlobal(name, value);
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      inits.push(init);
      const created = { paymentId: "1", paymentUrl: "https://p.example", secret: "s" };
      return Response.json({ id: "1", ...created });
    });
  });
  afterEach(() => void vi.unstubAllGlobals());
  return inits;
}
