import { describe, expect, vi } from "vitest";
import { insert } from "./insert.ts";
import { openShop, ship, shops } from "./shop.ts";

const day = 86_400_000;

describe.each(shops)("an effect on %s", (_, it) => {
  it("runs only for its kind, even if one of the other kind has its name", async ({ shop }) => {
    const ran: string[] = [];
    for (const kind of ["payment", "withdrawal"] as const) {
      for (const name of ["book", `book_${kind}`]) {
        shop.inbox.on(kind, name, {}, (_tx, { id }) => {
          ran.push(`${name} of ${kind} ${id}`);
        });
      }
    }
    const id = await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(ran).toEqual([`book of payment ${id}`, `book_payment of payment ${id}`]);
    expect(shop.told("retried")).toEqual([]);
  });

  it("that was added while the inbox was running is not skipped, but reported", async ({
    shop,
  }) => {
    // Its name is registered, but for the other kind.
    shop.inbox.on("withdrawal", "ship", {}, () => {});
    const get = shop.client.payments.get.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (id: string) => {
      ship(shop.inbox);
      return get(id);
    }) as never);
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(shop.told("retried")).toMatchObject([
      { error: { code: "effect_not_registered", message: expect.stringContaining("effect ship") } },
    ]);
    await shop.advance(10_000);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("for `confirmed` runs for `completed`, which means the same", async ({ shop }) => {
    const states: string[] = [];
    shop.inbox.on("payment", "ship", { states: ["confirmed"] }, (_tx, _payment, { state }) => {
      states.push(state);
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(states).toEqual(["completed"]);
  });

  it("does not take a withdrawal's `confirmed`, which no description names, for `completed`", async ({
    shop,
  }) => {
    const ran: string[] = [];
    shop.inbox.on("withdrawal", "book", { states: ["completed"] }, () => {
      ran.push("book");
    });
    const { withdrawals } = shop.client;
    const made = await withdrawals.create({
      amountInCents: 1_000,
      chainId: 84_532,
      recipientAddress: "0x52908400098527886E0F7030069857D2E4169EE7",
    });
    withdrawals.get = (() => Promise.resolve({ ...made, status: "confirmed" })) as never;
    await shop.sandbox.webhooks.idle();
    await shop.inbox.settleDue();
    expect(ran).toEqual([]);
    const { inbox } = shop.openProcess();
    const states = { states: ["confirmed"], since: new Date(0) } as const;
    inbox.on("withdrawal", "note", states, (_tx, _withdrawal, { state }) => {
      ran.push(state);
    });
    await inbox.settleDue();
    expect(ran).toEqual(["confirmed"]);
  });

  it("that is new runs for states reached after its `since`, however long ago that was", async ({
    shop,
  }) => {
    await shop.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(3 * day);
    const ran: unknown[] = [];
    const { inbox } = shop.openProcess();
    inbox.on("payment", "thank", { since: new Date(0) }, (_tx, { orderId }) => {
      ran.push(orderId);
    });
    await inbox.settleDue();
    expect(ran).toEqual(["order_1"]);
  });

  it("that is new runs once a known payment reaches its state, even if only the list shows that", async ({
    shop,
  }) => {
    shop.deliverTo(async () => new Response());
    const settle = async () => {
      await shop.inbox.reconcile({ since: new Date(0) });
      await shop.inbox.settleDue();
    };
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await settle();
    await shop.advance(day);
    ship(shop.inbox);
    await settle();
    await shop.sandbox.payments.simulate(paymentId, "success");
    await settle();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it.for([
    ["an hour", day / 24, ["completed"]],
    ["three days", 3 * day, []],
  ] as const)(
    "that an older version did not have, %s ago, catches up for two days",
    async ([_age, ms, caughtUp], { shop }) => {
      const ran: string[] = [];
      const newerVersion = async () => {
        const newer = shop.openProcess();
        newer.inbox.on("payment", "note", {}, (_tx, _payment, { state }) => {
          ran.push(state);
        });
        await newer.inbox.settleDue();
      };
      await newerVersion();
      const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
      await shop.sandbox.webhooks.idle();
      await newerVersion();
      const before = ran.length;
      expect(before).toBeGreaterThan(0);
      ship(shop.inbox);
      await shop.inbox.settleDue();
      await shop.sandbox.payments.simulate(paymentId, "success");
      await shop.sandbox.webhooks.idle();
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
      await shop.advance(ms);
      await newerVersion();
      expect(ran.slice(before)).toEqual(caughtUp);
    },
  );

  it("that is new does not run for a state reached before its `since` and found later", async ({
    shop: { database },
  }) => {
    const shop = await openShop(database, { now: new Date(Date.now() - 20 * day) });
    shop.deliverTo(async () => new Response());
    await shop.paid("long ago");
    await shop.inbox.settleDue();
    await shop.inbox.reconcile({ since: new Date(0) });
    await shop.inbox.settleDue();
    const { inbox } = shop.openProcess();
    const ran: unknown[] = [];
    inbox.on("payment", "thank", { since: new Date(Date.now() - 10 * day) }, (_tx, { orderId }) => {
      ran.push(orderId);
    });
    await inbox.settleDue();
    expect(ran).toEqual([]);
  });

  it("that missed nothing causes no more work", async ({ shop }) => {
    shop.inbox.on("payment", "count", {}, () => undefined);
    await shop.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(1);
    const { inbox } = shop.openProcess();
    inbox.on("payment", "thank", {}, () => undefined);
    inbox.on("withdrawal", "book", { since: new Date(0) }, () => undefined);
    expect(await inbox.settleDue()).toBe(0);
  });

  it("catches up with a confirmed payment as with a completed one, and only once", async ({
    shop,
  }) => {
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    const { inbox } = shop.openProcess();
    inbox.on("payment", "thank", { states: ["completed"], since: new Date(0) }, () => undefined);
    const settleConfirmed = async () => {
      await shop.query("UPDATE {inbox_subjects} SET status = 'confirmed'");
      return inbox.settleDue();
    };
    expect(await settleConfirmed()).toBe(1);
    await settleConfirmed();
    await inbox.reconcile();
    expect(await inbox.settleDue()).toBe(0);
  });

  it("that a payment has missed does not hurry its next attempt", async ({ shop }) => {
    const newer = shop.openProcess();
    ship(newer.inbox);
    await newer.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.query(`UPDATE {inbox_subjects} SET news = news + 1, due_at = due_at + ${day / 24}`);
    const restarted = shop.openProcess();
    ship(restarted.inbox);
    expect(await restarted.inbox.settleDue()).toBe(0);
    await shop.advance(day / 12);
    expect((await restarted.inbox.stats()).lagMs).toBe(day / 12);
    await restarted.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("that catches up late does not count as having waited", async ({ shop }) => {
    const newer = shop.openProcess();
    ship(newer.inbox);
    await newer.inbox.settleDue();
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(day / 24);
    const restarted = shop.openProcess();
    ship(restarted.inbox);
    await restarted.inbox.reconcile();
    expect(await restarted.inbox.stats()).toMatchObject({ changed: 1, lagMs: 0 });
  });

  it("gets the driver's own client", async ({ shop }) => {
    shop.inbox.on("payment", "ship", {}, (tx, payment) => {
      expect(typeof Object(tx)[shop.store.mode === "sync" ? "prepare" : "query"]).toBe("function");
      return insert(tx, "shipments", payment.orderId ?? null, "") as undefined;
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });
});
