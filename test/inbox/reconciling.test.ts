import { once } from "node:events";
import { describe, expect, vi } from "vitest";
import { clock, openShop, ship, shops } from "./shop.ts";

const watermark = "SELECT watermark FROM {inbox_watermarks} WHERE kind = 'payment'";

describe.each(shops)("reconciling on %s", (_, it) => {
  it("finds changes that no webhook reported, and counts them", async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    shop.deliverTo(async () => new Response());
    await shop.paid("order_2");
    expect(await shop.inbox.reconcile()).toEqual({ listed: 2, missed: 1 });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1", "order_2"]);
    expect(await shop.inbox.reconcile()).toEqual({ listed: 2, missed: 0 });
    expect((await shop.inbox.stats()).missed).toBe(1);
  });

  it("finds a status that no webhook reported, of a payment whose earlier one was settled", async ({
    shop,
  }) => {
    ship(shop.inbox);
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    await shop.inbox.settleDue();
    shop.deliverTo(async () => new Response());
    await shop.sandbox.payments.simulate(paymentId, "success");
    expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 1 });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("misses nothing created at exactly the watermark", async ({ shop: { database } }) => {
    const shop = await openShop(database, { now: new Date() });
    ship(shop.inbox);
    await shop.inbox.settleDue();
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    await shop.inbox.reconcile();
    // The service's clock stands still: the next one is created in the same instant.
    await shop.paid("order_2");
    await shop.inbox.reconcile();
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1", "order_2"]);
  });

  it("misses nothing while the database's clock is ahead of the service's", async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
    await shop.advance(20 * 60_000);
    shop.deliverTo(async () => new Response());
    for (const orderId of ["order_1", "order_2"]) {
      await shop.paid(orderId);
      expect(await shop.inbox.reconcile()).toMatchObject({ missed: 1 });
      await shop.inbox.settleDue();
    }
    expect(await shop.shipments()).toEqual(["order_1", "order_2"]);
  });

  it("goes back to `since`, but runs no effect for states reached before its registration", async ({
    shop: { database },
  }) => {
    const shop = await openShop(database, { now: new Date(Date.now() - 20 * 86_400_000) });
    shop.deliverTo(async () => new Response());
    await shop.paid("long ago");
    ship(shop.inbox);
    await shop.inbox.settleDue();
    expect(await shop.inbox.reconcile()).toEqual({ listed: 0, missed: 0 });
    expect(await shop.inbox.reconcile({ since: new Date(0) })).toEqual({ listed: 1, missed: 1 });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual([]);
  });

  it("runs an effect for a state that the list shows first, and a webhook only since its registration", async ({
    shop: { database },
  }) => {
    const shop = await openShop(database, { now: new Date(Date.now() - 20 * 86_400_000) });
    const late: Request[] = [];
    shop.deliverTo(async (request) => {
      late.push(request.clone());
      return new Response();
    });
    await shop.paid("long ago");
    ship(shop.inbox);
    await shop.inbox.settleDue();
    await shop.inbox.reconcile({ since: new Date(0) });
    for (const request of late) await shop.inbox.fetchHandler()(request);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["long ago"]);
  });

  it("reads items from before a later `since` the next time", async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    await shop.advance(3_600_000);
    const since = new Date(Date.now() + 3_540_000);
    expect(await shop.inbox.reconcile({ since })).toEqual({ listed: 0, missed: 0 });
    expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 1 });
  });

  it.for([
    ["id", undefined],
    ["id", "pay_\0"],
    ["id", "pay_\ud800"],
    ["createdAt", undefined],
    ["status", undefined],
    ["status", "paid\0"],
  ] as const)(
    "goes on past an item with the unreadable %s %j, and does not read the whole list forever",
    async ([field, value], { shop }) => {
      ship(shop.inbox);
      await shop.inbox.settleDue();
      shop.deliverTo(async () => new Response());
      await shop.paid("order_1");
      await shop.client.payments.create({ amount: 2500, orderId: "odd" });
      await shop.paid("order_2");
      const list = shop.client.payments.list.bind(shop.client.payments);
      vi.spyOn(shop.client.payments, "list").mockImplementation(async function* (
        ...parameters: Parameters<typeof list>
      ) {
        for await (const item of list(...parameters)) {
          yield item.orderId === "odd" ? { ...item, [field]: value } : item;
        }
      } as never);
      expect(await shop.inbox.reconcile()).toMatchObject({ listed: 3 });
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1", "order_2"]);
      const failures = shop.told("failed").map(({ kind, error }) => ({ kind, error }));
      const error = expect.objectContaining({
        code: "unusable_id",
        message: expect.stringContaining('the orderId "odd"'),
      });
      expect(failures).toEqual(field === "id" ? [{ kind: "payment", error }] : []);
      const [first] = await shop.query(watermark);
      await shop.advance(8 * 86_400_000);
      await shop.inbox.reconcile();
      const [later] = await shop.query(watermark);
      expect(Number(later?.watermark)).toBeGreaterThan(Number(first?.watermark));
    },
  );

  it("goes on past a null", async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    const list = shop.client.payments.list.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "list").mockImplementation(async function* () {
      yield null;
      yield* list();
    } as never);
    expect(await shop.inbox.reconcile()).toEqual({ listed: 2, missed: 1 });
    expect(shop.told("failed")).toMatchObject([{ error: { code: "unusable_id" } }]);
  });

  it("counts only what no webhook reported, and hurries nothing that is retried", async ({
    shop,
  }) => {
    shop.inbox.on("payment", "ship", { states: ["completed"] }, () => {
      throw new Error("out of stock");
    });
    await shop.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 0 });
    expect(await shop.inbox.settleDue()).toBe(0);
  });

  it("takes an earlier status for a list that lags", async ({ shop }) => {
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    const list = shop.client.payments.list.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "list").mockImplementation(async function* (
      ...parameters: Parameters<typeof list>
    ) {
      for await (const item of list(...parameters)) yield { ...item, status: "pending" };
    } as never);
    expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 0 });
  });

  it.for(["tenant = 'other'", "by_order = 1"])(
    "finds a payment although a row with %s has its id",
    async (other, { shop }) => {
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      await shop.query(`UPDATE {inbox_subjects} SET ${other}`);
      expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 1 });
    },
  );

  it("retries a failed list after a minute", async ({ shop }) => {
    const turn = () => shop.inbox.start({ reconcileEvery: "1h" }).stop();
    const read = () => shop.told("reconciled").map(({ kind }) => kind);
    vi.spyOn(shop.client.payments, "list").mockImplementationOnce(() => {
      throw new Error("The service is down.");
    });
    await turn();
    expect(read()).toEqual(["withdrawal"]);
    await shop.advance(59_000);
    await turn();
    expect(read()).toEqual(["withdrawal"]);
    await shop.advance(1_000);
    await turn();
    expect(read()).toEqual(["withdrawal", "payment"]);
  });

  it("wakes a worker for what it finds, and a new process for what an effect has missed", async ({
    shop,
  }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
    await using _worker = shop.inbox.start({ pollMs: 2_147_483_647, reconcileEvery: false });
    const shipped = (...orders: string[]) =>
      vi.waitFor(async () => expect(await shop.shipments()).toEqual(orders));
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    await shop.inbox.reconcile();
    await shipped("order_1");
    const { store } = shop;
    const [older, newer] = [shop.openProcess({ store }), shop.openProcess({ store })];
    const id = await shop.paid("order_2");
    expect(await older.inbox.settle({ kind: "payment", id })).toBe(true);
    ship(newer.inbox);
    vi.spyOn(shop.client.payments, "list").mockReturnValueOnce([] as never);
    await newer.inbox.reconcile();
    await shipped("order_1", "order_2");
  });

  it("rejects with the signal's reason once it aborts, even if a list failed before", async ({
    shop,
  }) => {
    const abort = new AbortController();
    const fail = (reason: Error) => () => {
      throw reason;
    };
    vi.spyOn(shop.client.payments, "list").mockImplementation(fail(new Error("down")));
    vi.spyOn(shop.client.withdrawals, "list").mockImplementation(() => {
      abort.abort(new Error("Time is up."));
      return fail(abort.signal.reason)();
    });
    const reconciling = shop.inbox.reconcile({ signal: abort.signal });
    await expect(reconciling).rejects.toThrow("Time is up.");
  });

  it("is done by another worker after one was stopped during it", async ({ shop }) => {
    const { promise: isReading, resolve } = Promise.withResolvers<void>();
    const hang = (_: unknown, { signal }: { signal: AbortSignal }) => ({
      [Symbol.asyncIterator]: () => ({
        async next() {
          resolve();
          await once(signal, "abort");
          throw signal.reason;
        },
      }),
    });
    for (const kind of ["payments", "withdrawals"] as const) {
      vi.spyOn(shop.client[kind], "list").mockImplementationOnce(hang as never);
    }
    const worker = shop.inbox.start({ reconcileEvery: "1h", drainMs: 0 });
    await isReading;
    await worker.stop();
    expect(shop.told("reconciled")).toEqual([]);
    expect(shop.told("failed")).toEqual([]);
    vi.restoreAllMocks();
    // `stop` does not wait for a database that takes longer than a second to release the lists.
    const released = `SELECT kind FROM {inbox_watermarks} WHERE due_at <= 60000 + ${clock}`;
    await vi.waitFor(async () => expect(await shop.query(released)).toHaveLength(2));
    await shop.advance(60_000);
    await shop.inbox.start({ reconcileEvery: "1h" }).stop();
    expect(shop.told("reconciled")).toHaveLength(2);
  });

  it("is done by only one of several workers each time", async ({ shop }) => {
    const other = shop.openProcess();
    await using _one = shop.inbox.start({ reconcileEvery: "1h" });
    await using _two = other.inbox.start({ reconcileEvery: "1h" });
    const told = () => [...shop.told("reconciled"), ...other.told("reconciled")];
    await vi.waitFor(() => expect(told()).toHaveLength(2));
    expect(
      told()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["payment", "withdrawal"]);
  });
});
