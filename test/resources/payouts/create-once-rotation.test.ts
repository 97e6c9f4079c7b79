import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { Http } from "../../../src/http/http.ts";
import type { Fetch } from "../../../src/http/settings.ts";
import type { Time } from "../../../src/http/time.ts";
import { configure } from "../../../src/options.ts";
import { Withdrawals } from "../../../src/resources/withdrawals.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { FakeTime } from "../../http/fake-time.ts";
import { existing, payout } from "./payout.ts";

/** A client whose clock advances only when nothing else is pending, so that an available key takes no time. */
function clientWith(secretKey: () => string | Promise<string>, fetch: Fetch) {
  const time = new FakeTime();
  const sleep: Time["sleep"] = async (ms, signal) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (!signal?.aborted) time.current += ms;
  };
  const configuration = configure({ secretKey, environment: "sandbox", fetch }, {});
  return { withdrawals: new Withdrawals(new Http(configuration, { ...time, sleep })), time };
}

const keyHeader = "x-service-secret-key";

/** A merchant of a sandbox, whose key changes with every call of `rotate`. */
function rotatingMerchant(answer: (sandbox: Sandbox, request: Request) => Promise<Response>) {
  const sandbox = createSandbox();
  let version = 1;
  const secretKey = () => `${sandbox.secretKey}_${version}`;
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    if (request.headers.get(keyHeader) !== secretKey()) {
      return Response.json({ code: "invalid_api_key", message: "Revoked" }, { status: 401 });
    }
    request.headers.set(keyHeader, sandbox.secretKey);
    return answer(sandbox, request);
  };
  const rotate = () => {
    version += 1;
  };
  return { sandbox, secretKey, rotate, ...clientWith(secretKey, fetch), fetch };
}

const isList = ({ method, url }: Request) => method === "GET" && url.includes("limit=");
const emptyPage = { data: [], pagination: { total: 0, offset: 0, hasMore: false } };

/** A list that never shows anything. */
const lagging = async (sandbox: Sandbox, request: Request) =>
  isList(request) ? Response.json(emptyPage) : sandbox.fetch(request);

