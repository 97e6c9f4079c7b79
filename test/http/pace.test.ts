import { describe, expect, test } from "vitest";
import { Pace } from "../../src/http/pace.ts";
import { FakeTime } from "./fake-time.ts";

/** Whether a service takes a request that arrives at a time. */
type Limiter = (atMs: number) => boolean;

/** So many requests in each second of the service's clock. */
function fixedWindow(limitAt: (atMs: number) => number, phaseMs = 0): Limiter {
  let window = -1;
  let count = 0;
  return (atMs) => {
    const current = Math.floor((atMs + phaseMs) / 1000);
    if (current !== window) [window, count] = [current, 0];
    return ++count <= limitAt(atMs);
  };
}

/** So many requests within any second. */
function slidingWindow(limit: number): Limiter {
  let taken: number[] = [];
  return (atMs) => {
    taken = taken.filter((at) => at > atMs - 1000);
    if (taken.length >= limit) return false;
    taken.push(atMs);
    return true;
  };
}

/** A bucket that holds a second's worth and fills steadily. */
function tokenBucket(limit: number): Limiter {
  let tokens = limit;
  let filledAt = 0;
  return (atMs) => {
    tokens = Math.min(limit, tokens + ((atMs - filledAt) / 1000) * limit);
    filledAt = atMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Sends requests, at most 50 at once, each answered after 4 ms; refused ones are sent again. */
function send(requests: number, takes: Limiter) {
  const time = new FakeTime();
  const pace = new Pace(time);
  const answers: { at: number; sentAt: number; accepted: boolean }[] = [];
  let open = requests;
  let lateRefusals = 0;
  let sent = 0;
  while (open > 0 || answers.length > 0) {
    const [answer] = answers;
    const mayWait = answers.length >= 50 || open === 0;
    if (answer && (mayWait || answer.at <= time.current + pace.waitMs)) {
      answers.shift();
      time.current = Math.max(time.current, answer.at);
      if (answer.accepted) pace.accepted();
      else {
        pace.limited(answer.sentAt, 1000);
        open += 1;
        if (answer.sentAt > 2000) lateRefusals += 1;
      }
      continue;
    }
    time.current += pace.reserve() + 0.2;
    open -= 1;
    sent += 1;
    const sentAt = time.current;
    answers.push({ at: sentAt + 4, sentAt, accepted: takes(sentAt + 2) });
  }
  return { seconds: time.current / 1000, sent, lateRefusals };
}

describe("against a service that takes 100 requests a second, 2,000 requests", () => {
  test.each<[string, Limiter]>([
    ["counted from the start", fixedWindow(() => 100)],
    ["counted from within the first second", fixedWindow(() => 100, 700)],
    ["counted in a sliding window", slidingWindow(100)],
    ["filled steadily", tokenBucket(100)],
  ])("are done in at most 23 seconds, with few refusals, when %s", (_, limiter) => {
    const { seconds, sent, lateRefusals } = send(2000, limiter);
    expect(seconds).toBeLessThan(23);
    expect(lateRefusals / sent).toBeLessThan(0.03);
  });
});

describe("a limit that changes on the way", () => {
  test("from 100 to 50 is followed down", () => {
    const falling = fixedWindow((atMs) => (atMs < 10_000 ? 100 : 50));
    const { seconds, sent, lateRefusals } = send(2000, falling);
    expect(seconds).toBeLessThan(40);
    expect(lateRefusals / sent).toBeLessThan(0.03);
  });

  test("from 50 to 200 is followed up in time", () => {
    const rising = fixedWindow((atMs) => (atMs < 10_000 ? 50 : 200));
    expect(send(10_000, rising).seconds).toBeLessThan(120);
  });
});

describe("the pace", () => {
  test("is not limited before the first 429", () => {
    const pace = new Pace(new FakeTime());
    expect(Array.from({ length: 100 }, () => pace.reserve())).toEqual(Array(100).fill(0));
  });

  test("pauses as long as the service asks, then gives slots one by one", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 50; count++) pace.accepted();
    pace.limited(0, 2000);
    expect(pace.isPaused).toBe(true);
    // 50 within the 2 s that the service looks at, less a margin.
    const slots = [pace.reserve(), pace.reserve(), pace.reserve()];
    expect(slots.map(Math.round)).toEqual([2000, 2042, 2083]);
  });

  test("is set once by the many 429s of one burst", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 100; count++) pace.accepted();
    for (let count = 0; count < 50; count++) pace.limited(0, 1000);
    pace.reserve();
    expect(pace.waitMs).toBeCloseTo(1000 + 1000 / 96, 0);
  });

  test("is not set by a 429 that comes after too few requests to tell the limit", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    pace.accepted();
    pace.limited(0, 1000);
    time.current = 1000;
    expect([pace.reserve(), pace.reserve(), pace.reserve()]).toEqual([0, 0, 0]);
  });

  test("pauses for five minutes at most, whatever the service asks", () => {
    const pace = new Pace(new FakeTime());
    pace.limited(0, 999_999_999_000);
    expect(pace.waitMs).toBe(300_000);
  });

  test("does not fall below one request a second, nor stay low when no 429 comes", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 3; count++) pace.accepted();
    pace.limited(0, 10_000);
    time.current = 10_000;
    expect(pace.reserve()).toBe(0);
    expect(pace.waitMs).toBeLessThanOrEqual(1000);
    time.current = 71_000;
    pace.reserve();
    expect(pace.waitMs).toBeLessThan(50);
  });
});
