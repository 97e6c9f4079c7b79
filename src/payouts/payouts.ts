import { ConfigurationError } from "../errors.ts";
import { type Observer, Observers } from "../stores/observers.ts";
import { migrate, requireMigrated, type Store, type StoreMode } from "../stores/store.ts";
import { checkWhole } from "../stores/worker.ts";
import { type PayoutsContext, tell } from "./claims.ts";
import { type Resolution, reopen, resolvePayout, settleKnown } from "./decide.ts";
import { type PayoutStep, type PayoutsEvent, reporter } from "./events.ts";
import {
  entryFrom,
  inLedger,
  type JournalEntry,
  readJournal,
  type Verification,
  verifyJournal,
} from "./journal.ts";
import { requireAllowed } from "./limits.ts";
import {
  checkedLimits,
  type Decision,
  type PayoutInput,
  type PayoutListQuery,
  type PayoutsOptions,
  type PlanOptions,
} from "./options.ts";
import { checkName, checkState, type Payout, type PayoutRow, payoutFrom } from "./payout.ts";
import { addPlan, approve, chain, endPlan, readRow, readRows, type requireRow } from "./plan.ts";
import { type PayoutsStats, readStats } from "./stats.ts";
import { payoutTables } from "./tables.ts";
import {
  Crew,
  type PayoutsStartOptions,
  type PayoutsWorker,
  startPayouts,
  stopIfAltered,
} from "./worker.ts";

/**
 * A ledger of payouts on the merchant's own database: each is sent once, within limits, whatever dies when.
 */
export class Payouts<Client, Mode extends StoreMode> {
  readonly #store: Store<Client, Mode>;
  readonly #context: PayoutsContext;
  readonly #observers = new Observers<PayoutsEvent, PayoutStep>("settlekit:payouts");
  #ready: Promise<void> | undefined;
  #worker: PayoutsWorker | undefined;

  /** @internal */
  constructor(options: PayoutsOptions<Client, Mode>) {
    const { client, store, quietMs = 120_000, lookFirst = false, tenant = "", inbox } = options;
    const { onEvent, logger = console } = options;
    const leaveMs = Math.ceil(quietMs / 8);
    const ledgerClient = client.withdrawals.ledger;
    this.#store = store;
    this.#context = {
      store: store as unknown as Store,
      client: ledgerClient,
      tenant,
      limits: checkedLimits(options),
      lookFirst,
      hasInbox: inbox !== undefined,
      quietMs,
      leaveMs,
      leaseMs: ledgerClient.timeoutMs + 2 * leaveMs,
      report: reporter(onEvent, logger, this.#observers),
      observers: this.#observers,
    };
    inbox?.on("withdrawal", "settlekit.payouts", {}, (tx, withdrawal, tools) => {
      const { orderId } = withdrawal;
      if (tools.tenant !== tenant || typeof orderId !== "string") return undefined;
      const work = () => settleKnown(tenant, orderId, withdrawal);
      return store.join(tx, work) as undefined;
    });
  }

  /** @internal For `settlekit/opentelemetry`. */
  observe(observer: Observer<PayoutsEvent, PayoutStep>): () => void {
    return this.#observers.add(observer);
  }

  /**
   * Plans a payout: it is sent once the worker has its turn, its budget and, above `approveAbove`, its approval. With `tx`,
   * it is planned when that transaction commits. Planned again with the same parameters, it is left as it is.
   *
   * On SQLite, `tx` is the `DatabaseSync` with an open transaction, and the payout is given, or the error thrown, at once.
   *
   * @throws {InvalidRequestError} for everything that `withdrawals.create` refuses, and for what the limits never allow.
   * @throws {IdempotencyConflictError} when the `orderId` is planned with other parameters.
   */
  plan(input: PayoutInput, options?: { readonly by?: string | undefined }): Promise<Payout>;
  plan(
    input: PayoutInput,
    options: PlanOptions<Client> & { readonly tx: Client },
  ): Mode extends "sync" ? Payout : Promise<Payout>;
  plan(input: PayoutInput, { tx, by }: PlanOptions<Client> = {}): Payout | Promise<Payout> {
    if (tx === undefined) return this.#plan(input, by);
    const plan = this.#checked(input, by);
    const added = this.#store.join(tx, () => addPlan(plan)) as PayoutRow | Promise<PayoutRow>;
    return added instanceof Promise ? added.then(payoutFrom) : payoutFrom(added);
  }

  async #plan(input: PayoutInput, by: string | undefined): Promise<Payout> {
    const plan = this.#checked(input, by);
    const { tenant, store } = this.#context;
    const row = await store.transaction(
      function* () {
        const added = yield* addPlan(plan);
        if (added.chained === 0) yield* inLedger(tenant, (ledger) => chain(ledger, added));
        return added;
      },
      { wake: "payouts" },
    );
    if (row.chained === 0) await tell(this.#context, row);
    return payoutFrom(row);
  }

