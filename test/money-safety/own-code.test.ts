import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SettlekitError } from "../../src/errors.ts";
import type { ClientHooks } from "../../src/http/hooks.ts";
import type { FetchInit } from "../../src/http/settings.ts";
import { realTime } from "../../src/http/time.ts";
import type { ClientOptions } from "../../src/options.ts";
import { createMerchantWithdrawal, createWithdrawal } from "../../src/wire/operations.ts";
import { httpTo } from "../http/http-to.ts";

// Calls with every combination of a merchant's hooks, fetch function, token function, aborts and limits.

const runs = Number(process.env.SETTLEKIT_FAULT_RUNS ?? 200);

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => {});
const fails = () => Promise.reject(new Error("own"));

type Before = NonNullable<ClientHooks["beforeRequest"]>[number];
type After = NonNullable<ClientHooks["afterResponse"]>[number];

const withoutSignal: Before = async ({ request }) => {
  const { method, headers, url } = request;
  return new Request(url, { method, headers, body: await request.clone().text() });
};
const beforeHooks = {
  header: ({ request }) => request.headers.set("traceparent", "1"),
  copy: ({ request }) => new Request(`${request.url}?by=proxy`, request),
  withoutSignal,
  slow: () => later(60),
  slowWithoutSignal: (state) => later(60).then(() => withoutSignal(state)),
  aborted: ({ request }) => new Request(request, { signal: AbortSignal.abort() }),
  never,
  fails,
} satisfies Record<string, Before>;
const afterHooks = {
  reads: async ({ response }) => void (await response.text()),
  replaces: async ({ response }) => new Response(await response.text(), response),
  slow: () => later(60),
  never,
  fails,
} satisfies Record<string, After>;

/** What a service and its network do with the requests of one call. */
class Service {
  /** Requests that took effect, by idempotency key. */
  readonly made: string[] = [];
  /** Fetches and bodies that have not ended, by their signals. */
  readonly open = new Set<AbortSignal>();

  make({ headers }: FetchInit): Response {
    this.made.push(headers["idempotency-key"] ?? "");
    return Response.json({ id: "w1" }, { status: 201 });
  }
}

type Serve = (service: Service, init: FetchInit) => Promise<Response>;

function aborting(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

const lost = (code: string) =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error(code), { code, syscall: "connect", hostname: "api.example" }),
  });

function refusing(status: number, headers = {}): Serve {
  const error = { type: "invalid_request_error", code: "refused", message: "No." };
  return async () => Response.json({ error }, { status, headers });
}

/** Takes effect, and then does something else than answering. */
const making =
  (then: (init: FetchInit) => Response | Promise<Response>): Serve =>
  async (service, init) => {
    service.make(init);
    return then(init);
  };

const services = {
  made: async (service, init) => service.make(init),
  madeLate: async (service, init) => {
    await Promise.race([later(60), aborting(init.signal)]);
    return service.make(init);
  },
  answeredLate: async (service, init) => {
    const response = service.make(init);
    await Promise.race([later(60), aborting(init.signal)]);
    return response;
  },
  ignoresSignal: async (service, init) => {
    const response = service.make(init);
    await later(60);
    return response;
  },
  silent: making(({ signal }) => aborting(signal)),
  stalls: async (service, init) => {
    service.make(init);
    service.open.add(init.signal);
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      init.signal.addEventListener("abort", () => controller.error(init.signal.reason));
    };
    const cancel = () => void service.open.delete(init.signal);
    return new Response(new ReadableStream({ start, cancel }), { status: 201 });
  },
  reset: making(() => Promise.reject(lost("ECONNRESET"))),
  page: making(() => new Response("<html>", { status: 502 })),
  unavailable: making(() => Response.json({}, { status: 503 })),
  redirect: making(() => new Response(null, { status: 302 })),
  noResponse: making(() => undefined as never),
  fails: making(fails),
  unreachable: () => Promise.reject(lost("ECONNREFUSED")),
  conflict: refusing(409),
  invalid: refusing(422),
  unauthorised: refusing(401),
  limited: refusing(429),
  limitedForASecond: refusing(429, { "retry-after": "1" }),
} satisfies Record<string, Serve>;

