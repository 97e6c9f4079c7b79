import { createSandbox, type Duration } from "settlekit/sandbox";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { create, list, newYear, read } from "../merchant.ts";

describe("a frozen clock", () => {
  it("stays at its start time until it is advanced", async () => {
    const sandbox = createSandbox({ now: newYear });
    expect(sandbox.clock.now()).toEqual(newYear);
    expect(sandbox.clock.isFrozen()).toBe(true);
    expect(createSandbox().clock.isFrozen()).toBe(false);
    await sandbox.clock.advance("90s");
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:01:30.000Z");
  });

  it("copies the dates that it takes and returns", () => {
    const start = new Date(newYear);
    const sandbox = createSandbox({ now: start });
    start.setFullYear(1999);
    sandbox.clock.now().setFullYear(1999);
    expect(sandbox.clock.now()).toEqual(newYear);
  });

  it.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["15m", 900_000],
    ["24h", 86_400_000],
    ["2d", 172_800_000],
    [1, 1],
    [0, 0],
    ["0s", 0],
  ] as const)("advances by %s", async (duration, milliseconds) => {
    const sandbox = createSandbox({ now: newYear });
    await sandbox.clock.advance(duration);
    expect(sandbox.clock.now().getTime() - newYear.getTime()).toBe(milliseconds);
  });

  it.each([
    "",
    "15",
    "m",
    "15 m",
    "-1m",
    "1.5h",
    "15min",
    "1e3s",
    "15m ",
    -1,
    0.5,
    Number.NaN,
    1 / 0,
  ])("refuses %j as a duration and does not move", async (duration) => {
    const sandbox = createSandbox({ now: newYear });
    await expect(sandbox.clock.advance(duration as Duration)).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_duration",
      param: "duration",
      message: expect.stringContaining('"15m"'),
    });
    expect(sandbox.clock.now()).toEqual(newYear);
  });

  it("refuses to advance past the last valid date", async () => {
    const sandbox = createSandbox({ now: newYear });
    await expect(sandbox.clock.advance("2000000d")).rejects.toMatchObject({
      code: "invalid_duration",
    });
    await sandbox.clock.advance("1s");
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:00:01.000Z");
  });
});

describe("advancing the clock", () => {
  it("expires quotes after ten minutes and the payment after fifteen, each on time", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { payment } = await create(sandbox);
    const happened = await sandbox.clock.advance("1h");

    expect(happened).toMatchObject([
      {
        at: "2026-01-01T00:10:00.000Z",
        type: "quotes.expired",
        paymentId: payment.id,
        quoteIds: payment.quotes.map(({ id }) => id),
      },
      {
        at: "2026-01-01T00:15:00.000Z",
        type: "payment.expired",
        paymentId: payment.id,
        orderId: "order_1",
      },
    ]);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T01:00:00.000Z");
    const expired = await read(sandbox, payment.id);
    expect(expired).toMatchObject({ status: "expired", receipt: null });
    expect(expired.quotes.every(({ status }) => status === "expired")).toBe(true);
  });

  it("expires nothing a millisecond early", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    const minutes = 60_000;
    const statuses: [string, string | undefined][] = [];
    for (const step of [10 * minutes - 1, 1, 5 * minutes - 1, 1]) {
      await sandbox.clock.advance(step);
      const { status, quotes } = await read(sandbox, paymentId);
      statuses.push([status, quotes[0]?.status]);
    }
    expect(statuses).toEqual([
      ["pending", "active"],
      ["pending", "expired"],
      ["pending", "expired"],
      ["expired", "expired"],
    ]);
  });

  it("expires several payments in the order of their due times", async () => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox, { orderId: "first" });
    await sandbox.clock.advance("6m");
    await create(sandbox, { orderId: "second", type: "deposit" });
    const happened = await sandbox.clock.advance("30m");
    expect(happened.map(({ at, type }) => [at.slice(11, 16), type])).toEqual([
      ["00:10", "quotes.expired"],
      ["00:15", "payment.expired"],
      ["00:16", "quotes.expired"],
      ["00:21", "payment.expired"],
    ]);
  });

  it("does not change final payments", async () => {
    const sandbox = createSandbox({ now: newYear });
    for (const scenario of ["success", "underpayment", "overpayment", "timeout"] as const) {
      const { paymentId } = await create(sandbox);
      await sandbox.payments.simulate(paymentId, scenario);
    }
    expect(await sandbox.clock.advance("1d")).toEqual([]);
  });

  it("runs concurrent advances one after the other", async () => {
    const sandbox = createSandbox({ now: newYear });
    await create(sandbox);
    const [first, second] = await Promise.all([
      sandbox.clock.advance("12m"),
      sandbox.clock.advance("12m"),
    ]);
    expect(first.map(({ type }) => type)).toEqual(["quotes.expired"]);
    expect(second.map(({ type }) => type)).toEqual(["payment.expired"]);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:24:00.000Z");
  });

  it("finishes one expiry before the next, even when both are due at the same time", async () => {
    const seen: (string | undefined)[] = [];
    const sandbox = createSandbox({
      now: newYear,
      deliver: async () => {
        const { data } = await list(sandbox, "?sortOrder=ASC");
        seen.push(data.map(({ status }) => status).join(" "));
        return new Response();
      },
    });
    await create(sandbox, { orderId: "first" });
    await create(sandbox, { orderId: "second" });
    await sandbox.webhooks.idle();
    seen.length = 0;
    await sandbox.clock.advance("15m");
    expect(seen).toEqual(["expired pending", "expired expired"]);
  });

  it("does not return webhooks that were already in flight", async () => {
    const deliver = async () => {
      await new Promise(setImmediate);
      return new Response();
    };
    const sandbox = createSandbox({ now: newYear, deliver });
    await create(sandbox);
    expect(await sandbox.clock.advance("1m")).toEqual([]);
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("sets the Date header of answers to the sandbox's time", async () => {
    const sandbox = createSandbox({ now: newYear });
    await sandbox.clock.advance("1h");
    const response = await sandbox.fetch(new Request("http://sandbox.test/"));
    expect(response.headers.get("date")).toBe("Thu, 01 Jan 2026 01:00:00 GMT");
  });
});

