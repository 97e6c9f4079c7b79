import pLimit from "p-limit";
import { describe, expect, test, vi } from "vitest";
import { enter } from "../../src/http/pace.ts";
import type { FetchInit } from "../../src/http/settings.ts";
import { realTime } from "../../src/http/time.ts";
import { paymentSecret } from "../../src/resources/arguments.ts";
import { getCheckoutPayment, getPayment } from "../../src/wire/operations.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo } from "./http-to.ts";

const read = { path: { paymentId: payment.id } };

describe("maxConcurrency", () => {
  test("limits how many requests run at once, and all of them finish", async () => {
    let underWay = 0;
    let most = 0;
    const fetch = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return Response.json(payment);
    };
    const http = httpTo({ url: "https://api.example" }, { fetch, maxConcurrency: 3 }, realTime);
    const calls = Array.from({ length: 20 }, () => http.call(getPayment, read));
    expect(await Promise.all(calls)).toHaveLength(20);
    expect(most).toBe(3);
  });

  test("frees the place of a call that fails", async () => {
    using server = scriptedService({ status: 404 });
    const http = httpTo(server, { maxConcurrency: 1 });
    for (let call = 0; call < 3; call++) {
      await expect(http.call(getPayment, read)).rejects.toMatchObject({ name: "NotFoundError" });
    }
  });

  test("is not used up by calls that wait after a 429", async () => {
    const isLimited = (init: FetchInit) => "x-service-payment-secret" in init.headers;
    const fetch = async (_: string, init: FetchInit) =>
      isLimited(init)
        ? new Response("", { status: 429, headers: { "retry-after": "20" } })
        : Response.json(payment);
    const asleep = Promise.withResolvers<void>();
    const sleep = (_: number, signal?: AbortSignal) => {
      asleep.resolve();
      return new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    };
    const time = { ...new FakeTime(), sleep };
    const http = httpTo({ url: "https://api.example" }, { fetch, maxConcurrency: 1 }, time);
    const customer = http.withCredential(paymentSecret("ps_1"));
    const leaving = new AbortController();
    const refused = customer.call(getCheckoutPayment, read, { signal: leaving.signal });
    await asleep.promise;
    const waiting = customer.call(getCheckoutPayment, read, { signal: leaving.signal });
    expect(await http.call(getPayment, read)).toEqual(payment);
    leaving.abort();
    expect(await Promise.allSettled([refused, waiting])).toMatchObject([
      { reason: { name: "AbortError" } },
      { reason: { name: "AbortError" } },
    ]);
  });

  test("ends a retry that gets no turn before its deadline with the failure before it", async () => {
    const time = new FakeTime();
    const leaving = new AbortController();
    const fetch = vi
      .fn(() => new Promise<Response>(() => {}))
      .mockResolvedValueOnce(new Response("", { status: 503 }));
    let other: Promise<unknown> | undefined;
    // Another call takes the only slot before the retry.
    const sleep = async (ms: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      other ??= http.call(getPayment, read, { signal: leaving.signal });
      while (fetch.mock.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await time.sleep(ms);
    };
    const options = { fetch, maxConcurrency: 1 };
    const http = httpTo({ url: "https://api.example" }, options, { ...time, sleep });
    const call = http.call(getPayment, read, { deadlineMs: 1000 });
    await expect(call).rejects.toMatchObject({ name: "ServerError", status: 503, attempts: 1 });
    leaving.abort();
    await expect(other).rejects.toMatchObject({ name: "AbortError" });
  });

  test("ends a queued call when it is aborted or reaches its deadline", async () => {
    const time = new FakeTime();
    const limits: { ms: number; reach: () => void }[] = [];
    const sleep = (ms: number) =>
      new Promise<void>((resolve) => {
        const reach = () => {
          time.current += ms;
          resolve();
        };
        limits.push({ ms, reach });
      });
    const fetch = vi.fn(() => new Promise<Response>(() => {}));
    const http = httpTo(
      { url: "https://api.example" },
      { fetch, maxConcurrency: 1 },
      { ...time, sleep },
    );
    const [running, leaving] = [new AbortController(), new AbortController()];
    const first = http.call(getPayment, read, { signal: running.signal });
    const calls = Promise.allSettled([
      http.call(getPayment, read, { deadlineMs: 1000 }),
      http.call(getPayment, read, { signal: leaving.signal }),
    ]);
    // Each queued call waits until its deadline at the latest.
    while (limits.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(limits.map(({ ms }) => ms)).toEqual([1000, 90_000]);
    leaving.abort();
    limits[0]?.reach();
    expect(await calls).toMatchObject([
      {
        reason: {
          code: "deadline_exceeded",
          outcome: "not_sent",
          message: expect.stringMatching(
            /^Nothing was sent: .* Raise maxConcurrency, or deadlineMs\.$/,
          ),
        },
      },
      { reason: { name: "AbortError", outcome: "not_sent" } },
    ]);
    running.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    expect(fetch).toHaveBeenCalledOnce();
  });
});

test("a place that is given up in the queue does not block the next one", async () => {
  const limit = pLimit(1);
  const [first, second, third] = [enter(limit), enter(limit), enter(limit)];
  second.leave();
  first.leave();
  expect(third.turn).toBeDefined();
  await third.turn;
  third.leave();
  await new Promise((resolve) => setImmediate(resolve));
  expect(limit.activeCount).toBe(0);
  expect(enter(limit).turn).toBeUndefined();
});
