import { vi } from "vitest";
import { type ClientOptions, MerchantClient } from "../../src/index.ts";
import { createPayouts, type PayoutsEvent } from "../../src/payouts/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import type { PayoutsOptions } from "../../src/payouts/options.ts";
import { settle } from "../../src/payouts/settle.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import type { Store, StoreMode } from "../../src/stores/store.ts";
import type { RunningWorker } from "../../src/stores/worker.ts";
import type { Life } from "../crash.ts";
import { openInMemory, type TestDatabase } from "../databases.ts";

/** The outcome of one request to create a withdrawal. */
export type Fate =
  | "answered"
  /** The request is lost. */
  | "lost"
  /** The request takes effect, but its response is lost. */
  | "unanswered"
  /** The request takes effect long after its connection broke. */
  | "late"
  | "refused connection";

export const minute = 60_000;
export const quietMs = 2 * minute;
const start = Date.parse("2026-01-01T12:00:00Z");

export const order = {
  orderId: "payout_1",
  amountInCents: 12_500,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

/** A service, a database and a clock that the test advances. */
export class World {
  readonly sandbox = createSandbox({ merchants: [{}, {}] });
  /** The fates of the next requests; later ones are answered. */
  readonly fates: Fate[] = [];
  /** How long the list takes to show a new withdrawal. */
  lagMs = 0;
  /** The maximum number of items on a page of the list. */
  pageSize = 1_000;
  /** The time between a late request's broken connection and its effect. */
  lateMs = quietMs - 1;
  /** Called when a request to create a withdrawal has arrived. */
  onCreation = async () => {};
  /** Responses that replace the service's. */
  answer: (method: string, path: string) => Response | undefined = () => undefined;
  /** Changes a request's body before the service sees it. */
  change = (body: Record<string, unknown>) => body;
  /** Runs SQL outside the ledger. */
  query: (text: string) => unknown = () => {};
  /** Requests to create a withdrawal, with their keys and times. */
  readonly creations: {
    readonly key: string;
    readonly at: number;
    readonly body: { readonly orderId: string };
  }[] = [];
  readonly listings: number[] = [];
  #now = start;
  readonly #late: { readonly at: number; readonly run: () => Promise<unknown> }[] = [];
  readonly #madeAt = new Map<string, number>();
  readonly #openStore: () => Store;
  readonly #setClock: (now: number) => Promise<void>;

  private constructor(openStore: () => Store, setClock: (now: number) => Promise<void>) {
    this.#openStore = openStore;
    this.#setClock = setClock;
  }

  /** In memory, which is fast. */
  static inMemory(): World {
    const { db, open } = openInMemory();
    const world: World = new World(
      () => open({ clock: "test_now()" }),
      async () => {},
    );
    db.function("test_now", () => world.#now);
    world.query = (text) => db.exec(text);
    return world;
  }

  static async on(database: TestDatabase): Promise<World> {
    await database.query("CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT)");
    await database.query("DELETE FROM test_clock");
    await database.query(`INSERT INTO test_clock VALUES (${start})`);
    return new World(
      () => database.open({ clock: "(SELECT ms FROM test_clock)" }),
      async (now) => void (await database.query(`UPDATE test_clock SET ms = ${now}`)),
    );
  }

  get now(): number {
    return this.#now;
  }

  /** Whether a request may still take effect. */
  get isAwaited(): boolean {
    return this.#late.length > 0;
  }

  get made() {
    return this.sandbox.withdrawals.all();
  }

  /** The ledger of a process, which `life` may end. */
  open({
    life,
    store = this.#openStore(),
    client = {},
    ledger = this.client(client, life),
    ...options
  }: Partial<Omit<PayoutsOptions<unknown, StoreMode>, "client">> & {
    life?: Life;
    client?: ClientOptions;
    /** The ledger's client, if not one with these options. */
    ledger?: PayoutsOptions<unknown, StoreMode>["client"];
  } = {}) {
    return createPayouts({
      client: ledger,
      store: life ? life.store(store as Store) : store,
      quietMs,
      logger: { warn() {}, error() {} },
      ...options,
    });
  }

  client(options: ClientOptions = {}, life?: Life): MerchantClient {
    const send = (url: string, init: RequestInit) => this.#answer(url, init);
    const fetch = life ? life.fetch(send) : send;
    return new MerchantClient({
      environment: "sandbox",
      secretKey: this.sandbox.secretKey,
      maxRetries: 0,
      fetch: (url, init) => fetch(url, init as RequestInit),
      ...options,
    });
  }

  store(): Store {
    return this.#openStore();
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#late.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#late.splice(this.#late.indexOf(next), 1);
      this.#now = Math.max(this.#now, next.at);
      await next.run();
    }
    this.#now = end;
    await this.#setClock(end);
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(ms);
  }

  /** Settles the order as a webhook for the withdrawal would. */
  async report(id = "", { orderId = order.orderId, store = this.store() } = {}): Promise<void> {
    const withdrawal = await this.client().withdrawals.get(id);
    await store.transaction(() => inLedger("", (ledger) => settle(ledger, orderId, withdrawal)));
  }

  /** Runs due payouts again and again while time advances in steps. */
  async live(
    payouts: { runDue(): Promise<number> },
    ms = 30 * minute,
    stepMs = minute,
  ): Promise<void> {
    for (let passed = 0; passed <= ms; passed += stepMs) {
      await payouts.runDue();
      await this.advance(stepMs);
    }
    await payouts.runDue();
  }

  /** Runs a worker while time advances. */
  async withWorker(payouts: { start(): RunningWorker }, ms: number): Promise<void> {
    vi.useFakeTimers();
    const worker = payouts.start();
    for (let passed = 0; passed < ms; passed += 10_000) await this.advance(10_000);
    const stopped = worker.stop();
    await vi.runAllTimersAsync();
    await stopped;
    vi.useRealTimers();
  }

  async #answer(url: string, init: RequestInit): Promise<Response> {
    const replaced = this.answer(String(init.method), new URL(url).pathname);
    if (replaced) return replaced;
    return init.method === "POST" ? this.#create(url, init) : this.#read(url, init);
  }

  async #create(url: string, init: RequestInit): Promise<Response> {
    const key = new Headers(init.headers).get("idempotency-key") ?? "";
    const fate = this.fates.shift() ?? "answered";
    if (fate === "refused connection") throw failure("ECONNREFUSED", url);
    this.creations.push({ key, at: this.#now, body: JSON.parse(String(init.body)) });
    await this.onCreation();
    const reach = async () => {
      const { signal: _, body: sent, ...rest } = init;
      const changed = JSON.stringify(this.change(JSON.parse(String(sent))));
      const response = await this.sandbox.fetch(new Request(url, { ...rest, body: changed }));
      const body = (await response.clone().json()) as { id?: string };
      if (response.ok && body.id && !this.#madeAt.has(body.id))
        this.#madeAt.set(body.id, this.#now);
      return response;
    };
    if (fate === "late") this.#late.push({ at: this.#now + this.lateMs, run: reach });
    if (fate === "late" || fate === "lost") throw failure("ECONNRESET");
    const response = await reach();
    if (fate === "unanswered") throw failure("ECONNRESET");
    return response;
  }

  async #read(url: string, init: RequestInit): Promise<Response> {
    const { signal: _, ...rest } = init;
    const all = new URL(url);
    all.searchParams.delete("offset");
    if (all.searchParams.has("limit")) all.searchParams.set("limit", "1000");
    const response = await this.sandbox.fetch(new Request(all, rest));
    const { searchParams } = new URL(url);
    if (!searchParams.has("limit")) return response;
    this.listings.push(this.#now);
    const page = (await response.json()) as { data: { id: string }[] };
    const isListed = ({ id }: { id: string }) =>
      this.#now >= (this.#madeAt.get(id) ?? 0) + this.lagMs;
    const listed = page.data.filter(isListed);
    const offset = Number(searchParams.get("offset"));
    const data = listed.slice(offset, offset + this.pageSize);
    const [total, limit] = [listed.length, this.pageSize];
    const hasMore = offset + limit < total;
    const headers = { date: String(response.headers.get("date")) };
    const pagination = { total, limit, offset, hasMore };
    return Response.json({ ...page, data, pagination }, { headers });
  }
}

/** @param url The address that refused the connection, if one did. */
function failure(code: string, url?: string): TypeError {
  const { hostname: address, port } = new URL(url ?? "http://unnamed.invalid");
  const at = url === undefined ? {} : { address, port: Number(port) };
  const cause = Object.assign(new Error(code), { code, ...at });
  return Object.assign(new TypeError("fetch failed"), { cause });
}

/** A ledger in memory, and its events. */
export async function opened(options: Parameters<World["open"]>[0] = {}) {
  const world = World.inMemory();
  const events: PayoutsEvent[] = [];
  const payouts = world.open({ onEvent: (event) => events.push(event), ...options });
  await payouts.migrate();
  const state = async () => (await payouts.get(order.orderId))?.state;
  const told = () => events.map((it) => (it.type === "changed" ? it.payout.state : it.type));
  return { world, payouts, state, told, events };
}
