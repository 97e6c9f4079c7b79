import { describe, expect, test } from "vitest";
import { Pace } from "../../src/http/pace.ts";
import { FakeTime } from "./fake-time.ts";

/** Whether the service accepts a request that arrives at this time. */
type Limiter = (atMs: number) => boolean;

/** A limit on the requests in each second of the service's clock. */
function fixedWindow(limitAt: (atMs: number) => number, phaseMs = 0): Limiter {
  let window = -1;
  let count = 0;
  return (atMs) => {
    const current = Math.floor((atMs + phaseMs) / 1000);
    if (current !== window) [window, count] = [current, 0];
    return ++count <= limitAt(atMs);
  };
}

/** A limit on the requests within any second. */
function slidingWindow(limit: number): Limiter {
  let taken: number[] = [];
  return (atMs) => {
    taken = taken.filter((at) => at > atMs - 1000);
    if (taken.length >= limit) return false;
    taken.push(atMs);
    return true;
  };
}

/** A bucket that holds one second's worth of requests and refills steadily. */
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

interface Callers {
  readonly time: FakeTime;
  /** One per client. The callers are divided among them. */
  readonly paces: readonly Pace[];
  readonly takes: Limiter;
  readonly callers?: number;
  readonly answerMs?: number;
}

/** Makes `calls` calls, one after another per caller. A refused call is sent again after a second. */
function call(calls: number, { time, paces, takes, callers = 50, answerMs = 100 }: Callers) {
  const events: { at: number; run: () => void }[] = [];
  const startedAt = time.current;
  const totals = { seconds: 0, sent: 0, refused: 0, lateRefusals: 0 };
  let open = calls;

  function after(ms: number, run: () => void) {
    const at = time.current + ms;
    events.splice(events.findLastIndex((event) => event.at <= at) + 1, 0, { at, run });
  }

  function next(pace: Pace) {
    if (open-- > 0) enter(pace);
  }

  function enter(pace: Pace) {
    const waitMs = pace.reserve();
    if (waitMs === 0) send(pace);
    else after(waitMs, () => (pace.isPaused ? enter(pace) : send(pace)));
  }

  function send(pace: Pace) {
    const sentAt = time.current;
    const isTaken = takes(sentAt);
    totals.sent += 1;
    if (!isTaken) totals.refused += 1;
    if (!isTaken && sentAt > 2000) totals.lateRefusals += 1;
    after(answerMs, () => {
      if (isTaken) {
        pace.accepted(sentAt);
        return next(pace);
      }
      pace.limited(sentAt, 1000);
      after(1000, () => enter(pace));
    });
  }

  for (let caller = 0; caller < callers; caller++) {
    const pace = paces[caller % paces.length] ?? new Pace(time);
    after(caller / 10, () => next(pace));
  }
  for (let event = events.shift(); event; event = events.shift()) {
    time.current = event.at;
    event.run();
  }
  return { ...totals, seconds: (time.current - startedAt) / 1000 };
}

function clients(count = 1) {
  const time = new FakeTime();
  return { time, paces: Array.from({ length: count }, () => new Pace(time)) };
}

const takesAll = () => true;

/** Refuses one request in `count`, chosen by a generator with a fixed seed. */
function refusesOneIn(count: number): Limiter {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count !== 0;
  };
}

describe("a 429 that no rate limit caused", () => {
  test("after a few calls does not delay the next 200", () => {
    const shop = clients();
    let count = 0;
    call(5, { ...shop, takes: () => ++count !== 5, callers: 1 });
    expect(call(200, { ...shop, takes: takesAll }).seconds).toBeLessThan(1);
  });

  test("slows a shop down for only a few seconds when another one follows soon after", () => {
    const shop = clients();
    let count = 0;
    const { refused } = call(8, { ...shop, takes: () => ![4, 8].includes(++count), callers: 1 });
    expect(refused).toBe(2);
    expect(call(200, { ...shop, takes: takesAll }).seconds).toBeLessThan(8);
  });

  test("costs less than 40 percent of the throughput when one request in 50 gets it", () => {
    const { seconds } = call(5_000, { ...clients(), takes: takesAll });
    const disturbed = call(5_000, { ...clients(), takes: refusesOneIn(50) });
    expect(disturbed.refused).toBeGreaterThan(80);
    expect(disturbed.seconds).toBeLessThan(seconds / 0.6);
  });

  test("no longer delays other calls once the service accepts a later request", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    time.current = 100;
    pace.limited(50, 30_000);
    pace.accepted(49);
    expect([pace.isPaused, pace.waitMs]).toEqual([true, 30_000]);
    pace.accepted(51);
    expect([pace.isPaused, pace.waitMs]).toEqual([false, 0]);
  });

  test("keeps its pause after one accepted request if many others are refused", () => {
    const pace = new Pace(new FakeTime());
    for (let count = 0; count < 10; count++) pace.limited(0, 1000);
    pace.accepted(1);
    expect(pace.isPaused).toBe(true);
  });
});

describe("a minute in which every request is refused", () => {
  test("causes few requests, and is forgotten soon after", () => {
    const shop = clients();
    const takes = (atMs: number) => atMs < 10_000 || atMs > 70_000;
    const { seconds, refused } = call(6_000, { ...shop, takes });
    expect(refused).toBeLessThan(200);
    expect(seconds).toBeLessThan(90);
  });
});

