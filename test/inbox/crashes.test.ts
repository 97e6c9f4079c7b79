import { describe, expect, it } from "vitest";
import type { Store, Work } from "../../src/stores/store.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { insert } from "./ship.ts";
import { openShop, prepareShop, type Shop } from "./shop.ts";

// A process is cut at its k-th step, for every k: a step is a statement, a commit or a request, before or after it took
// effect. Then another process goes on. Whatever k is, the guarantees of docs/inbox.md hold.

/** Every step with SETTLEKIT_CRASH_STEPS=all, else one in so many. */
const every = process.env.SETTLEKIT_CRASH_STEPS === "all" ? 1 : 19;

class Cut extends Error {}

/** A process that ends at a step, and does nothing afterwards. */
class Life {
  steps = 0;
  readonly #last: number;

  constructor(last = Number.POSITIVE_INFINITY) {
    this.#last = last;
  }

  get isOver(): boolean {
    return this.steps >= this.#last;
  }

  step(): void {
    if (!this.isOver) this.steps++;
    if (this.isOver) throw new Cut();
  }
}

/** The store of a process that ends. What is not committed then is undone, as by a lost connection. */
function mortal(store: Store, life: Life): Store {
  return {
    ...store,
    async transaction(work, options) {
      life.step();
      const result = await store.transaction(() => stepwise(work(), life), options);
      life.step();
      return result;
    },
  };
}

function* stepwise<T>(work: Work<T>, life: Life): Work<T> {
  let step = work.next();
  while (!step.done) {
    life.step();
    let result: unknown;
    try {
      result = yield step.value;
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    life.step();
    step = work.next(result);
  }
  life.step();
  return step.value;
}

interface Process {
  readonly shop: Shop;
  readonly taskKeys: string[];
}

/** A process of the shop. All processes have one database and one service. */
async function startProcess(
  database: TestDatabase,
  store: Store,
  life: Life,
  first?: Shop,
): Promise<Process> {
  const taskKeys: string[] = [];
  const shop = await openShop(database, {
    store: mortal(store, life),
    ...(first && { client: first.client, webhooks: first.webhooks }),
  });
  shop.inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (tx, payment, tools) => {
    tools.after("email", payment.orderId);
    return insert(tx, "shipments", payment.orderId ?? null, payment.status) as undefined;
  });
  shop.inbox.task<string>("email", (_orderId, { key }) => {
    life.step();
    taskKeys.push(key);
    life.step();
  });
  return { shop, taskKeys };
}

/** What the merchant's first process does until it is cut. Gives the webhooks that got a 200. */
async function live(
  { shop }: Process,
  life: Life,
  webhooks: readonly Request[],
): Promise<Request[]> {
  const accepted: Request[] = [];
  const isCut = async (work: () => Promise<unknown>) => {
    if (!life.isOver) await work().catch((error) => expect(life.isOver, String(error)).toBe(true));
  };
  for (const webhook of webhooks) {
    await isCut(async () => {
      const { status } = await shop.handle(webhook.clone());
      // A process that is gone has answered nothing.
      if (!life.isOver && status === 200) accepted.push(webhook);
    });
  }
  await isCut(() => shop.inbox.settleDue({ concurrency: 1 }));
  await isCut(() => shop.inbox.reconcile());
  await isCut(() => shop.inbox.settleDue({ concurrency: 1 }));
  return accepted;
}

/** A world: three paid orders, whose webhooks come twice and in disorder, not at all, and ahead of what is fetched. */
async function createWorld(database: TestDatabase, store: Store) {
  await prepareShop(database);
  const life = new Life();
  const first = await startProcess(database, store, life);
  const { shop } = first;
  const sent: Request[] = [];
  shop.deliverTo(async (request) => {
    sent.push(request.clone());
    return new Response();
  });
  await shop.inbox.settleDue();
  const ids: string[] = [];
  for (const orderId of ["twice", "lost", "ahead"]) ids.push(await shop.paid(orderId));
  const about = async (request: Request) => JSON.stringify(await request.clone().json());
  const webhooks: Request[] = [];
  for (const request of sent.reverse()) {
    const text = await about(request);
    if (text.includes("twice")) webhooks.push(request, request.clone());
    if (text.includes("ahead")) webhooks.push(request);
  }
  // The service's replica lags: it gives the last payment as it was before, once in each process.
  const { payments } = shop.client;
  const get = payments.get.bind(payments);
  let stale = 1;
  payments.get = (async (id: string) => {
    const payment = await get(id);
    return id === ids[2] && stale-- > 0 ? { ...payment, status: "processing" } : payment;
  }) as never;
  return {
    shop,
    webhooks,
    lagAgain() {
      stale = 1;
    },
  };
}