describe("a running clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: newYear });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("follows the system clock from the time it was advanced to", async () => {
    const sandbox = createSandbox();
    expect(sandbox.clock.now()).toEqual(newYear);
    vi.advanceTimersByTime(1_000);
    await sandbox.clock.advance("1h");
    vi.advanceTimersByTime(1_000);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T01:00:02.000Z");
  });

  it("never goes backwards, even when the system clock does", () => {
    const sandbox = createSandbox();
    vi.setSystemTime(newYear.getTime() + 5_000);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:00:05.000Z");
    vi.setSystemTime(newYear);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:00:05.000Z");
    vi.setSystemTime(newYear.getTime() + 6_000);
    expect(sandbox.clock.now().toISOString()).toBe("2026-01-01T00:00:06.000Z");
  });

  it("processes due work by itself, with a single timer", async () => {
    const sandbox = createSandbox();
    for (let index = 0; index < 3; index++) await create(sandbox, { orderId: `order_${index}` });
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(15 * 60_000);
    expect(sandbox.webhooks.deliveries().map(({ data }) => [data.orderId, data.status])).toEqual([
      ["order_0", "pending"],
      ["order_1", "pending"],
      ["order_2", "pending"],
      ["order_0", "expired"],
      ["order_1", "expired"],
      ["order_2", "expired"],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits longer when the system clock is set back", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    vi.setSystemTime(newYear.getTime() - 60_000);
    vi.advanceTimersByTime(15 * 60_000);
    expect(sandbox.webhooks.deliveries()).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    expect(sandbox.webhooks.deliveries()).toHaveLength(2);
  });

  it("needs no timer when it is frozen", async () => {
    await create(createSandbox({ now: newYear }));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has no timer once the sandbox is closed, not even for what is scheduled later", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    sandbox.close();
    await create(sandbox);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("processes due work before a request, even when the timer is late", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    vi.setSystemTime(newYear.getTime() + 15 * 60_000);
    expect((await read(sandbox, paymentId)).status).toBe("expired");
  });

  it("processes due work before a scenario, even when the timer is late", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    vi.setSystemTime(newYear.getTime() + 15 * 60_000);
    await expect(sandbox.payments.simulate(paymentId, "success")).rejects.toMatchObject({
      code: "payment_not_pending",
    });
  });

  it("resets its timer after an advance", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    await sandbox.clock.advance("14m");
    vi.advanceTimersByTime(59_999);
    expect(sandbox.webhooks.deliveries()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sandbox.webhooks.deliveries()).toHaveLength(2);
  });

  it("cancels due work on a reset", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    sandbox.reset();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(3_600_000);
    expect(sandbox.webhooks.deliveries()).toEqual([]);
  });
});

it("a sandbox with payments pending does not keep its process alive", async () => {
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  await create(createSandbox());
  const timers = setTimer.mock.results.map(({ value }) => value as NodeJS.Timeout);
  setTimer.mockRestore();
  expect(timers).toHaveLength(1);
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
  for (const timer of timers) clearTimeout(timer);
});
