import { once } from "node:events";
import { RateLimitError } from "settlekit";
import { describe, expect, vi } from "vitest";
import { insert } from "./insert.ts";
import { clock, ship, shops } from "./shop.ts";

describe.each(shops)("a payment that failed on %s", (_, it) => {
  it("is retried at once if a webhook arrived during the failed attempt", async ({ shop }) => {
    const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let fails = true;
    shop.inbox.on("payment", "count", {}, () => undefined);
    const get = shop.client.payments.get.bind(shop.client.payments);
    shop.client.payments.get = (async (id: string) => {
      if (!fails) return get(id);
      fails = false;
      entered.resolve();
      await leave.promise;
      throw new Error("The service is down.");
    }) as never;
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    const running = shop.inbox.settleDue();
    await entered.promise;
    await shop.advance(100);
    await shop.sandbox.payments.simulate(paymentId, "success");
    await shop.sandbox.webhooks.idle();
    leave.resolve();
    await running;
    expect(shop.told("retried")).toMatchObject([{ waitMs: 0 }]);
    expect(shop.told("settled")).toMatchObject([{ status: "completed" }]);
  });

  it("shows and counts only failures since it was last settled", async ({ shop }) => {
    let fails = true;
    shop.inbox.on("payment", "count", {}, () => {
      if (fails) throw new Error("busy");
    });
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    await shop.inbox.settleDue();
    fails = false;
    await shop.advance(3_600_000);
    await shop.inbox.settleDue();
    fails = true;
    await shop.sandbox.payments.simulate(paymentId, "success");
    await shop.sandbox.webhooks.idle();
    expect(await shop.inbox.failing()).toEqual([]);
    await shop.inbox.settleDue();
    expect(shop.told("retried").map(({ failures }) => failures)).toEqual([1, 1]);
  });

  it("is reported with every effect that failed", async ({ shop }) => {
    const fail = (text: string) => () => {
      throw new Error(text);
    };
    shop.inbox.on("payment", "ship", {}, fail("out of stock"));
    shop.inbox.on("payment", "count", {}, () => undefined);
    shop.inbox.on("payment", "thank", {}, fail("no address"));
    const id = await shop.paid("order_1");
    const error = {
      name: "AggregateError",
      message: "ship: Error: out of stock; thank: Error: no address",
    };
    await expect(shop.inbox.settle({ kind: "payment", id })).rejects.toMatchObject(error);
    expect(shop.told("retried")).toMatchObject([{ error, effects: ["ship", "thank"] }]);
    expect(await shop.inbox.failing()).toMatchObject([
      { reason: `${error.name}: ${error.message}` },
    ]);
  });

  it("does not end settleDue, even if the database refuses to record it", async ({ shop }) => {
    await shop.query("CREATE UNIQUE INDEX x ON {inbox_subjects} (failures) WHERE failures > 0");
    shop.inbox.on("payment", "ship", {}, () => {
      throw new Error("out of stock");
    });
    for (const orderId of ["order_1", "order_2"]) await shop.paid(orderId);
    await shop.inbox.settleDue();
    expect(await shop.inbox.failing()).toHaveLength(1);
  });

  it.for([
    ["a failure", new Error("The service is down.")],
    ["an outage", new RateLimitError("Too many requests.", { code: "rate_limited" })],
  ] as const)(
    "is left to its new worker by a worker that lost it, even after %s",
    async ([_what, error], { shop }) => {
      const late = shop.openProcess();
      ship(shop.inbox);
      await shop.paid("order_1");
      const get = shop.client.payments.get.bind(shop.client.payments);
      const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let settling: Promise<unknown> | undefined;
      vi.spyOn(shop.client.payments, "get")
        .mockImplementationOnce((async () => {
          await shop.advance(30_001);
          settling = shop.inbox.settleDue();
          await entered.promise;
          throw error;
        }) as never)
        .mockImplementationOnce((async (id: string) => {
          entered.resolve();
          await leave.promise;
          return get(id);
        }) as never);
      await late.inbox.settleDue();
      expect(late.told("fenced")).toHaveLength(1);
      expect(await shop.inbox.failing()).toEqual([]);
      leave.resolve();
      await settling;
      expect(await shop.shipments()).toEqual(["order_1"]);
    },
  );

  it("is not released by a stopped worker once another one has it", async ({ shop }) => {
    const late = shop.openProcess();
    const id = await shop.paid("order_1");
    const get = shop.client.payments.get.bind(shop.client.payments);
    const [begun, taken, leave] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    vi.spyOn(shop.client.payments, "get")
      .mockImplementationOnce((async (_id: string, { signal }: { signal: AbortSignal }) => {
        begun?.resolve();
        await once(signal, "abort");
        throw signal.reason;
      }) as never)
      .mockImplementationOnce((async (...parameters: Parameters<typeof get>) => {
        taken?.resolve();
        await leave?.promise;
        return get(...parameters);
      }) as never);
    const worker = late.inbox.start({ drainMs: 0, reconcileEvery: false });
    await begun?.promise;
    await shop.advance(30_001);
    const settling = (async () => {
      // A late worker that looks for work keeps the row locked for a moment.
      while ((await shop.inbox.settleDue()) === 0);
    })();
    await taken?.promise;
    await worker.stop();
    expect(await shop.inbox.settle({ kind: "payment", id })).toBe(false);
    leave?.resolve();
    await settling;
  });

  it("remains a suspect when its worker is stopped", async ({ shop }) => {
    await shop.paid("order_1");
    await shop.query("UPDATE {inbox_subjects} SET starts = 2");
    const begun = Promise.withResolvers<void>();
    vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (
      _id: string,
      { signal }: { signal: AbortSignal },
    ) => {
      begun.resolve();
      await once(signal, "abort");
      throw signal.reason;
    }) as never);
    const worker = shop.inbox.start({ drainMs: 0, reconcileEvery: false });
    await begun.promise;
    await worker.stop();
    await vi.waitFor(async () => {
      const [row] = await shop.query("SELECT starts, lease_until FROM {inbox_subjects}");
      expect([Number(row?.starts), Number(row?.lease_until)]).toEqual([2, 0]);
    });
  });

  it("has a higher fence after each claim, so that no late worker holds the latest", async ({
    shop,
  }) => {
    const id = await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.inbox.settle({ kind: "payment", id })).toBe(true);
    const [row] = await shop.query("SELECT fence FROM {inbox_subjects}");
    expect(Number(row?.fence)).toBe(2);
  });

  it("is not released with those that another worker did not start", async ({ shop }) => {
    const ending = new AbortController();
    shop.inbox.on("payment", "note", {}, () => ending.abort());
    const id = await shop.paid("order_1");
    await shop.query(`UPDATE {inbox_subjects} SET fence = 1, lease_until = ${clock} + 30000`);
    for (const orderId of ["order_2", "order_3"]) await shop.paid(orderId);
    await shop.inbox.settleDue({ concurrency: 1, signal: ending.signal });
    expect(shop.told("settled")).toHaveLength(1);
    expect(await shop.inbox.settle({ kind: "payment", id })).toBe(false);
  });

  it("is not kept for a worker that has crashed while another one settles others", async ({
    shop,
  }) => {
    for (const name of ["ship", "thank"]) shop.inbox.on("payment", name, {}, () => undefined);
    await shop.paid("order_1");
    await shop.query("UPDATE {inbox_subjects} SET fence = 1, lease_until = due_at + 30000");
    await shop.advance(10_000);
    await shop.paid("order_2");
    expect(await shop.inbox.settleDue()).toBe(1);
    await shop.advance(20_000);
    expect(await shop.inbox.settleDue()).toBe(1);
  });

  it("is no longer parked once settle has settled it", async ({ shop }) => {
    const id = await shop.paid("order_1");
    await shop.query("UPDATE {inbox_subjects} SET parked_at = 1, problem = 'out of stock'");
    expect(await shop.inbox.settle({ kind: "payment", id })).toBe(true);
    expect(await shop.inbox.parked()).toEqual([]);
  });

  it("is parked if it kills each process that calls settle", async ({ shop }) => {
    const id = await shop.paid("killer");
    const death = Promise.withResolvers<never>();
    const get = vi.fn(() => death.promise);
    const client = { payments: { get }, withdrawals: {} } as never;
    const calls = [];
    for (let deaths = 1; deaths <= 3; deaths++) {
      const { inbox } = shop.openProcess({ client });
      calls.push(inbox.settle({ kind: "payment", id }));
      await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(deaths));
      await shop.advance(30_001);
    }
    await shop.inbox.settleDue();
    expect(await shop.inbox.parked()).toMatchObject([
      { subject: id, reason: expect.stringContaining("3 times") },
    ]);
    expect(await shop.inbox.retryAll()).toBe(1);
    expect(await shop.inbox.settleDue()).toBe(1);
    expect(await shop.inbox.parked()).toEqual([]);
    death.reject(new Error("The process has died."));
    await Promise.allSettled(calls);
  });
});

