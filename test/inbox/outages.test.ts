import { MerchantClient, RateLimitError } from "settlekit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outages } from "../../src/inbox/outages.ts";
import { stopTime } from "../stop-time.ts";
import { type Shop, ship, shops } from "./shop.ts";

const always = { times: Number.POSITIVE_INFINITY };
const down = { status: 503, when: "before" } as const;

describe.each(shops)("while the service cannot be read, an inbox on %s", (_, it) => {
  it.beforeEach(async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
  });
  afterEach(() => void vi.useRealTimers());

  const failures = async (shop: Shop) =>
    Number((await shop.query("SELECT max(failures) AS most FROM {inbox_subjects}"))[0]?.most);
  const orders = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => `order_${n + from}`);
  const sell = async (shop: Shop, names: readonly string[]) => {
    const ids = [];
    for (const name of names) ids.push(await shop.paid(name));
    return ids;
  };
  const reads = (shop: Shop) =>
    shop.sandbox.requests().filter(({ method }) => method === "GET").length;
  const passUntil = async (shop: Shop, isDone: () => Promise<boolean>) => {
    while (!(await isDone())) await shop.pass(250);
  };
  const isShipped = (shop: Shop, count: number) => async () =>
    (await shop.shipments()).length === count;

  it("counts no failures, and leaves the work to a worker with a valid key", async ({ shop }) => {
    const wrong = new MerchantClient({
      environment: "sandbox",
      baseUrl: "http://127.0.0.1:4010",
      secretKey: "sk_test_revoked",
      fetch: (url, init) => shop.sandbox.fetch(new Request(url, init as RequestInit)),
    });
    const { inbox, told } = shop.openProcess({ client: wrong });
    ship(inbox);
    await sell(shop, orders(40));
    expect(await inbox.settleDue()).toBeLessThanOrEqual(16);
    expect(told("retried")).toEqual([]);
    expect(told("failed")).toMatchObject([
      { tenant: "", kind: "payment", error: { name: "AuthenticationError" } },
    ]);
    expect(await failures(shop)).toBe(0);
    const failing = await inbox.failing();
    expect(failing.length).toBeGreaterThan(0);
    expect(failing[0]).toMatchObject({ failures: 0, reason: expect.stringMatching(/^Authent/) });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(40);
    expect(await inbox.failing()).toEqual([]);
  });

  it.for([
    ["503", down],
    ["a broken connection", { connection: "reset", when: "before" }],
    ["an unreadable page", { ...down, status: 200, body: "<p>Back soon</p>" }],
    ["a redirect", { ...down, status: 302, body: "" }],
  ] as const)(
    "counts no failures after %s, even of a webhook without an id",
    async ([_, fault], { shop }) => {
      const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_0" });
      await shop.query("UPDATE {inbox_subjects} SET subject = 'order_0', by_order = 1");
      await shop.sandbox.payments.simulate(paymentId, "success");
      await shop.sandbox.webhooks.idle();
      shop.sandbox.faults.next("GET /payments", fault, always);
      for (let n = 0; n < 3; n++) await shop.inbox.settleDue();
      await expect(shop.inbox.settle({ kind: "payment", id: paymentId })).rejects.toMatchObject({
        outcome: expect.any(String),
      });
      expect(await failures(shop)).toBe(0);
      expect(shop.told("retried")).toEqual([]);
      shop.sandbox.faults.clear();
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_0"]);
      expect(await shop.inbox.parked()).toEqual([]);
    },
  );

  it("counts no failures while its key lacks the permission to read anything", async ({ shop }) => {
    for (const route of ["GET /payments/{paymentId}", "GET /payments"] as const) {
      shop.sandbox.faults.next(route, { status: 403, when: "before" }, always);
    }
    await sell(shop, ["order_1"]);
    await shop.inbox.settleDue();
    expect(shop.told("failed")).toMatchObject([{ error: { name: "PermissionError" } }]);
    expect(await failures(shop)).toBe(0);
  });

  it("counts no failures after a 429, which is never about one payment", async ({ shop }) => {
    await sell(shop, ["order_0"]);
    const limited = new RateLimitError("Too many requests.", { code: "rate_limited" });
    const get = vi.spyOn(shop.client.payments, "get").mockRejectedValueOnce(limited);
    await shop.inbox.settleDue();
    expect(get).toHaveBeenCalledOnce();
    expect(await failures(shop)).toBe(0);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_0"]);
  });

  it("parks a payment that alone cannot be read, and settles the others at once", async ({
    shop,
  }) => {
    const [sick] = await sell(shop, ["sick"]);
    shop.sandbox.faults.next(`GET /payments/${sick}`, down, always);
    for (let n = 0; n < 25; n++) {
      await sell(shop, [`order_${n}`]);
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toHaveLength(n + 1);
      await shop.advance(22_100_000);
    }
    expect(await shop.inbox.parked()).toMatchObject([{ subject: sick, failures: 25 }]);
    expect(shop.told("failed")).toEqual([]);
  });

  it("parks a payment that the service does not know, even if the key may not read the list", async ({
    shop,
  }) => {
    const [unknown] = await sell(shop, ["order_1"]);
    shop.sandbox.faults.next(`GET /payments/${unknown}`, { ...down, status: 404 }, always);
    shop.sandbox.faults.next("GET /payments", { ...down, status: 403 }, always);
    for (let n = 0; n < 25; n++) {
      await shop.inbox.settleDue();
      await shop.advance(22_100_000);
    }
    expect(await shop.inbox.parked()).toMatchObject([{ subject: unknown, failures: 25 }]);
    expect(shop.told("failed")).toEqual([]);
  });

  it("tries one payment at a time, with growing pauses, and continues within half a minute", async ({
    shop,
  }) => {
    shop.sandbox.faults.next("GET /payments", down, always);
    await sell(shop, orders(40));
    stopTime();
    await using _worker = shop.inbox.start({ reconcileEvery: false });
    await passUntil(shop, async () => shop.told("failed").length > 0);
    await shop.pass(5_000);
    const before = reads(shop);
    await shop.pass(240_000);
    // A payment and the list, every 15 to 30 s.
    expect(reads(shop) - before).toBeGreaterThanOrEqual(2 * 7);
    expect(reads(shop) - before).toBeLessThanOrEqual(2 * 18);
    expect(shop.told("failed")).toMatchObject([{ kind: "payment" }]);
    expect(shop.told("retried")).toEqual([]);
    expect(await failures(shop)).toBe(0);
    shop.sandbox.faults.clear();
    await shop.pass(30_500);
    await vi.waitFor(async () => expect(await shop.shipments()).toHaveLength(40));
    vi.useRealTimers();
  });

  it("continues with the others if the list cannot be read, and one payment cannot either", async ({
    shop,
  }) => {
    const [sick] = await sell(shop, ["sick"]);
    await shop.advance(1);
    await sell(shop, orders(3));
    await shop.advance(1);
    shop.sandbox.faults.next(`GET /payments/${sick}`, down, always);
    const list = vi.spyOn(shop.client.payments, "list").mockRejectedValue(new Error("no list"));
    stopTime();
    await using _worker = shop.inbox.start({ concurrency: 1, reconcileEvery: false });
    await passUntil(shop, isShipped(shop, 3));
    expect(list).toHaveBeenCalled();
    vi.useRealTimers();
  });

  it("stops without another request", async ({ shop }) => {
    await sell(shop, ["order_0"]);
    shop.sandbox.faults.next("GET /payments", { latencyMs: 60_000, when: "before" });
    const worker = shop.inbox.start({ reconcileEvery: false, drainMs: 0 });
    await vi.waitFor(() => expect(reads(shop)).toBe(1));
    await worker.stop();
    expect(reads(shop)).toBe(1);
    expect(await failures(shop)).toBe(0);
    expect(shop.told("failed")).toEqual([]);
  });

  it("tries again what another worker never finished", async ({ shop }) => {
    shop.sandbox.faults.next("GET /payments", down, always);
    await sell(shop, ["order_1"]);
    stopTime();
    await using _worker = shop.inbox.start({ reconcileEvery: false });
    await passUntil(shop, async () => shop.told("failed").length > 0);
    shop.sandbox.faults.clear();
    await shop.query("UPDATE {inbox_subjects} SET starts = 1");
    await passUntil(shop, isShipped(shop, 1));
    vi.useRealTimers();
  });

  it("settles other merchants' payments", async ({ shop }) => {
    const webhooks = () => shop.webhooks;
    const client = (tenant: string) => {
      if (tenant !== "revoked") return shop.client;
      throw new Error("There is no key for it.");
    };
    const { inbox, told } = shop.openProcess({ client, webhooks });
    ship(inbox);
    const id = await shop.paid("order_1");
    await shop.query("UPDATE {inbox_subjects} SET tenant = 'revoked'");
    shop.deliverTo(inbox.fetchHandler({ tenant: "other" }));
    for (const name of orders(40, 2)) await shop.paid(name);
    await inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(40);
    expect(told("failed")).toMatchObject([{ tenant: "revoked", kind: "payment" }]);
    expect(await inbox.failing()).toMatchObject([{ subject: id, failures: 0 }]);
  });
});

describe("the pauses of an outage", () => {
  const item = { tenant: "", kind: "payment", id: "p" } as const;
  beforeEach(() => stopTime());
  afterEach(() => void vi.useRealTimers().restoreAllMocks());

  it("grow to 30 seconds, are randomised, and end at once", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const outages = new Outages();
    const pauses = [];
    for (let n = 0; n < 7; n++) {
      expect(outages.pause(item)).toBe(n === 0);
      // Others that were running.
      expect(outages.pause({ ...item, id: "q" })).toBe(false);
      const start = performance.now();
      while (outages.due([]).length === 0) vi.advanceTimersByTime(100);
      pauses.push(performance.now() - start);
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(outages.due([item])).toEqual([]);
    expect(outages.all).toEqual(["payment/"]);
    expect(outages.has({ ...item, kind: "withdrawal" })).toBe(false);
    outages.end(item);
    expect([outages.has(item), outages.pause(item)]).toEqual([false, true]);
  });
});
