import { describe, expect } from "vitest";
import { type Shop, ship, shops } from "./shop.ts";

const month = 30 * 86_400_000;
const repaired = (because: RegExp) =>
  expect.objectContaining({ code: "clock_was_ahead", message: expect.stringMatching(because) });

describe.each(shops)("an inbox on %s whose database's clock was ahead", (_, it) => {
  it.beforeEach(async ({ shop }) => {
    ship(shop.inbox);
    await shop.inbox.settleDue();
  });

  const errors = (shop: Shop) => shop.told("failed").map(({ error }) => error);

  it("rereads the lists, and reports it", async ({ shop }) => {
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    await shop.query(`UPDATE {inbox_watermarks} SET watermark = watermark + ${month}`);
    const day = 86_400_000;
    await shop.advance(day);
    expect(await shop.inbox.reconcile()).toEqual({ listed: 1, missed: 1 });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
    expect(errors(shop)).toEqual([
      repaired(/clock was ahead.*payment list is read again from seven days ago/),
      repaired(/withdrawal list/),
    ]);
    // Minutes are no reason to read that much again.
    await shop.query(
      "UPDATE {inbox_watermarks} SET watermark = (SELECT ms + 240000 FROM test_clock)",
    );
    await shop.inbox.reconcile();
    expect(errors(shop)).toHaveLength(2);
  });

  it("checks the lists on schedule, although the next check was set a month ahead", async ({
    shop,
  }) => {
    await shop.advance(month);
    await shop.inbox.start({ reconcileEvery: "5m" }).stop();
    await shop.query("UPDATE {inbox_watermarks} SET watermark = 0");
    await shop.advance(-month);
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    const worker = shop.inbox.start({ reconcileEvery: "5m" });
    await expect.poll(() => shop.shipments()).toEqual(["order_1"]);
    await worker.stop();
  });

  it("makes rows that would wait for a month due now, and reports their number", async ({
    shop,
  }) => {
    const mails: unknown[] = [];
    let isDown = true;
    const mailing = (inbox: Shop["inbox"]) =>
      inbox
        .on("payment", "mail", { states: ["completed"] }, (_tx, { orderId }, { after }) =>
          after("mail", orderId),
        )
        .task("mail", (orderId) => {
          if (isDown) throw new Error("Try again");
          mails.push(orderId);
        });
    mailing(shop.inbox);
    await shop.inbox.settleDue();
    await shop.advance(month);
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.paid("order_2");
    // A worker that has crashed since holds it.
    await shop.query("UPDATE {inbox_subjects} SET lease_until = due_at, due_at = 0 WHERE seen = 0");
    await shop.advance(-month);
    const next = shop.openProcess();
    ship(next.inbox);
    mailing(next.inbox);
    isDown = false;
    await next.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1", "order_2"]);
    expect(mails.sort()).toEqual(["order_1", "order_2"]);
    expect(next.told("failed")).toMatchObject([
      { error: repaired(/Subjects \(1\) and tasks \(1\) are due now/) },
    ]);
  });

  it("starts effects now that were registered in the meantime, and names them", async ({
    shop,
  }) => {
    const done: unknown[] = [];
    shop.inbox.on("payment", "invoice", {}, (_tx, { orderId }) => void done.push(orderId) as never);
    await shop.advance(month);
    await shop.inbox.settleDue();
    await shop.advance(-month);
    const next = shop.openProcess();
    next.inbox.on("payment", "invoice", {}, (_tx, { orderId }) => void done.push(orderId) as never);
    await next.inbox.settleDue();
    await shop.paid("order_1");
    await next.inbox.settleDue();
    expect(new Set(done)).toEqual(new Set(["order_1"]));
    expect(next.told("failed")).toMatchObject([{ error: repaired(/start only now: invoice\./) }]);
  });
});

describe.each(shops)("an inbox on %s whose database's clock is right", (_, it) => {
  it("keeps an effect's `since` in the future", async ({ shop }) => {
    const done: unknown[] = [];
    const since = new Date(Date.now() + month);
    shop.inbox.on("payment", "later", { since }, () => void done.push(1) as never);
    shop.inbox.on("payment", "now", {}, () => undefined);
    shop.inbox.on("withdrawal", "later", {}, () => undefined);
    for (const orderId of ["order_1", "order_2"]) {
      await shop.paid(orderId);
      await shop.inbox.settleDue();
      await shop.inbox.reconcile();
    }
    expect(done).toEqual([]);
    expect(shop.told("failed")).toEqual([]);
  });
});
