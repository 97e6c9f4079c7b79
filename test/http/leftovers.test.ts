import { expect, test } from "vitest";
import { realTime } from "../../src/http/time.ts";
import type { ClientOptions } from "../../src/options.ts";
import { getPayment } from "../../src/wire/operations.ts";
import { payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";
import { leftovers, nothing } from "./leftovers.ts";

const read = { path: { paymentId: payment.id } };
const answered = async () => Response.json(payment);
const failed = (status: number) => async () => new Response("", { status });
const lost = () => Promise.reject(new TypeError("fetch failed"));
const silent = () => new Promise<Response>(() => {});

/** Returns these responses in order. */
function inTurn(...answers: (() => Promise<Response>)[]) {
  return () => (answers.shift() ?? answered)();
}

test.each<[string, ClientOptions]>([
  ["that succeeds", { fetch: answered }],
  ["whose key comes from a vault", { fetch: answered, secretKey: async () => "sk_test_1" }],
  ["whose key never arrives", { secretKey: () => new Promise(() => {}) }],
  ["that succeeds after retries", { fetch: inTurn(failed(503), lost, failed(429), silent) }],
  ["that the service rejects", { fetch: failed(404) }],
  ["that is redirected", { fetch: failed(302) }],
  ["whose connection keeps failing", { fetch: lost }],
  ["that is not answered until the deadline", { fetch: silent, deadlineMs: 1000 }],
  ["whose response is unreadable", { fetch: async () => new Response("<html>") }],
])("a call %s leaves no timer and no listener", async (_, options) => {
  const left = await leftovers((signal) => {
    const http = httpTo({ url: "https://api.example" }, options, realTime);
    return http.call(getPayment, read, { signal });
  });
  expect(left).toEqual(nothing);
});

test.each<[string, (abort: () => void) => () => Promise<Response>]>([
  [
    "while it waits for the response",
    (abort) => () => {
      abort();
      return silent();
    },
  ],
  [
    "while it waits for the body",
    (abort) => async () => {
      setTimeout(abort, 10);
      return new Response(new ReadableStream());
    },
  ],
  [
    "between two attempts",
    (abort) => async () => {
      setTimeout(abort, 10);
      return new Response("", { status: 429, headers: { "retry-after": "30" } });
    },
  ],
])("a call that is aborted %s leaves no timer and no listener", async (_, fetchWith) => {
  const left = await leftovers((signal, abort) => {
    const options = { fetch: fetchWith(abort) };
    const http = httpTo({ url: "https://api.example" }, options, realTime);
    return http.call(getPayment, read, { signal });
  });
  expect(left).toEqual(nothing);
});

test("queued calls leave no timer and no listener", async () => {
  const left = await leftovers((signal) => {
    const options = { fetch: answered, maxConcurrency: 1 };
    const http = httpTo({ url: "https://api.example" }, options, realTime);
    return Promise.all([1, 2, 3].map(() => http.call(getPayment, read, { signal })));
  });
  expect(left).toEqual(nothing);
});
