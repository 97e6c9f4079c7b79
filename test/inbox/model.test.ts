import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import type { InboxClient } from "../../src/inbox/subject.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";

// Two workers on one database, with events in random order: payments are paid, webhooks arrive, workers start, get
// their response, are suspended beyond their lease, and continue.

const runs = Number(process.env.SETTLEKIT_MODEL_RUNS ?? 60);
const secret = "s";
const orders = ["a", "b", "c"];

type Step =
  | { do: "pay" | "tell" | "tellAhead"; order: number }
  | { do: "work" | "answer"; worker: number }
  | { do: "wait"; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("pay" as const, "tell" as const, "tellAhead" as const),
    order: fc.nat(orders.length - 1),
  }),
  fc.record({ do: fc.constantFrom("work" as const, "answer" as const), worker: fc.nat(1) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(10, 5_000, 30_001) }),
);

/** The shop, its service and two workers whose requests are answered when the test says so. */
async function openWorld() {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE test_clock (ms BIGINT); INSERT INTO test_clock VALUES (1700000000000)");
  db.exec("CREATE TABLE shipments (order_id TEXT)");
  const status = new Map(orders.map((order) => [order, "pending"]));
  const waiting: (() => void)[][] = [[], []];
  let isOpen = false;
  const workers = [0, 1].map((worker) => {
    const get = async (id: string) => {
      const answer = { id, orderId: id, status: status.get(id) };
      // The answer may be stale by the time it arrives.
      if (!isOpen) await new Promise<void>((resolve) => waiting[worker]?.push(resolve));
      return answer;
    };
    const inbox = createInbox({
      client: { payments: { get } } as unknown as InboxClient,
      webhooks: new Webhooks({ secret }),
      store: sqlite(db, { clock: "(SELECT ms FROM test_clock)" }),
      logger: { warn() {}, error() {} },
    });
    inbox.on("payment", "ship", { states: ["completed"] }, (tx, payment) => {
      tx.prepare("INSERT INTO shipments VALUES (?)").run(payment.id);
    });
    return inbox;
  });
  const [first] = workers;
  await first?.migrate();
  // I3: no other worker claims a subject while its lease holds.
  db.exec(`
    CREATE TABLE stolen (subject TEXT);
    CREATE TRIGGER claim AFTER UPDATE ON settlekit_inbox_subjects
    WHEN new.fence > old.fence AND old.lease_until > (SELECT ms FROM test_clock)
    BEGIN INSERT INTO stolen VALUES (new.subject); END;
  `);
  const receive = first?.fetchHandler();
  let told = 0;
  return {
    status,
    workers,
    async tell(order: string, signed = status.get(order)) {
      const data = { id: order, orderId: order, status: signed, n: told++ };
      const { request } = signWebhook({
        event: { event: "payment.updated", data } as never,
        secret,
      });
      expect((await receive?.(request("http://shop.example/")))?.status).toBe(200);
    },
    answer(worker: number) {
      for (const resolve of waiting[worker]?.splice(0) ?? []) resolve();
    },
    answerAll() {
      isOpen = true;
      for (const list of waiting) for (const resolve of list.splice(0)) resolve();
    },
    wait: (ms: number) => db.exec(`UPDATE test_clock SET ms = ms + ${ms}`),
    shipments: () =>
      db
        .prepare("SELECT order_id FROM shipments ORDER BY order_id")
        .all()
        .map((row) => row.order_id),
    rows: () =>
      db
        .prepare(
          "SELECT subject, status, news - seen AS open FROM settlekit_inbox_subjects ORDER BY subject",
        )
        .all(),
    stolen: () => db.prepare("SELECT subject FROM stolen").all(),
  };
}

it("two workers neither repeat nor lose an effect, whatever the order of events", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = await openWorld();
      for (const worker of world.workers) await worker.settleDue();
      const working: Promise<unknown>[] = [];
      for (const it of steps) {
        const order = "order" in it ? (orders[it.order] ?? "") : "";
        if (it.do === "pay") world.status.set(order, "completed");
        else if (it.do === "tell") await world.tell(order);
        else if (it.do === "tellAhead") {
          await world.tell(order, "completed");
          world.status.set(order, "completed");
        } else if (it.do === "work") {
          const due = world.workers[it.worker]?.settleDue();
          if (due) working.push(due);
        } else if (it.do === "answer") world.answer(it.worker);
        else if (it.do === "wait") world.wait(it.ms);
        // Lets the workers get to their next request.
        for (let n = 0; n < 60; n++) await null;
        expect(world.stolen()).toEqual([]);
        const shipped = world.shipments();
        expect(new Set(shipped).size).toBe(shipped.length);
      }
      // Every request is answered, and failed work is retried.
      world.answerAll();
      await Promise.all(working);
      for (const order of orders) await world.tell(order);
      for (let n = 0; n < 3; n++) {
        world.wait(86_400_000);
        for (const worker of world.workers) await worker.settleDue();
      }
      const paid = orders.filter((order) => world.status.get(order) === "completed");
      expect(world.shipments()).toEqual(paid);
    }),
    { numRuns: runs },
  );
});

it("deliveries in any order and number give the same rows", async () => {
  const statuses = fc.constantFrom("pending", "processing", "completed");
  const delivery = fc.record({ order: fc.constantFrom(...orders), signed: statuses });
  await fc.assert(
    fc.asyncProperty(
      fc.array(delivery, { maxLength: 20 }),
      fc.boolean(),
      async (deliveries, settlesBetween) => {
        const world = await openWorld();
        world.answerAll();
        const [worker] = world.workers;
        await worker?.settleDue();
        for (const order of orders) world.status.set(order, "completed");
        for (const { order, signed } of deliveries) {
          await world.tell(order, signed);
          if (settlesBetween) await worker?.settleDue();
        }
        await worker?.settleDue();
        const told = orders.filter((order) => deliveries.some((it) => it.order === order));
        expect(world.rows().map((row) => ({ ...row }))).toEqual(
          told.map((subject) => ({ subject, status: "completed", open: 0 })),
        );
        expect(world.shipments()).toEqual(told);
      },
    ),
    { numRuns: runs },
  );
});
