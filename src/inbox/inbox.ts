import { preparing, WorkerSlot, withReady } from "../stores/lifecycle.ts";
import { type Observer, Observers, reporter } from "../stores/observers.ts";
import { migrate, requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import { type DueOptions, type RunningWorker, readDue } from "../stores/worker.ts";
import { invalidOption, show } from "../values.ts";
import type { Webhook } from "../webhooks/event.ts";
import type { FetchHandler } from "../webhooks/handlers/fetch.ts";
import type { LambdaHandler } from "../webhooks/handlers/lambda.ts";
import type { NodeHandler } from "../webhooks/handlers/node.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { type Effect, type EffectOptions, Effects, type TaskTools } from "./effects.ts";
import { type InboxEvent, type InboxStep, log } from "./events.ts";
import { acceptDelivery } from "./news.ts";
import {
  type Failing,
  type InboxStats,
  type Parked,
  readFailing,
  readParked,
  readStats,
  retryAll,
  retryOne,
} from "./operate.ts";
import {
  checkOptions,
  checkSubject,
  type InboxOptions,
  readTenant,
  type SubjectRef,
  type TenantOptions,
} from "./options.ts";
import {
  catchUp,
  type Reconciled,
  type ReconcileOptions,
  readReconcile,
  reconcileSince,
} from "./reconcile.ts";
import { type InboxContext, settleNamed } from "./settle.ts";
import { type SubjectKind, unknownState } from "./subject.ts";
import { inboxTables } from "./tables.ts";
import { checkedClient, namedTenant, refuseOthers, requireClientOf, Tenants } from "./tenants.ts";
import { type StartOptions, settleAllDue, startWorker } from "./worker.ts";

const registerFirst = "Register everything before inbox.start.";

/**
 * Processes webhooks once, on the merchant's own database. A webhook only marks its payment or withdrawal as changed; a
 * worker reads the current status from the service and runs each effect once for each state. Invalid arguments throw a
 * `ConfigurationError`, failures of the database a `StoreError`.
 */
export class Inbox<Client, Mode extends StoreMode> {
  readonly #options: InboxOptions<Client, Mode>;
  readonly #context: InboxContext;
  readonly #effects = new Effects();
  readonly #tenants: Tenants;
  /** By tenant, for tenants that this process has handlers for. */
  readonly #verifiers = new Map<string, Webhooks>();
  readonly #observers = new Observers<InboxEvent, InboxStep>("settlekit:inbox");
  /** Checks the tables and registers the effects before the first use. */
  #ready = preparing(() => this.#register());
  readonly #worker = new WorkerSlot("inbox");
  /** @internal */
  constructor(options: InboxOptions<Client, Mode>) {
    const { client } = options;
    this.#options = options;
    this.#context = {
      store: options.store as Store,
      effects: this.#effects,
      clientOf: (tenant) =>
        typeof client === "function" ? checkedClient(tenant, client(tenant)) : client,
      report: reporter(this.#observers, options, log),
      observers: this.#observers,
    };
    this.#tenants = new Tenants(this.#context);
  }

  /** @internal For `settlekit/payouts`. A getter, which printing the inbox leaves out. */
  get store(): unknown {
    return this.#options.store;
  }

  /** @internal For `settlekit/opentelemetry`. */
  observe(observer: Observer<InboxEvent, InboxStep>): () => void {
    return this.#observers.add(observer);
  }

  /**
   * Registers an effect. Never change its name: the database uses it to record what was done.
   *
   * @throws {ConfigurationError} when another effect on this kind has the name, or a worker is already running.
   */
  on<Kind extends SubjectKind>(
    kind: Kind,
    name: string,
    options: EffectOptions<Kind>,
    effect: Effect<Kind, Client, Mode>,
  ): this {
    this.#worker.requireFree("inbox.on", registerFirst);
    this.#effects.add(kind, name, options as EffectOptions<SubjectKind>, effect);
    // The inbox may already have been used without this effect: register again.
    this.#ready = preparing(() => this.#register());
    for (const state of options.states ?? []) {
      const advice = unknownState(kind, state);
      if (advice === undefined) continue;
      const message = `The effect ${name} runs for an unknown status, ${show(state)}. ${advice}`;
      (this.#options.logger ?? console).warn(message);
    }
    return this;
  }

  /**
   * Registers the handler for tasks that effects plan with `after`. It runs at least once for each task. Pass the
   * payload's type as a type argument, as in `inbox.task<{ orderId: string }>`: it cannot be inferred.
   *
   * @throws {ConfigurationError} when another handler has the name, or a worker is already running.
   */
  task<Payload = unknown>(
    name: string,
    handler: (payload: Payload, tools: TaskTools) => unknown,
  ): this {
    this.#worker.requireFree("inbox.task", registerFirst);
    this.#effects.addTask(name, handler);
    return this;
  }

  /** Like `nodeHandler` of `Webhooks`; it responds with 200 once the webhook is stored. */
  nodeHandler(options?: TenantOptions): NodeHandler {
    return this.#receiver(readTenant(options)).nodeHandler();
  }

  /** Like `fetchHandler` of `Webhooks`; it responds with 200 once the webhook is stored. */
  fetchHandler(options?: TenantOptions): FetchHandler {
    return this.#receiver(readTenant(options)).fetchHandler();
  }

  /** Like `lambdaHandler` of `Webhooks`; it responds with 200 once the webhook is stored. */
  lambdaHandler(options?: TenantOptions): LambdaHandler {
    return this.#receiver(readTenant(options)).lambdaHandler();
  }

  /**
   * Creates the tables, or brings them up to date. Any number of processes may call it at once; if the tables are up to
   * date, it changes nothing.
   *
   * @throws {StoreError} code `newer_schema` when a newer version of settlekit has migrated them.
   */
  async migrate(): Promise<void> {
    await migrate(this.#context.store, inboxTables);
    await this.#tenants.tryWaiting();
  }

  /**
   * Starts a worker in this process, which settles everything that is due until it is stopped. If the database is
   * unavailable or tables are missing, it waits, and reports that to `onEvent` and the logger.
   *
   * @throws {ConfigurationError} when this inbox already has one.
   */
  start(options: StartOptions = {}): RunningWorker {
    this.#worker.requireFree("inbox.start", "Stop it first.");
    const ready = { ...this.#context, store: withReady(this.#context.store, this.#ready) };
    return this.#worker.hold(startWorker(ready, options));
  }

  /**
   * Settles everything that is due and returns, for cron jobs and functions without a long-running process. It does not
   * check the service's lists: call `reconcile`, too. Returns the number of subjects and tasks processed. Once `signal`
   * aborts, it starts nothing new and finishes what is running.
   */
  async settleDue(options: DueOptions = {}): Promise<number> {
    const due = readDue(options, 8);
    await this.#ready();
    return settleAllDue(this.#context, due);
  }

  /**
   * Settles one subject now, even if nothing has changed. Call it from your own queue instead of running `start`.
   * Returns false while another worker holds the subject, which is then settled again afterwards.
   *
   * @throws The error of an effect or of the service. A worker or `settleDue` also retries the subject, unless the
   * service does not know it and only this call named it.
   */
  async settle(subject: SubjectRef): Promise<boolean> {
    const checked = checkSubject(subject);
    requireClientOf(checked.tenant, this.#options.client);
    await this.#ready();
    return settleNamed(this.#context, checked);
  }

  /**
   * Checks the service's lists now: from `since`, or from where the last check stopped; with `tenant`, only its lists.
   * Changes that no webhook reported are settled as usual.
   *
   * @throws The error of reading a list, after all other lists were checked.
   */
  async reconcile(options: ReconcileOptions = {}): Promise<Reconciled> {
    const checked = readReconcile(options);
    requireClientOf(checked.tenant ?? "", this.#options.client);
    await this.#ready();
    await this.#tenants.addWaiting();
    return reconcileSince(this.#context, checked);
  }

  /** Everything that is waiting for a person, oldest first. */
  parked(): Promise<Parked[]> {
    return this.#context.store.transaction(readParked);
  }

  /** Everything that failed and will be tried again by itself, oldest first. */
  failing(): Promise<Failing[]> {
    return this.#context.store.transaction(readFailing);
  }

  /**
   * Immediately retries a subject or task that failed, parked or not.
   *
   * @throws {NotFoundError} code `not_parked` when nothing that failed has this id.
   */
  retry(id: string): Promise<void> {
    return this.#context.store.transaction(() => retryOne(id), { wake: "inbox" });
  }

  /** Immediately retries all that failed, parked or not, for example after a fix. Returns how many there are. */
  retryAll(): Promise<number> {
    return this.#context.store.transaction(retryAll, { wake: "inbox" });
  }

  /** The state of the inbox, for a dashboard, or an alert on `lagMs` and `parked`. */
  stats(): Promise<InboxStats> {
    return this.#context.store.transaction(readStats);
  }

  #receiver(tenant: string): ReturnType<Webhooks["forward"]> {
    const { client, webhooks } = this.#options;
    requireClientOf(tenant, client);
    const verifier = typeof webhooks === "function" ? webhooks(tenant) : webhooks;
    if (verifier === undefined) {
      const message = "createInbox needs `webhooks` to receive deliveries.";
      throw invalidOption("webhooks", message, "missing_option");
    }
    // A single client's lists are checked in any case.
    const isKnown = typeof client === "function" && this.#tenants.expect(tenant);
    // A shared secret cannot tell its tenants apart.
    if (isKnown && typeof webhooks === "function") this.#verifiers.set(tenant, verifier);
    return verifier.forward(
      (webhook) => this.#accept(tenant, webhook),
      (delivery) => refuseOthers(tenant, delivery, this.#verifiers),
    );
  }

  async #accept(tenant: string, webhook: Webhook): Promise<void> {
    const { store, report, observers } = this.#context;
    const cause = observers.traceContext();
    await this.#tenants.add([tenant]);
    const { kind, id } = await store.transaction(() => acceptDelivery(tenant, webhook, cause), {
      wake: "inbox",
    });
    const { event, secretIndex } = webhook;
    report({ type: "accepted", tenant, event, kind, id, secretIndex });
  }

  async #register(): Promise<void> {
    const { store, effects } = this.#context;
    await requireMigrated(store, inboxTables);
    const { client } = this.#options;
    if (typeof client !== "function") {
      requireClientOf((await store.transaction(namedTenant)) ?? "", client);
      await this.#tenants.add([""]);
    }
    await this.#tenants.addWaiting();
    await store.transaction(() => effects.register());
    await catchUp(this.#context);
  }
}

/**
 * Creates an inbox. Call `migrate` when you deploy, register effects with `on`, and run a worker with `start`.
 *
 * @throws {ConfigurationError} when an option is missing or unknown.
 * @example
 * ```ts
 * const store = sqlite("shop.db");
 * const inbox = createInbox({ client: new MerchantClient(), webhooks: new Webhooks(), store });
 * inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (tx, payment) => {
 *   // Keyed by order, because an order can have several payments.
 *   const ship = tx.prepare("INSERT INTO shipments (order_id) VALUES (?) ON CONFLICT DO NOTHING");
 *   ship.run(payment.orderId ?? null);
 * });
 * ```
 */
export function createInbox<Client, Mode extends StoreMode>(
  options: InboxOptions<Client, Mode>,
): Inbox<Client, Mode> {
  checkOptions(options);
  return new Inbox(options);
}