describe("createOnce for a merchant whose key rotates", () => {
  test("remembers a withdrawal made with the previous key", async () => {
    const { withdrawals, sandbox, rotate } = rotatingMerchant(lagging);
    const { id } = await withdrawals.createOnce(payout);
    rotate();
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    rotate();
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("remembers it for other clients with the same secretKey function", async () => {
    const { withdrawals, sandbox, rotate, secretKey, fetch } = rotatingMerchant(lagging);
    const { id } = await withdrawals.createOnce(payout);
    rotate();
    const other = clientWith(secretKey, fetch);
    expect(await other.withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("waits for a call that is still running", async () => {
    const { promise: creating, resolve: reached } = Promise.withResolvers<void>();
    const { promise: held, resolve: finish } = Promise.withResolvers<void>();
    const { withdrawals, sandbox, rotate } = rotatingMerchant(async (to, request) => {
      if (request.method !== "POST") return lagging(to, request);
      reached();
      await held;
      return to.fetch(request);
    });
    const first = withdrawals.createOnce(payout);
    await creating;
    rotate();
    const second = withdrawals.createOnce(payout);
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    expect((await second).id).toBe((await first).id);
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("does not claim that nothing was sent when an earlier call sent a request and the key is lost", async () => {
    const { fetch, secretKey } = rotatingMerchant(async (to, request) => {
      if (request.method === "POST") throw new TypeError("fetch failed");
      return lagging(to, request);
    });
    let key: () => string | Promise<string> = secretKey;
    const { withdrawals } = clientWith(() => key(), fetch);
    const once = (signal?: AbortSignal) =>
      withdrawals.createOnce(payout, { deadlineMs: 5000, signal }).catch((error) => error);
    expect(await once()).toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    key = () => Promise.reject(new Error("the vault is sealed"));
    const failed = await once();
    expect(failed).toMatchObject({ name: "OutcomeUnknownError", attempts: 0 });
    expect(failed.cause).toMatchObject({ code: "credential_unavailable" });
    expect(failed.message).toContain("an earlier call sent a request that may still take effect");
    key = () => new Promise(() => {});
    expect(await once()).toMatchObject({ outcome: "unknown", cause: { name: "TimeoutError" } });
    expect(await once(AbortSignal.abort())).toMatchObject({
      name: "AbortError",
      outcome: "unknown",
    });
  });

  test("sends nothing while a request with the previous key may still arrive", async () => {
    let sent = 0;
    const { withdrawals, rotate, time } = rotatingMerchant(async (to, request) => {
      if (request.method !== "POST") return lagging(to, request);
      sent += 1;
      if (sent === 1) throw new TypeError("fetch failed");
      return to.fetch(request);
    });
    const options = { deadlineMs: 5000 };
    await expect(withdrawals.createOnce(payout, options)).rejects.toThrow("Outcome unknown");
    rotate();
    const second = withdrawals.createOnce(payout, options);
    await expect(second).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 0 });
    expect(sent).toBe(1);
    time.current = 130_000;
    await withdrawals.createOnce(payout, options);
    expect(sent).toBe(2);
  });
});

describe("createOnce with a function that returns the keys of several merchants", () => {
  type Answer = (response: Response) => Response;

  function twoMerchants(ofOthers: Answer = (response) => response) {
    const sandbox = createSandbox({ merchants: [{}, {}] });
    const request = new AsyncLocalStorage<string>();
    const secretKey = () => request.getStore() ?? "";
    const fetch: Fetch = async (url, init) => {
      const response = await sandbox.fetch(new Request(url, init));
      return response.status === 404 ? ofOthers(response) : response;
    };
    const { withdrawals, time } = clientWith(secretKey, fetch);
    const [a, b] = sandbox.merchants.map((merchant) => (input = payout) => {
      return request.run(merchant.secretKey, () => withdrawals.createOnce(input));
    });
    if (!a || !b) throw new Error("The sandbox has two merchants.");
    return { a, b, time };
  }

  const refusal = { error: { type: "permission_error", code: "forbidden", message: "Not yours." } };

  test.each<[string, Answer]>([
    ["404", (response) => response],
    ["403", () => Response.json(refusal, { status: 403 })],
  ])("makes one for each of them without waiting if another's is a %s", async (_, ofOthers) => {
    const { a, b, time } = twoMerchants(ofOthers);
    const made = [await a(), await b(), await a(), await b()].map(({ id }) => id);
    expect(made[1]).not.toBe(made[0]);
    expect(made.slice(2)).toEqual(made.slice(0, 2));
    expect(time.current).toBe(0);
  });

  test("never returns one merchant's result to another at the same moment", async () => {
    const { a, b } = twoMerchants();
    const [first, second, third] = await Promise.all([a(), b(), a()]);
    expect(second.merchantId).not.toBe(first.merchantId);
    expect(third.id).toBe(first.id);
  });
});

describe("createOnce with a key that never arrives", () => {
  const never = () => new Promise<string>(() => {});
  const fetch = () => Promise.reject(new Error("Nothing is sent."));

  test("ends at its own deadline", async () => {
    const { withdrawals, time } = clientWith(never, fetch);
    const error = await withdrawals
      .createOnce(payout, { deadlineMs: 700 })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({
      name: "TimeoutError",
      operation: "withdrawals.createOnce",
      outcome: "not_sent",
      attempts: 0,
      idempotencyKey: expect.any(String),
    });
    expect(error.message).toContain("deadlineMs (700 ms) waiting for the secretKey function");
    expect(time.current).toBe(700);
  });

  test("ends when its signal aborts", async () => {
    const { withdrawals } = clientWith(never, fetch);
    const signal = AbortSignal.abort(new Error("shutdown"));
    await expect(withdrawals.createOnce(payout, { signal })).rejects.toMatchObject({
      name: "AbortError",
      outcome: "not_sent",
      cause: { message: "shutdown" },
    });
  });
});
