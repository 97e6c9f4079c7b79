import { MerchantClient } from "settlekit";
import { createInbox } from "settlekit/inbox";
import { createSandbox } from "settlekit/sandbox";
import { signWebhook, Webhooks } from "settlekit/webhooks";
import { expect, it } from "vitest";
import type { Store, StoreMode } from "../../src/stores/store.ts";
import { cutEverywhere, Life } from "../crash.ts";
import { clear, fastDatabases, type TestDatabase } from "../databases.ts";
import { insert } from "./insert.ts";
import { clock, prepareShop } from "./shop.ts";

// A process is interrupted at each statement, commit and request in turn (see test/crash.ts), and another one continues.
// I1 to I4 of docs/inbox.md hold wherever that happens, and in whatever order webhooks and responses arrive.

/** How each payment is reported and read. */
const orders = ["twice", "swapped", "delayed", "dropped", "nameless"] as const;
const start = Date.parse("2026-01-01T12:00:00Z");
/** How stale the service's answers about `swapped` are: older than its webhooks. */
const lagMs = 20_000;
const pageSize = 3;
const quiet = { warn() {}, error() {} };

it.each(fastDatabases)(
  "a process that is interrupted anywhere on %s holds I1 to I4",
  async (name, openDatabase) => {
    const database = await openDatabase();
    await prepareShop(database);
    await database.query("CREATE TABLE bookings (order_id TEXT, state TEXT)");
    const store = database.open({ clock });
    await new World(database, store).migrate();
    const cuts = await cutEverywhere(
      async (life) => {
        const world = new World(database, store);
        await world.live(life);
        await world.check();
      },
      { stride: name === "SQLite" ? 29 : 47 },
    );
    process.stdout.write(
      `inbox on ${name}: ${cuts.count} cuts at ${cuts.kinds.size} kinds of boundaries\n`,
    );
    expect([...cuts.kinds].filter((kind) => kind.includes("GET"))).toHaveLength(9);
    await database.close();
  },
  1_800_000,
);

/** Webhooks of the service that never arrive. */
function isLost({ id, orderId }: { id?: string; orderId?: string | null }): boolean {
  return orderId === "dropped" || (orderId === "nameless" && id !== undefined);
}

interface Process {
  readonly life: Life;
  readonly inbox: ReturnType<typeof createInbox<unknown, StoreMode>>;
  readonly handle: (request: Request) => Promise<Response>;
}