describe("2,000 requests to a service that accepts 100 per second", () => {
  test.each<[string, Limiter]>([
    ["in a fixed window", fixedWindow(() => 100)],
    ["in a fixed window that begins within a second", fixedWindow(() => 100, 700)],
    ["in a sliding window", slidingWindow(100)],
    ["by a token bucket", tokenBucket(100)],
  ])("take at most 23 seconds, with few refusals, when they are limited %s", (_, limiter) => {
    const { seconds, sent, lateRefusals } = call(2000, {
      ...clients(),
      takes: limiter,
      answerMs: 4,
    });
    expect(seconds).toBeLessThan(23);
    expect(lateRefusals / sent).toBeLessThan(0.03);
  });
});

describe("a limit that changes over time", () => {
  test("is followed down from 100 to 50", () => {
    const falling = fixedWindow((atMs) => (atMs < 10_000 ? 100 : 50));
    const { seconds, sent, lateRefusals } = call(2000, {
      ...clients(),
      takes: falling,
      answerMs: 4,
    });
    expect(seconds).toBeLessThan(40);
    expect(lateRefusals / sent).toBeLessThan(0.03);
  });

  test("is followed up from 50 to 200 in time", () => {
    const rising = fixedWindow((atMs) => (atMs < 10_000 ? 50 : 200));
    const { seconds } = call(10_000, { ...clients(), takes: rising, answerMs: 4 });
    expect(seconds).toBeLessThan(120);
  });

  test("that appears is followed within seconds", () => {
    const limited = fixedWindow((atMs) => (atMs < 10_000 ? 1_000 : 100));
    // Without a limit, 5,000 calls take 10 s.
    const { seconds, sent, refused } = call(8_000, { ...clients(), takes: limited });
    // Another 3,000 take 30 s at best.
    expect(seconds).toBeLessThan(46);
    expect(refused / sent).toBeLessThan(0.03);
  });

  test("that disappears is forgotten within a minute", () => {
    const shop = clients();
    const limited = fixedWindow((atMs) => (atMs < 20_000 ? 100 : 1_000));
    call(8_000, { ...shop, takes: limited });
    expect(shop.time.current).toBeLessThan(80_000);
    expect(call(5_000, { ...shop, takes: takesAll }).seconds).toBeLessThan(11);
  });

  test("that several clients share is used fully, with few refusals", () => {
    const { seconds, sent, lateRefusals } = call(6000, {
      ...clients(3),
      takes: slidingWindow(100),
    });
    expect(seconds).toBeLessThan(75);
    expect(lateRefusals / sent).toBeLessThan(0.05);
  });
});

describe("the pace", () => {
  test("is not limited before the first 429", () => {
    const pace = new Pace(new FakeTime());
    expect(Array.from({ length: 100 }, () => pace.reserve())).toEqual(Array(100).fill(0));
  });

  test("pauses as long as the service asks, then hands out slots one by one", () => {
    const pace = new Pace(new FakeTime());
    for (let count = 0; count < 50; count++) pace.accepted(0);
    for (let count = 0; count < 10; count++) pace.limited(0, 2000);
    expect(pace.isPaused).toBe(true);
    // 50 requests were accepted in the 2 s before the 429; slots keep a margin below that.
    const slots = [pace.reserve(), pace.reserve(), pace.reserve()];
    expect(slots.map(Math.round)).toEqual([2000, 2042, 2083]);
  });

  test("slows down once for all the 429s of a burst", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 100; count++) pace.accepted(0);
    for (let count = 0; count < 50; count++) pace.limited(0, 1000);
    pace.reserve();
    expect(pace.waitMs).toBeCloseTo(1000 + 1000 / 96, 0);
  });

  test("does not slow down after a single 429, which shows no limit", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    pace.accepted(0);
    pace.limited(0, 1000);
    time.current = 1000;
    expect([pace.reserve(), pace.reserve(), pace.reserve()]).toEqual([0, 0, 0]);
  });

  test("pauses for five minutes at most, whatever the service asks", () => {
    const pace = new Pace(new FakeTime());
    pace.limited(0, 999_999_999_000);
    expect(pace.waitMs).toBe(300_000);
  });

  test("keeps the slots after a pause for the calls that already wait for them", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 10; count++) pace.limited(0, 1000);
    time.current = 1000;
    const slots = Array.from({ length: 30 }, () => pace.reserve());
    const last = slots.at(-1) ?? 0;
    expect(last).toBeGreaterThan(2000);
    pace.limited(1000, 1000);
    expect(pace.reserve()).toBeGreaterThan(last);
  });

  test("never falls below one request per second, and recovers when no 429 follows", () => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let second = 0; second < 10; second++) {
      time.current = 1000 * second;
      for (let count = 0; count < 10; count++) pace.limited(time.current, 1000);
    }
    time.current = 10_000;
    expect(pace.reserve()).toBe(0);
    expect(pace.waitMs).toBeLessThanOrEqual(1000);
    time.current = 30_000;
    pace.reserve();
    expect(pace.waitMs).toBeLessThan(50);
  });
});