const tables = [
  "inbox_subjects",
  "inbox_deliveries",
  "inbox_effects",
  "inbox_registrations",
  "inbox_tasks",
  "inbox_watermarks",
];

describe.each(databases)("a process on %s that is cut at any step", (name, openDatabase) => {
  it("has accepted what it answered with 200, and loses and doubles no effect", async () => {
    const database = await openDatabase();
    const store = database.open({ clock: "(SELECT ms FROM test_clock)" });
    const { shop: world, webhooks, lagAgain } = await createWorld(database, store);
    const { client } = world;
    const countSteps = client.payments.get;

    const run = async (last?: number) => {
      for (const table of tables)
        await database.query(`DELETE FROM ${store.dialect.expand(`{${table}}`)}`);
      await database.query("DELETE FROM shipments");
      await database.query(`UPDATE test_clock SET ms = ${Date.now()}`);
      lagAgain();
      const life = new Life(last);
      // Requests of this process are steps, too.
      client.payments.get = ((...parameters: Parameters<typeof countSteps>) => {
        const answer = async () => {
          life.step();
          const payment = await countSteps(...parameters);
          life.step();
          return payment;
        };
        return answer();
      }) as never;
      // The registration is older than the payments.
      const setUp = await startProcess(database, store, new Life(), world);
      await setUp.shop.inbox.settleDue();
      await database.query(
        `UPDATE ${store.dialect.expand("{inbox_watermarks}")} SET watermark = watermark - 3600000`,
      );
      await database.query(
        `UPDATE ${store.dialect.expand("{inbox_registrations}")} SET since = since - 86400000`,
      );
      const first = await startProcess(database, store, life, world);
      const accepted = await live(first, life, webhooks);

      // I1: what got a 200 is in the database at this moment.
      const keys = new Set(
        (
          await database.query(
            `SELECT delivery_key FROM ${store.dialect.expand("{inbox_deliveries}")}`,
          )
        ).map((row) => row.delivery_key),
      );
      for (const webhook of accepted) {
        const { deliveryKey } = await world.webhooks.verify(webhook.clone());
        expect(keys).toContain(deliveryKey);
      }

      // The next process; the service delivers again what it got no 200 for.
      client.payments.get = countSteps;
      const next = await startProcess(database, store, new Life(), world);
      for (const webhook of webhooks) {
        if (accepted.includes(webhook)) continue;
        expect((await next.shop.handle(webhook.clone())).status).toBe(200);
      }
      for (let n = 0; n < 4; n++) {
        await world.advance(40_000);
        await next.shop.inbox.reconcile();
        await next.shop.inbox.settleDue();
      }
      const where = `cut at step ${last}`;
      // I2: once for each (subject, effect, state).
      expect(await world.shipments(), where).toEqual(["ahead", "lost", "twice"]);
      // I4: at least once, with a stable key.
      const ran = new Set([...first.taskKeys, ...next.taskKeys]);
      expect(ran.size, where).toBe(3);
      expect(await next.shop.inbox.stats(), where).toMatchObject({
        changed: 0,
        parked: 0,
        tasks: 0,
      });
      return life.steps;
    };

    const steps = await run();
    expect(steps).toBeGreaterThan(100);
    const stride = every === 1 ? 1 : name === "SQLite" ? every : every * 2;
    for (let last = 1; last <= steps; last += stride) await run(last);
    await database.close();
  });
});
