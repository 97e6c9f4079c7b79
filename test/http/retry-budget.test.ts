import { describe, expect, test } from "vitest";
import { RetryBudget } from "../../src/http/pace.ts";
import { getPayment } from "../../src/wire/operations.ts";
import { payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo } from "./http-to.ts";

/** Spends the retries that are left, at most 1,000. Returns how many there were. */
function drain(budget: RetryBudget): number {
  let taken = 0;
  for (; budget.hasRetry && taken < 1000; taken++) budget.spend();
  return taken;
}

describe("an empty retry budget", () => {
  test("regains one retry per second", () => {
    const time = new FakeTime();
    const budget = new RetryBudget(time);
    expect(drain(budget)).toBe(100);
    time.current += 999;
    expect(budget.hasRetry).toBe(false);
    time.current += 1;
    expect(drain(budget)).toBe(1);
    time.current += 7_000;
    expect(drain(budget)).toBe(7);
  });

  test("regains one retry for every ten successes", () => {
    const budget = new RetryBudget(new FakeTime());
    drain(budget);
    for (let success = 0; success < 9; success++) budget.succeeded();
    expect(budget.hasRetry).toBe(false);
    for (let success = 9; success < 50; success++) budget.succeeded();
    expect(drain(budget)).toBe(5);
  });

  test("never refills beyond a hundred retries", () => {
    const time = new FakeTime();
    const budget = new RetryBudget(time);
    time.current += 3_600_000;
    for (let success = 0; success < 50; success++) budget.succeeded();
    expect(drain(budget)).toBe(100);
  });
});

test("an outage empties the retry budget, and successful calls refill it", async () => {
  let status = 503;
  const fetch = () => Promise.resolve(Response.json(payment, { status }));
  const frozen = { ...new FakeTime(), sleep: async () => {} };
  const http = httpTo({ url: "https://api.example" }, { fetch }, frozen);
  const read = () => http.call(getPayment, { path: { paymentId: payment.id } });
  const attempts = () => read().catch((error) => error.attempts);

  for (let call = 0; call < 34; call++) await attempts();
  expect(await attempts()).toBe(1);
  await expect(read()).rejects.toMatchObject({
    message: expect.stringMatching(/its retries are used up/),
  });
  status = 200;
  for (let call = 0; call < 20; call++) await read();
  status = 503;
  expect(await attempts()).toBe(3);
});
