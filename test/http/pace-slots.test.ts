import { expect, test } from "vitest";
import { Pace } from "../../src/http/pace.ts";
import { getPayment } from "../../src/wire/operations.ts";
import { payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo } from "./http-to.ts";

const limited = (seconds: number) =>
  new Response("", { status: 429, headers: { "retry-after": String(seconds) } });

test("a call that waits for its slot keeps waiting when another call's 429 begins a longer pause", async () => {
  const time = new FakeTime();
  const slowAnswer = Promise.withResolvers<Response>();
  const answers = [slowAnswer.promise, limited(1), Response.json(payment)];
  const sentAt: number[] = [];
  const fetch = async () => {
    sentAt.push(time.current);
    return (await answers.shift()) ?? limited(1);
  };
  let beforeSleeping = async () => {};
  const sleep = async (ms: number) => {
    await beforeSleeping();
    await time.sleep(ms);
  };
  const http = httpTo({ url: "https://api.example" }, { fetch }, { ...time, sleep });
  const call = () => http.call(getPayment, { path: { paymentId: payment.id } }, { maxRetries: 0 });

  const slow = call();
  await expect(call()).rejects.toMatchObject({ retryAfterMs: 1000 });
  // The slow response arrives when the third call has its slot, at 1 s, and is about to wait for it.
  beforeSleeping = async () => {
    slowAnswer.resolve(limited(30));
    await expect(slow).rejects.toMatchObject({ retryAfterMs: 30_000 });
  };
  await call();
  expect(time.waits).toEqual([1000, 29_000]);
  expect(sentAt).toEqual([0, 0, 30_000]);
});

test("calls that are aborted while they wait for their slots give them back", async () => {
  const time = new FakeTime();
  let isHeld = false;
  const sleep = (ms: number, signal?: AbortSignal) =>
    isHeld
      ? new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()))
      : time.sleep(ms);
  // Two 429s in a row show a limit.
  const answers = [limited(1), limited(1)];
  const fetch = async () => answers.shift() ?? Response.json(payment);
  const http = httpTo({ url: "https://api.example" }, { fetch }, { ...time, sleep });
  const call = (signal?: AbortSignal) =>
    http.call(getPayment, { path: { paymentId: payment.id } }, { signal });
  await call();

  isHeld = true;
  const leaving = new AbortController();
  const calls = Array.from({ length: 50 }, () => call(leaving.signal).catch(() => "left"));
  await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  expect((await Promise.all(calls)).filter((end) => end === "left").length).toBeGreaterThan(45);

  isHeld = false;
  time.waits.length = 0;
  await call();
  expect(time.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(1000);
});

test("a 429 soon after a pause halves the rate at most, to a guess that doubles in 3 s", () => {
  const time = new FakeTime();
  const pace = new Pace(time);
  for (let count = 0; count < 100; count++) pace.accepted(0);
  for (let count = 0; count < 50; count++) pace.limited(0, 1000);
  time.current = 1100;
  pace.accepted(1000);
  pace.limited(1000, 1000);
  pace.reserve();
  expect(pace.waitMs).toBeCloseTo(1000 + 1000 / (0.96 * 48), 0);
  time.current += 4000;
  pace.reserve();
  expect(pace.waitMs).toBeCloseTo(1000 / (2 * 0.96 * 48), 0);
});