const tokens = {
  prompt: async () => "token_1",
  slow: (asked: number) => later(50).then(() => `token_${asked}`),
  failsLater: async (asked: number) => (asked > 1 ? fails() : "token_1"),
  neverLater: async (asked: number) => (asked > 1 ? never() : "token_1"),
};

const oneOf = <T extends object>(choices: T) =>
  fc.constantFrom(...Object.values(choices)) as fc.Arbitrary<T[keyof T]>;

const settings = fc.record({
  before: fc.array(oneOf(beforeHooks), { maxLength: 2 }),
  after: fc.array(oneOf(afterHooks), { maxLength: 2 }),
  answers: fc.array(oneOf(services), { minLength: 1, maxLength: 4 }),
  token: fc.option(oneOf(tokens)),
  replay: fc.constantFrom("unsafe", "keyed"),
  abortAt: fc.option(fc.constantFrom(0, 1, 20, 59, 60, 61, 100, 1000)),
  limits: fc.record({
    timeoutMs: fc.constantFrom(30, 60, 61, 90, 500),
    deadlineMs: fc.constantFrom(40, 60, 120, 1500, 5000),
    maxRetries: fc.constantFrom(0, 1, 3),
    maxConcurrency: fc.constantFrom(1, Number.POSITIVE_INFINITY),
  }),
});

test("a withdrawal is made at most once, its error never denies it, and nothing of it stays in flight", async () => {
  const property = fc.asyncProperty(
    settings,
    async ({ before, after, answers, token, replay, abortAt, limits }) => {
      const service = new Service();
      const queue = [...answers];
      let sent = 0;
      const fetch = async (_: string, init: FetchInit) => {
        sent += 1;
        const serve = (queue.length > 1 ? queue.shift() : queue[0]) as Serve;
        service.open.add(init.signal);
        const answer = serve(service, init);
        return serve === services.stalls
          ? answer
          : answer.finally(() => service.open.delete(init.signal));
      };
      const hooks = { beforeRequest: before, afterResponse: after };
      const options: ClientOptions = {
        ...limits,
        fetch,
        ...(before.length + after.length > 0 && { hooks }),
      };
      let http = httpTo({ url: "https://api.example" }, options, realTime);
      if (token) {
        let asked = 0;
        const value = () => token(++asked);
        http = http.withCredential({ param: "accessToken", value, path: { merchantId: "m1" } });
      }
      const controller = new AbortController();
      if (abortAt !== null) setTimeout(() => controller.abort(), abortAt);
      const operation = {
        ...(token ? createMerchantWithdrawal : createWithdrawal),
        replay,
      } as const;
      const call = http.call(
        operation,
        { body: { amountInCents: 100 } },
        { signal: controller.signal },
      );
      const ending = call.then(
        () => undefined,
        (error: SettlekitError) => error,
      );
      let isSettled = false;
      ending.finally(() => {
        isSettled = true;
      });
      while (!isSettled) await vi.advanceTimersByTimeAsync(10);
      const error = await ending;

      const { made, open } = service;
      const total = made.length;
      if (replay === "unsafe") expect(total).toBeLessThanOrEqual(1);
      else expect(new Set(made).size).toBeLessThanOrEqual(1);
      if (error === undefined) expect(total).toBeGreaterThan(0);
      else if (total > 0) expect(error.outcome).toBe("unknown");
      else if (sent === 0) expect(error.outcome).toBe("not_sent");
      if (error) expect([...open].filter((signal) => !signal.aborted)).toEqual([]);

      const sentBefore = sent;
      await vi.advanceTimersByTimeAsync(500);
      expect([sent, made.length]).toEqual([sentBefore, total]);
    },
  );
  await fc.assert(property, { numRuns: runs });
});
