import { MerchantClient } from "settlekit";
import { createInbox, type InboxEvent, type InboxOptions } from "settlekit/inbox";
import { createSandbox } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { it, vi } from "vitest";
import type { Store, StoreMode } from "../../src/stores/store.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { insert } from "./insert.ts";

/**
 * Vitest's `it` for each kind of database. It passes each test a `shop` of its own:
 *
 *     describe.each(shops)("tasks on %s", (_, it) => {
 *       it("run after their transaction", async ({ shop }) => {
 */
export const shops = databases.map(
  ([name, openDatabase]) =>
    [
      name,
      it.extend("shop", async ({ onTestFinished }) => {
        const database = await openDatabase();
        onTestFinished(() => database.close());
        await prepareShop(database);
        return openShop(database);
      }),
      openDatabase,
    ] as const,
);

/** The database's clock in tests, which only `advance` moves. */
export const clock = "(SELECT ms FROM test_clock)";

/** Creates the shop's tables: shipments, without a constraint that would hide a duplicate, and the test's clock. */
export async function prepareShop(database: TestDatabase): Promise<void> {
  await database.query("CREATE TABLE test_clock (ms BIGINT)");
  await database.query(`INSERT INTO test_clock VALUES (${Date.now()})`);
  await database.query("CREATE TABLE shipments (order_id TEXT, state TEXT)");
}

type Options = InboxOptions<unknown, StoreMode>;
type AnyInbox = ReturnType<typeof createInbox<unknown, StoreMode>>;

/** The transactions and requests that a shop's processes wait for. */
class Pending {
  #count = 0;

  add<T>(work: Promise<T>): Promise<T> {
    this.#count++;
    return work.finally(() => this.#count--);
  }

  /** Resolves once all have ended, also those that follow from them. */
  async end(): Promise<void> {
    for (let turns = 0; turns < 20; turns = this.#count > 0 ? 0 : turns + 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The inbox of one process. */
function openInbox(options: Options, pending: Pending) {
  const events: InboxEvent[] = [];
  const { store } = options;
  const inbox: AnyInbox = createInbox<unknown, StoreMode>({
    onEvent: (event) => events.push(event),
    logger: { warn() {}, error() {} },
    ...options,
    store: { ...store, transaction: (...work) => pending.add(store.transaction(...work)) },
  });
  return {
    inbox,
    store,
    /** The events of one type. */
    told: <Type extends InboxEvent["type"]>(type: Type) =>
      events.filter((event): event is Extract<InboxEvent, { type: Type }> => event.type === type),
  };
}

/** A shop with the sandbox as its service. */
export async function openShop(
  database: TestDatabase,
  { store = database.open({ clock }), now }: { store?: Store; now?: Date } = {},
) {
  const sandbox = createSandbox({
    seed: "inbox",
    ...(now && { now }),
    deliver: (request) => handle(request),
  });
  const pending = new Pending();
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: "http://127.0.0.1:4010",
    secretKey: sandbox.secretKey,
    fetch: (url, init) => pending.add(sandbox.fetch(new Request(url, init as RequestInit))),
    maxRetries: 0,
  });
  const webhooks = new Webhooks({
    secret: sandbox.webhookSecret,
    toleranceSeconds: Number.POSITIVE_INFINITY,
    logger: { warn() {}, error() {} },
  });
  const { inbox, told } = openInbox({ client, webhooks, store }, pending);
  await inbox.migrate();
  let handle = inbox.fetchHandler();
  return {
    sandbox,
    client,
    webhooks,
    database,
    store,
    inbox,
    told,
    /** Another process with an inbox on the same database. */
    openProcess: (options: Partial<Options> = {}) =>
      openInbox({ client, webhooks, store: database.open({ clock }), ...options }, pending),
    /** Runs SQL, in which `{inbox_tasks}` is settlekit's table. */
    query: (text: string) => database.query(store.dialect.expand(text)),
    /** Sends webhooks to another handler, such as that of a new process. */
    deliverTo(other: typeof handle) {
      handle = other;
    },
    handle: (request: Request) => handle(request),
    /** Creates a payment that its customer pays, and waits for its webhooks. */
    async paid(orderId: string) {
      const { paymentId } = await client.payments.create({ amount: 2500, orderId });
      await sandbox.payments.simulate(paymentId, "success");
      await sandbox.webhooks.idle();
      return paymentId;
    },
    async advance(ms: number) {
      await database.query(`UPDATE test_clock SET ms = ms + ${ms}`);
    },
    /** Advances the processes' clock in steps. Before each next one, their transactions and requests end. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 250) {
        vi.advanceTimersByTime(250);
        await pending.end();
      }
    },
    shipments: async () =>
      (await database.query("SELECT order_id FROM shipments ORDER BY order_id")).map(
        (row) => row.order_id,
      ),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Ships paid orders. */
export function ship(inbox: AnyInbox): void {
  inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (tx, payment) =>
    insert(tx, "shipments", payment.orderId ?? null, payment.status),
  );
}

/** The settings of a worker process. */
export interface WorkerSettings {
  /** A PostgreSQL URL, or the path of an SQLite file. */
  readonly database: string;
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly reconcileEveryMs: number;
}