  #checked(input: PayoutInput, by: string | undefined) {
    const { client, limits, tenant } = this.#context;
    const body = client.checked(input);
    requireAllowed(limits, body.amountInCents, body.recipientAddress.toLowerCase());
    const idempotencyKey = client.keyOf(body.orderId);
    return { tenant, body, idempotencyKey, by: by === undefined ? by : checkName("by", by) };
  }

  /**
   * Approves a planned payout: exactly what was planned, and nothing else, may then be sent.
   *
   * @throws {InvalidRequestError} code `same_person` when `by` planned it, `wrong_state` when it is not planned.
   */
  async approve(orderId: string, { by }: Decision): Promise<Payout> {
    const name = checkName("by", by);
    return this.#change(() => approve(this.#context.tenant, orderId, name));
  }

  /**
   * Refuses a planned payout for good. A new payout takes a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when something may have been sent already.
   */
  async reject(orderId: string, { by, reason }: Decision): Promise<Payout> {
    const end = { by: checkName("by", by), reason, isRejected: true };
    return this.#change(() => endPlan(this.#context.tenant, orderId, end));
  }

  /**
   * Cancels a planned payout. A new payout takes a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when something may have been sent already.
   */
  async cancel(orderId: string, { by, reason }: Decision): Promise<Payout> {
    const end = { by: checkName("by", by), reason, isRejected: false };
    return this.#change(() => endPlan(this.#context.tenant, orderId, end));
  }

  /**
   * Ends a doubt by a person's word, which the service must not contradict: `withdrawalId` is read, and for `neverSent`
   * the whole list.
   *
   * @throws {InvalidRequestError} code `contradicted` when the service says otherwise, or it is too early to say.
   */
  async resolve(orderId: string, resolution: Resolution): Promise<Payout> {
    const by = checkName("by", Object(resolution).by);
    const row = await resolvePayout(this.#context, orderId, { ...resolution, by });
    await tell(this.#context, row);
    return payoutFrom(row);
  }

  /**
   * Closes the breaker: payouts are sent again. False when it was closed.
   */
  async reopen({ by, reason }: Decision & { readonly reason: string }): Promise<boolean> {
    const { store, tenant } = this.#context;
    const [name, why] = [checkName("by", by), checkName("reason", reason)];
    return store.transaction(() => reopen(tenant, name, why), { wake: "payouts" });
  }

  /** The payout; undefined where none is planned. */
  async get(orderId: string): Promise<Payout | undefined> {
    const { store, tenant } = this.#context;
    const row = await store.transaction(() => readRow(tenant, orderId));
    return row && payoutFrom(row);
  }

  /** Payouts in the order in which they were planned. */
  async list({ state, limit = 100, offset = 0 }: PayoutListQuery = {}): Promise<Payout[]> {
    const { store, tenant } = this.#context;
    checkWhole("limit", limit, 1);
    checkWhole("offset", offset, 0);
    const known = state === undefined ? state : checkState(state);
    const rows = await store.transaction(() => readRows(tenant, known, limit, offset));
    return rows.map(payoutFrom);
  }

  /** The journal's entries, oldest first; those of one payout with its `orderId`. */
  async *journal({ orderId }: { orderId?: string | undefined } = {}): AsyncGenerator<JournalEntry> {
    const { store, tenant } = this.#context;
    let seq = 0;
    for (;;) {
      const after = seq;
      const rows = await store.transaction(() => readJournal(tenant, after, orderId));
      if (rows.length === 0) return;
      for (const row of rows) yield entryFrom(row);
      seq = rows.at(-1)?.seq ?? seq;
    }
  }

  /** Checks every entry of the journal, and the payouts against it. A break opens the breaker. */
  async verify(): Promise<Verification> {
    const { store, tenant } = this.#context;
    const verified = await verifyJournal(store, tenant);
    if (!verified.ok) await stopIfAltered(this.#context);
    return verified;
  }

  /** How the payouts are doing: for a dashboard, or an alert on `stopped` and `needs_decision`. */
  async stats(): Promise<PayoutsStats> {
    const { store, tenant } = this.#context;
    return store.transaction(() => readStats(tenant));
  }

  /**
   * Makes the tables, or brings them up to date. Any number of processes may call it at once; it changes nothing when all
   * is there.
   *
   * @throws {StoreError} code `newer_schema` when a newer settlekit has migrated them.
   */
  async migrate(): Promise<void> {
    await migrate(this.#context.store, payoutTables);
  }

  /**
   * Starts a worker in this process, which sends and follows payouts until it is stopped. Any number of processes may run
   * one.
   *
   * @throws {ConfigurationError} when this ledger has one already.
   */
  start(options: PayoutsStartOptions = {}): PayoutsWorker {
    if (this.#worker !== undefined) {
      throw new ConfigurationError(
        "payouts.start was called while a worker of this ledger runs. Stop it first.",
        { code: "already_started" },
      );
    }
    const worker = startPayouts(this.#context, options);
    const stop = async () => {
      await worker.stop();
      if (this.#worker === started) this.#worker = undefined;
    };
    const started = { stop, [Symbol.asyncDispose]: stop };
    this.#worker = started;
    return started;
  }

  /**
   * Does everything that is due now, and returns: for cron jobs, which have no process that stays. Gives the number of
   * steps that were done.
   */
  async runDue({ concurrency = 4 }: { concurrency?: number } = {}): Promise<number> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
    const crew = new Crew(this.#context, concurrency, new AbortController().signal);
    do await crew.idle();
    while (await crew.round());
    return crew.steps;
  }

  async #prepare(): Promise<void> {
    await requireMigrated(this.#context.store, payoutTables);
    await stopIfAltered(this.#context);
  }

  async #change(work: () => ReturnType<typeof requireRow>): Promise<Payout> {
    const row = await this.#context.store.transaction(work, { wake: "payouts" });
    await tell(this.#context, row);
    return payoutFrom(row);
  }
}

/**
 * Makes a payout ledger.
 *
 * @throws {ConfigurationError} when an option is missing or unknown.
 * @example
 * ```ts
 * const payouts = createPayouts({
 *   client: new MerchantClient(),
 *   store: sqlite("shop.db"),
 *   limits: { perPayout: 50_000, perDay: 500_000, approveAbove: 10_000 },
 * });
 * await payouts.migrate();
 * ```
 */
export function createPayouts<Client, Mode extends StoreMode>(
  options: PayoutsOptions<Client, Mode>,
): Payouts<Client, Mode> {
  checkedLimits(options);
  return new Payouts(options);
}
