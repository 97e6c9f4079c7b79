import { preparing, WorkerSlot, withReady } from "../stores/lifecycle.ts";
import { type Observer, Observers, reporter } from "../stores/observers.ts";
import {
  migrate,
  requireMigrated,
  type Store,
  type StoreMode,
  type Work,
} from "../stores/store.ts";
import { checkSignal, checkWhole } from "../stores/worker.ts";
import { checkOptionNames } from "../values.ts";
import { decide, type PayoutsContext, tell } from "./claims.ts";
import { type Resolution, reopen, resolutionNames, resolvePayout } from "./decide.ts";
import { log, type PayoutStep, type PayoutsEvent } from "./events.ts";
import { settleBy } from "./inbox.ts";
import { entriesOf, type JournalEntry, type Ledger } from "./journal.ts";
import { requireAllowed } from "./limits.ts";
import {
  checkDecision,
  checkedLimits,
  type Decision,
  type PayoutInput,
  type PayoutListQuery,
  type PayoutsOptions,
  type PlanOptions,
} from "./options.ts";
import {
  checkName,
  checkOrderId,
  checkReason,
  checkState,
  type Payout,
  type PayoutRow,
  payoutFrom,
} from "./payout.ts";
import { addPlan, approve, chain, endPlan, readRow, readRows } from "./plan.ts";
import { type PayoutsStats, readStats } from "./stats.ts";
import { payoutTables } from "./tables.ts";
import { type Verification, verifyJournal } from "./verify.ts";
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
  /** Before the first payout is sent. */
  readonly #ready = preparing(() => stopIfAltered(this.#context));
  readonly #worker = new WorkerSlot("ledger");

  /** @internal */
  constructor(options: PayoutsOptions<Client, Mode>) {
    const limits = checkedLimits(options);
    const { client, store, quietMs = 120_000, lookFirst = false, tenant = "", inbox } = options;
    const leaveMs = Math.ceil(quietMs / 8);
    const ledgerClient = client.withdrawals.ledger;
    const anyStore = store as unknown as Store;
    const migrated = preparing(() => requireMigrated(anyStore, payoutTables));
    this.#store = store;
    this.#context = {
      store: withReady(anyStore, migrated),
      client: ledgerClient,
      tenant,
      limits,
      lookFirst,
      hasInbox: inbox !== undefined,
      quietMs,
      leaveMs,
      leaseMs: ledgerClient.timeoutMs + 2 * leaveMs,
      report: reporter(this.#observers, options, log),
      observers: this.#observers,
    };
    if (inbox !== undefined) settleBy(inbox, this.#context);
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
  plan(input: PayoutInput, options?: PlanOptions<Client>): Payout | Promise<Payout>;
  plan(input: PayoutInput, options: PlanOptions<Client> = {}): Payout | Promise<Payout> {
    checkOptionNames(options, ["tx", "by"]);
    const { tx, by } = options;
    if (tx === undefined) return this.#plan(input, by);
    const plan = this.#checked(input, by);
    const added = this.#store.join(tx, () => addPlan(plan)) as PayoutRow | Promise<PayoutRow>;
    return added instanceof Promise ? added.then(payoutFrom) : payoutFrom(added);
  }

  async #plan(input: PayoutInput, by: string | undefined): Promise<Payout> {
    const plan = this.#checked(input, by);
    const work = function* (ledger: Ledger) {
      const added = yield* addPlan(plan);
      yield* chain(ledger, added);
      return added;
    };
    const row = await decide(this.#context, work, { wake: "payouts" });
    if (row.chained === 0) tell(this.#context, row);
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
  async approve(orderId: string, decision: Decision): Promise<Payout> {
    const checked = checkDecision(decision);
    return this.#change((ledger) => approve(ledger, checkOrderId(orderId), checked));
  }

  /**
   * Refuses a planned payout for good. A new payout takes a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when something may have been sent already.
   */
  async reject(orderId: string, decision: Decision): Promise<Payout> {
    const end = { ...checkDecision(decision), isRejected: true };
    return this.#change((ledger) => endPlan(ledger, checkOrderId(orderId), end));
  }

  /**
   * Cancels a planned payout. A new payout takes a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when something may have been sent already.
   */
  async cancel(orderId: string, decision: Decision): Promise<Payout> {
    const end = { ...checkDecision(decision), isRejected: false };
    return this.#change((ledger) => endPlan(ledger, checkOrderId(orderId), end));
  }

  /**
   * Ends a doubt by a person's word, which the service must not contradict: `withdrawalId` is read, and for `neverSent`
   * the whole list.
   *
   * @throws {InvalidRequestError} code `contradicted` when the service says otherwise, or it is too early to say.
   */
  async resolve(orderId: string, resolution: Resolution): Promise<Payout> {
    checkOptionNames(resolution, resolutionNames);
    const by = checkName("by", resolution.by);
    const row = await resolvePayout(this.#context, checkOrderId(orderId), { ...resolution, by });
    tell(this.#context, row);
    return payoutFrom(row);
  }

  /**
   * Closes the breaker: payouts are sent again. False when it was closed.
   */
  async reopen(decision: Decision & { readonly reason: string }): Promise<boolean> {
    const { by, reason } = checkDecision(decision);
    const why = checkReason(reason);
    return decide(this.#context, (ledger) => reopen(ledger, by, why), { wake: "payouts" });
  }

  /** The payout; undefined where none is planned. */
  async get(orderId: string): Promise<Payout | undefined> {
    const { store, tenant } = this.#context;
    const checked = checkOrderId(orderId);
    const row = await store.transaction(() => readRow(tenant, checked));
    return row && payoutFrom(row);
  }

  /** Payouts in the order in which they were planned. */
  async list(query: PayoutListQuery = {}): Promise<Payout[]> {
    checkOptionNames(query, ["state", "limit", "offset"], "filter");
    const { state, limit = 100, offset = 0 } = query;
    const { store, tenant } = this.#context;
    checkWhole("limit", limit, 1);
    checkWhole("offset", offset, 0);
    const known = state === undefined ? state : checkState(state);
    const rows = await store.transaction(() => readRows(tenant, known, limit, offset));
    return rows.map(payoutFrom);
  }

  /** The journal's entries, oldest first; those of one payout with its `orderId`. */
  async *journal(query: { orderId?: string | undefined } = {}): AsyncGenerator<JournalEntry> {
    checkOptionNames(query, ["orderId"], "filter");
    const orderId = query.orderId === undefined ? undefined : checkOrderId(query.orderId);
    const { store, tenant } = this.#context;
    yield* entriesOf(store, tenant, orderId);
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
    await migrate(this.#store as unknown as Store, payoutTables);
  }

  /**
   * Starts a worker in this process, which sends and follows payouts until it is stopped. Any number of processes may run
   * one.
   *
   * @throws {ConfigurationError} when this ledger has one already.
   */
  start(options: PayoutsStartOptions = {}): PayoutsWorker {
    this.#worker.requireFree("payouts.start", "Stop it first.");
    const ready = { ...this.#context, store: withReady(this.#context.store, this.#ready) };
    return this.#worker.hold(startPayouts(ready, options));
  }

  /**
   * Does everything that is due now, and returns: for cron jobs, which have no process that stays. Gives the number of
   * steps that were done. Once `signal` aborts, it starts nothing new and finishes what is running.
   */
  async runDue(options: { concurrency?: number; signal?: AbortSignal } = {}): Promise<number> {
    checkOptionNames(options, ["concurrency", "signal"]);
    const { concurrency = 4, signal } = options;
    checkSignal(signal);
    await this.#ready();
    const crew = new Crew(this.#context, concurrency, new AbortController().signal);
    do await crew.idle();
    while (!signal?.aborted && (await crew.round()));
    return crew.steps;
  }

  async #change(work: (ledger: Ledger) => Work<PayoutRow>): Promise<Payout> {
    const row = await decide(this.#context, work, { wake: "payouts" });
    tell(this.#context, row);
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
  return new Payouts(options);
}
