import { ConfigurationError } from "../errors.ts";
import { preparing, WorkerSlot, withReady } from "../stores/lifecycle.ts";
import { type Observer, Observers, reporter } from "../stores/observers.ts";
import { migrate, requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import { checkSignal, checkWhole } from "../stores/worker.ts";
import { checkOptionNames, show } from "../values.ts";
import type { Webhook } from "../webhooks/event.ts";
import type { FetchHandler } from "../webhooks/handlers/fetch.ts";
import type { LambdaHandler } from "../webhooks/handlers/lambda.ts";
import type { NodeHandler } from "../webhooks/handlers/node.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { claimSubject } from "./claims.ts";
import { Crew } from "./crew.ts";
import { type Effect, type EffectOptions, Effects, type TaskTools } from "./effects.ts";
import { type InboxEvent, type InboxStep, log } from "./events.ts";
import { acceptDelivery, noteNews } from "./news.ts";
import { type InboxStats, type Parked, prune, readParked, readStats, unpark } from "./operate.ts";
import {
  checkDate,
  checkOptions,
  checkSubject,
  type InboxOptions,
  readTenant,
  type SubjectRef,
  type TenantOptions,
} from "./options.ts";
import { addTenant, otherTenants, type Reconciled, reconcileSince } from "./reconcile.ts";
import { Fenced, type InboxContext, settleSubject } from "./settle.ts";
import { type SubjectKind, similarState } from "./subject.ts";
import { inboxTables } from "./tables.ts";
import { needsClients, refuseOthers } from "./tenants.ts";
import { type InboxWorker, type StartOptions, startWorker } from "./worker.ts";

const registerFirst = "Register everything before inbox.start.";

/**
 * Processes webhooks once, on the merchant's own database. A webhook only marks its payment or withdrawal as changed; a
 * worker asks the service what is true now, and runs each effect once for each state.
 */
export class Inbox<Client, Mode extends StoreMode> {
  readonly #options: InboxOptions<Client, Mode>;
  readonly #context: InboxContext;
  readonly #effects = new Effects();
  readonly #tenants = new Set<string>();
  /** Of the tenants that this process has handlers for. */
  readonly #verifiers = new Map<string, Webhooks>();
  readonly #observers = new Observers<InboxEvent, InboxStep>("settlekit:inbox");
  /** Before the first work: checks the tables, and registers the effects. */
  #ready = preparing(() => this.#register());
  readonly #worker = new WorkerSlot("inbox");

  /** @internal */
  constructor(options: InboxOptions<Client, Mode>) {
    const { client } = options;
    this.#options = options;
    this.#context = {
      store: options.store as Store,
      effects: this.#effects,
      clientOf: typeof client === "function" ? client : () => client,
      report: reporter(this.#observers, options, log),
      observers: this.#observers,
      random: Math.random,
    };
  }

  /** @internal For `settlekit/opentelemetry`. */
  observe(observer: Observer<InboxEvent, InboxStep>): () => void {
    return this.#observers.add(observer);
  }

  /**
   * Registers an effect. Keep its name: the rows say by it what was done.
   *
   * @throws {ConfigurationError} when another effect on this kind has the name, or a worker runs already.
   */
  on<Kind extends SubjectKind>(
    kind: Kind,
    name: string,
    options: EffectOptions<Kind>,
    effect: Effect<Kind, Client, Mode>,
  ): this {
    this.#worker.requireFree("inbox.on", registerFirst);
    this.#effects.add(kind, name, options as EffectOptions<SubjectKind>, effect);
    // The inbox may have been used before, without this effect.
    this.#ready = preparing(() => this.#register());
    for (const state of options.states ?? []) {
      const near = similarState(kind, state);
      if (near === undefined) continue;
      const message = `The effect ${name} runs for an unknown status, ${show(state)}. Did you mean "${near}"?`;
      (this.#options.logger ?? console).warn(message);
    }
    return this;
  }

  /**
   * Registers the handler of the tasks that effects plan with `after`. It runs at least once for each.
   *
   * @throws {ConfigurationError} when another handler has the name, or a worker runs already.
   */
  task<Payload = unknown>(
    name: string,
    handler: (payload: Payload, tools: TaskTools) => unknown,
  ): this {
    this.#worker.requireFree("inbox.task", registerFirst);
    this.#effects.addTask(name, handler);
    return this;
  }

  /** As `nodeHandler` of `Webhooks`; it answers 200 once the news is durable. */
  nodeHandler(options?: TenantOptions): NodeHandler {
    return this.#receiver(readTenant(options)).nodeHandler();
  }

  /** As `fetchHandler` of `Webhooks`; it answers 200 once the news is durable. */
  fetchHandler(options?: TenantOptions): FetchHandler {
    return this.#receiver(readTenant(options)).fetchHandler();
  }

  /** As `lambdaHandler` of `Webhooks`; it answers 200 once the news is durable. */
  lambdaHandler(options?: TenantOptions): LambdaHandler {
    return this.#receiver(readTenant(options)).lambdaHandler();
  }

  /**
   * Makes the tables, or brings them up to date. Any number of processes may call it at once; it changes nothing when all
   * is there.
   *
   * @throws {StoreError} code `newer_schema` when a newer settlekit has migrated them.
   */
  async migrate(): Promise<void> {
    await migrate(this.#context.store, inboxTables);
  }

  /**
   * Starts a worker in this process, which settles what is due until it is stopped. It waits for the database and for
   * tables that are missing, and tells `onEvent` and the logger.
   *
   * @throws {ConfigurationError} when this inbox has one already.
   */
  start(options: StartOptions = {}): InboxWorker {
    this.#worker.requireFree("inbox.start", "Stop it first.");
    const ready = { ...this.#context, store: withReady(this.#context.store, this.#ready) };
    return this.#worker.hold(startWorker(ready, options));
  }

  /**
   * Settles everything that is due, and returns: for cron jobs and functions, which have no process that stays. Gives the
   * number of subjects and tasks that were worked on. Once `signal` aborts, it begins nothing more and finishes what is running.
   */
  async settleDue(options: { concurrency?: number; signal?: AbortSignal } = {}): Promise<number> {
    checkOptionNames(options, ["concurrency", "signal"]);
    const { concurrency = 8, signal } = options;
    checkWhole("concurrency", concurrency, 1);
    checkSignal(signal);
    await this.#ready();
    const isStopping = () => signal?.aborted === true;
    const crew = new Crew(this.#context, concurrency, new AbortController().signal, isStopping);
    await crew.settleDue();
    await prune(this.#context.store);
    return crew.finished;
  }

  /**
   * Settles one subject now, whether or not anything is new: what a queue of yours calls instead of `start`. False while a
   * worker has it, which is asked to look again.
   *
   * @throws what an effect or the service has thrown. The subject is also tried again by whatever runs `start` or
   * `settleDue`.
   */
  async settle(subject: SubjectRef): Promise<boolean> {
    const { kind, id, tenant } = checkSubject(subject);
    if (tenant !== "" && typeof this.#options.client !== "function") throw needsClients(tenant);
    await this.#ready();
    const { store } = this.#context;
    const claim = await store.transaction(
      function* () {
        yield* noteNews({ tenant, kind, subject: id });
        return yield* claimSubject(tenant, kind, id);
      },
      { wake: "inbox" },
    );
    if (claim === undefined) return false;
    const failure = await settleSubject(this.#context, claim, new AbortController().signal);
    if (failure?.error instanceof Fenced) return false;
    if (failure !== undefined) throw failure.error;
    return true;
  }

  /**
   * Walks the service's lists now: from `since`, or from where the last walk left off. Changes that no webhook reported are
   * settled in the usual way.
   *
   * @throws what reading a list has thrown, once all others were walked.
   */
  async reconcile(options: { since?: Date; signal?: AbortSignal } = {}): Promise<Reconciled> {
    checkOptionNames(options, ["since", "signal"]);
    const { since, signal = new AbortController().signal } = options;
    checkDate("since", since);
    checkSignal(signal);
    await this.#ready();
    return reconcileSince(this.#context, since, signal);
  }

  /** What waits for a person, oldest first. */
  parked(): Promise<Parked[]> {
    return this.#context.store.transaction(readParked);
  }

  /**
   * Has something parked tried again at once.
   *
   * @throws {ConfigurationError} code `not_parked` when nothing parked has the id.
   */
  retry(id: string): Promise<void> {
    return this.#context.store.transaction(() => unpark(id), { wake: "inbox" });
  }

  /** How the inbox is doing: for a dashboard, or an alert on `lagMs` and `parked`. */
  stats(): Promise<InboxStats> {
    return this.#context.store.transaction(readStats);
  }

  #receiver(tenant: string): ReturnType<Webhooks["forward"]> {
    const { client, webhooks } = this.#options;
    if (tenant !== "" && typeof client !== "function") throw needsClients(tenant);
    const verifier = typeof webhooks === "function" ? webhooks(tenant) : webhooks;
    if (verifier === undefined) {
      throw new ConfigurationError("createInbox needs `webhooks` to receive deliveries.", {
        code: "missing_option",
        param: "webhooks",
      });
    }
    // Tenants that share a secret cannot be told apart by it.
    if (typeof webhooks === "function") this.#verifiers.set(tenant, verifier);
    return verifier.forward(
      (webhook) => this.#accept(tenant, webhook),
      (delivery) => refuseOthers(tenant, delivery, this.#verifiers),
    );
  }

  async #accept(tenant: string, webhook: Webhook): Promise<void> {
    const { store, report, observers } = this.#context;
    const cause = observers.traceContext();
    await this.#addTenant(tenant);
    const { kind, id } = await store.transaction(() => acceptDelivery(tenant, webhook, cause), {
      wake: "inbox",
    });
    report({ type: "accepted", tenant, event: webhook.event, kind, id });
  }

  /** Has the tenant's lists walked, too. */
  async #addTenant(tenant: string): Promise<void> {
    if (this.#tenants.has(tenant)) return;
    if (this.#tenants.size === 0) await requireMigrated(this.#context.store, inboxTables);
    await this.#context.store.transaction(() => addTenant(tenant));
    this.#tenants.add(tenant);
  }

  async #register(): Promise<void> {
    const { store, effects } = this.#context;
    await requireMigrated(store, inboxTables);
    if (typeof this.#options.client !== "function") {
      const [other] = await store.transaction(otherTenants);
      if (other !== undefined) throw needsClients(other.tenant);
      await this.#addTenant("");
    }
    await store.transaction(function* () {
      yield* effects.register();
      yield* effects.catchUp();
    });
  }
}

/**
 * Makes an inbox.
 *
 * @throws {ConfigurationError} when an option is missing or unknown.
 * @example
 * ```ts
 * const store = sqlite("shop.db");
 * const inbox = createInbox({ client: new MerchantClient(), webhooks: new Webhooks(), store });
 * inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (tx, payment) => {
 *   tx.prepare("INSERT INTO shipments (order_id) VALUES (?)").run(payment.orderId ?? null);
 * });
 * ```
 */
export function createInbox<Client, Mode extends StoreMode>(
  options: InboxOptions<Client, Mode>,
): Inbox<Client, Mode> {
  checkOptions(options);
  return new Inbox(options);
}