/** A service, the shop's database, and the shop's processes, one of which runs at a time. */
class World {
  readonly #database: TestDatabase;
  readonly #store: Store;
  readonly #sandbox = createSandbox({
    seed: "crashes",
    now: new Date(start),
    deliver: (request) => this.#deliver(request),
  });
  readonly #webhooks = new Webhooks({
    secret: this.#sandbox.webhookSecret,
    toleranceSeconds: Number.POSITIVE_INFINITY,
    logger: quiet,
  });
  /** The stale payments that the lagging replica returns, and until when. */
  readonly #old = new Map<string, { readonly until: number; readonly payment: unknown }>();
  readonly #accepted: Request[] = [];
  readonly #taskKeys = new Set<string>();
  readonly #observer: Process["inbox"];
  #process: Process;

  constructor(database: TestDatabase, store: Store) {
    this.#database = database;
    this.#store = store;
    this.#process = this.#startProcess(new Life());
    this.#observer = this.#process.inbox;
  }

  migrate(): Promise<void> {
    return this.#observer.migrate();
  }

  #client(life = new Life()): MerchantClient {
    const send = life.fetch((url, init) => this.#answer(url, init));
    return new MerchantClient({
      environment: "sandbox",
      baseUrl: "http://127.0.0.1:4010",
      secretKey: this.#sandbox.secretKey,
      fetch: (url, init) => send(url, init as RequestInit),
      maxRetries: 0,
    });
  }

  /** Sells, receives webhooks out of order, settles and reconciles, until nothing is left to do. */
  async live(life: Life): Promise<void> {
    await clear(this.#database, this.#store);
    await this.#database.query("DELETE FROM shipments; DELETE FROM bookings");
    await this.#database.query(`UPDATE test_clock SET ms = ${start}`);
    this.#process = this.#startProcess(life);
    await this.#settle();
    await this.#advance(60_000);
    for (const order of orders) await this.#sell(order);
    await this.#settle();
    for (;;) {
      await this.#alive(({ inbox }) => inbox.reconcile());
      await this.#settle();
      const { changed, tasks } = await this.#observer.stats();
      const pending = this.#sandbox.webhooks.deliveries().filter((it) => it.status === "pending");
      if (changed + tasks === 0 && pending.every(({ data }) => isLost(data))) return;
      await this.#advance(40_000);
    }
  }

  async check(): Promise<void> {
    await this.#checkAccepted();
    // I2: once for each (subject, effect, state).
    for (const table of ["shipments", "bookings"]) {
      const rows = await this.#database.query(`SELECT order_id FROM ${table}`);
      expect(rows.map((row) => row.order_id).sort()).toEqual([...orders].sort());
    }
    // I4: at least once, with a stable key.
    expect(this.#taskKeys.size).toBe(orders.length);
    expect((await this.#observer.stats()).parked).toBe(0);
  }

  #startProcess(life: Life): Process {
    const inbox = createInbox<unknown, StoreMode>({
      client: this.#client(life),
      webhooks: this.#webhooks,
      store: life.store(this.#store),
      logger: quiet,
    });
    const states = { states: ["completed", "confirmed"] as const };
    inbox.on("payment", "ship", states, (tx, { orderId = null, status }, { after }) => {
      after("email", orderId);
      return insert(tx, "shipments", orderId, status) as undefined;
    });
    inbox.on(
      "payment",
      "book",
      states,
      (tx, { orderId = null, status }) => insert(tx, "bookings", orderId, status) as undefined,
    );
    inbox.task<string>("email", async (_orderId, { key }) => {
      await life.cross("before a task");
      this.#taskKeys.add(key);
      await life.cross("after a task");
    });
    return { life, inbox, handle: inbox.fetchHandler() };
  }

  #settle(): Promise<void> {
    return this.#alive(({ inbox }) => inbox.settleDue({ concurrency: 1 }));
  }

  /** Runs the work in the current process and, if that one is interrupted, again in the next one. */
  async #alive(work: (process: Process) => Promise<unknown>): Promise<void> {
    const { life } = this.#process;
    if ((await life.run(() => work(this.#process))) !== "crashed") return;
    await this.#restart();
    await work(this.#process);
  }

  async #restart(): Promise<void> {
    await this.#checkAccepted();
    const { expand } = this.#store.dialect;
    const held = expand(
      `SELECT id, fence FROM {inbox_subjects} WHERE lease_until > ${clock} ORDER BY id`,
    );
    const before = await this.#database.query(held);
    this.#process = this.#startProcess(new Life());
    await this.#process.inbox.settleDue();
    // I3: no other process takes over a row before its lease has expired.
    expect(await this.#database.query(held)).toEqual(before);
  }

  /** I1: every webhook that was answered with 200 is in the database. */
  async #checkAccepted(): Promise<void> {
    const text = this.#store.dialect.expand("SELECT delivery_key FROM {inbox_deliveries}");
    const stored = (await this.#database.query(text)).map((row) => row.delivery_key);
    for (const webhook of this.#accepted) {
      const { deliveryKey } = await this.#webhooks.verify(webhook.clone());
      expect(stored).toContain(deliveryKey);
    }
  }

  async #sell(orderId: (typeof orders)[number]): Promise<void> {
    const { payments, webhooks } = this.#sandbox;
    const { paymentId } = await this.#client().payments.create({ amount: 2500, orderId });
    const unpaid = await this.#client().payments.get(paymentId);
    if (orderId === "twice") webhooks.disorder("duplicate");
    if (orderId === "delayed") webhooks.disorder("delay");
    if (orderId === "swapped") {
      const until = this.#sandbox.clock.now().getTime() + lagMs;
      this.#old.set(paymentId, { until, payment: unpaid });
      // Its first webhook, `processing`, waits for the next one.
      webhooks.disorder("reorder");
    }
    await payments.simulate(paymentId, "success", { steps: "by-hand" });
    while (payments.upcoming(paymentId).length > 0) await payments.step(paymentId);
    await webhooks.idle();
    if (orderId !== "nameless") return;
    const data = { orderId, status: "completed" } as never;
    const { request } = signWebhook({
      event: { event: "payment.updated", data },
      secret: this.#sandbox.webhookSecret,
      timestamp: this.#sandbox.clock.now(),
    });
    const toldAgain = () => this.#deliver(request("https://shop.example/"));
    while ((await toldAgain().catch(() => undefined)) === undefined);
  }

  /** The sandbox redelivers a webhook that is not answered with 200. */
  async #deliver(request: Request): Promise<Response> {
    const { data } = (await request.clone().json()) as { data: { id?: string } };
    if (isLost(data)) throw new Error("It got lost.");
    const { life, handle } = this.#process;
    const answer = await life.run(() => handle(request.clone()));
    if (answer === "crashed") {
      await this.#restart();
      throw new Error("The connection broke.");
    }
    if (answer.status === 200) this.#accepted.push(request);
    return answer;
  }

  async #answer(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address);
    if (url.searchParams.has("limit")) url.searchParams.set("limit", String(pageSize));
    const answer = await this.#sandbox.fetch(new Request(url, init));
    if (init.method !== "GET") return answer;
    const body = (await answer.json()) as { id?: string; data?: { id: string }[] };
    const now = this.#sandbox.clock.now().getTime();
    const lagging = (item: { id?: string }) => {
      const old = this.#old.get(item.id ?? "");
      return old && now < old.until ? old.payment : item;
    };
    return Response.json(body.data ? { ...body, data: body.data.map(lagging) } : lagging(body));
  }

  async #advance(ms: number): Promise<void> {
    await this.#database.query(`UPDATE test_clock SET ms = ms + ${ms}`);
    await this.#sandbox.clock.advance(ms);
  }
}