describe.each(shops)("after a fix, an operator on %s", (_, it) => {
  it("sees what fails before it is parked, and retries one or all of it after a fix", async ({
    shop,
  }) => {
    let isBroken = true;
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (tx, payment) => {
      if (isBroken) throw new Error("out of stock");
      return insert(tx, "shipments", payment.orderId ?? null, "") as undefined;
    });
    for (const orderId of ["order_1", "order_2", "order_3"]) await shop.paid(orderId);
    expect(await shop.inbox.failing()).toEqual([]);
    await shop.inbox.settleDue();
    const failing = await shop.inbox.failing();
    expect(failing).toHaveLength(3);
    const [first] = failing;
    expect(first).toMatchObject({ kind: "payment", failures: 1, tenant: "" });
    expect(first?.reason).toBe("ship: Error: out of stock");
    expect(first?.nextAttempt.getTime()).toBeGreaterThan(first?.since.getTime() ?? 0);
    isBroken = false;
    await expect(shop.inbox.retry(undefined as never)).rejects.toThrow(/that failed has the id/);
    expect(await shop.inbox.settleDue()).toBe(0);
    await shop.inbox.retry(first?.id ?? "");
    expect(await shop.inbox.failing()).toEqual(failing.slice(1));
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(1);
    expect(await shop.inbox.retryAll()).toBe(2);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(3);
    expect(await shop.inbox.failing()).toEqual([]);
    expect(await shop.inbox.retryAll()).toBe(0);
  });

  it("sees first what has been failing for longest", async ({ shop }) => {
    shop.inbox.on("payment", "ship", {}, (_tx, { orderId }, tools) => {
      if (orderId === "order_2") throw new Error("out of stock");
      tools.after("email");
    });
    shop.inbox.task("email", () => {
      throw new Error("no mail server");
    });
    for (const orderId of ["order_1", "order_2"]) {
      await shop.paid(orderId);
      await shop.inbox.settleDue();
      await shop.advance(1);
    }
    expect((await shop.inbox.failing()).map(({ kind }) => kind)).toEqual(["task", "payment"]);
  });

  it("sees a failing task, and retries it, also once it is parked", async ({ shop }) => {
    let isBroken = true;
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_tx, _payment, { after }) => {
      after("email");
    });
    shop.inbox.task("email", () => {
      if (isBroken) throw new Error("no mail server");
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.inbox.failing()).toMatchObject([
      { kind: "task", failures: 1, reason: "Error: no mail server" },
    ]);
    expect(await shop.inbox.retryAll()).toBe(1);
    await shop.inbox.settleDue();
    expect(shop.told("retried").map(({ failures }) => failures)).toEqual([1, 1]);
    await shop.query("UPDATE {inbox_tasks} SET parked_at = 1, failures = 0");
    isBroken = false;
    expect(await shop.inbox.retryAll()).toBe(1);
    await shop.inbox.settleDue();
    expect((await shop.inbox.stats()).tasks).toBe(0);
  });
});
