import { WorkerSlot } from "../stores/lifecycle.ts";
import { type Observer, Observers } from "../stores/observers.ts";
import { migrate, type Store, type StoreMode, type Work } from "../stores/store.ts";
import { type DueOptions, type RunningWorker, readDue } from "../stores/worker.ts";
import { checkOptionNames } from "../values.ts";
import { catchUp } from "./claims.ts";
import { contextOf, decide, type PayoutsContext, tell } from "./context.ts";
import { type Resolution, reopen, resolutionNames, resolvePayout } from "./decide.ts";
import type { PayoutStep, PayoutsEvent } from "./events.ts";
import { settleBy } from "./inbox.ts";
import { entriesOf, type JournalEntry, type Ledger } from "./journal.ts";
import {
  checkDecision,
  type Decision,
  type PayoutInput,
  type PayoutListQuery,
  type PayoutsOptions,
  type PlanOptions,
} from "./options.ts";
import {
  checkCount,
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
import { Crew, type PayoutsStartOptions, startPayouts, stopIfAltered } from "./worker.ts";

/**
 * A ledger of payouts on the merchant's own database: each is sent once, within limits, even if processes crash.
 * Invalid arguments throw an `InvalidRequestError` or `ConfigurationError`, failures of the database a `StoreError`.
 */
export class Payouts<Client, Mode extends StoreMode> {
  readonly #store: Store<Client, Mode>;
  readonly #context: PayoutsContext;
  readonly #observers = new Observers<PayoutsEvent, PayoutStep>("settlekit:payouts");
  /** Whether `runDue` has compared the payouts with the journal. */
  #isVerified = false;
  readonly #worker = new WorkerSlot("ledger");
  /** @internal For `settlekit/opentelemetry`. */
  readonly tenant: string;

  /** @internal */
  constructor(options: PayoutsOptions<Client, Mode>) {
    this.#context = contextOf(options, this.#observers);
    const { store, inbox } = options;
    this.#store = store;
    this.tenant = this.#context.tenant;
    if (inbox !== undefined) settleBy(inbox, this.#context);
  }

  /** @internal For `settlekit/opentelemetry`. */
  observe(observer: Observer<PayoutsEvent, PayoutStep>): () => void {
    return this.#observers.add(observer);
  }

  /**
   * Plans a payout. A worker sends it when its turn comes, its budget allows it and, above `approveAbove`, it is
   * approved. With `tx`, it is planned when that transaction commits. Planning it again with the same parameters
   * changes nothing.
   *
   * On SQLite, `tx` is the `DatabaseSync` with an open transaction, and the payout is returned, or the error thrown,
   * synchronously.
   *
   * @throws {InvalidRequestError} for everything that `withdrawals.create` refuses, and for payouts that the limits can
   * never allow.
   * @throws {IdempotencyConflictError} when the `orderId` was planned with other parameters.
   * @throws {StoreError} code `no_transaction` when `tx` is not an open transaction of the store's database, or another
   * code when the database fails. After `store_conflict`, run your whole transaction again.
   */
  plan(
    input: PayoutInput,
    options: PlanOptions<Client> & { readonly tx: Client },
  ): Mode extends "sync" ? Payout : Promise<Payout>;
  plan(input: PayoutInput, options?: PlanOptions<never>): Promise<Payout>;
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
    const idempotencyKey = client.keyOf(body.orderId);
    const name = by === undefined ? by : checkName(by);
    return { tenant, limits, body, idempotencyKey, by: name };
  }

  /**
   * Approves a planned payout: it may then be sent exactly as planned.
   *
   * @throws {InvalidRequestError} code `same_person` when `by` planned it, `wrong_state` when it is not planned,
   * `altered` when it differs from its journal, which stops all payouts.
   * @throws {NotFoundError} code `no_payout` when none is planned with this `orderId`.
   */
  async approve(orderId: string, decision: Decision): Promise<Payout> {
    const checked = checkDecision(decision);
    return this.#change((ledger) => approve(ledger, checkOrderId(orderId), checked));
  }

  /**
   * Rejects a planned payout for good. A new payout needs a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when it is neither planned nor approved, or may have been sent.
   * @throws {NotFoundError} code `no_payout` when none is planned with this `orderId`.
   */
  async reject(orderId: string, decision: Decision): Promise<Payout> {
    const checked = checkDecision(decision);
    return this.#change((ledger) => endPlan(ledger, checkOrderId(orderId), "rejected", checked));
  }

  /**
   * Cancels a planned payout. A new payout needs a new `orderId`.
   *
   * @throws {InvalidRequestError} code `wrong_state` when it is neither planned nor approved, or may have been sent.
   * @throws {NotFoundError} code `no_payout` when none is planned with this `orderId`.
   */
  async cancel(orderId: string, decision: Decision): Promise<Payout> {
    const checked = checkDecision(decision);
    return this.#change((ledger) => endPlan(ledger, checkOrderId(orderId), "cancelled", checked));
  }

  /**
   * Applies a person's decision about a payout in doubt, after checking that the service does not contradict it: it
   * reads the withdrawal or, for `neverSent`, the whole list.
   *
   * @throws {InvalidRequestError} code `contradicted` when the service contradicts it, or when it is too early to tell;
   * `wrong_state` when the payout is not in doubt.
   * @throws {NotFoundError} code `no_payout` when none is planned with this `orderId`. The service's own code, when it
   * does not know the withdrawal.
   */
  async resolve(orderId: string, resolution: Resolution): Promise<Payout> {
    checkOptionNames(resolution, resolutionNames);
    const by = checkName(resolution.by);
    const row = await resolvePayout(this.#context, checkOrderId(orderId), { ...resolution, by });
    tell(this.#context, row);
    return payoutFrom(row);
  }

  /**
   * Stops all payouts of this tenant, for example when a key may have leaked: no process sends anything more until
   * `reopen`. Requests that are already in progress are not recalled. False if they were already stopped.
   */
  async stopAll(decision: Decision & { readonly reason: string }): Promise<boolean> {
    const { by, reason } = checkDecision(decision);
    const because = `${by} stopped them, with the reason "${checkReason(reason)}".`;
    return decide(this.#context, (ledger) => ledger.stop(null, because));
  }

  /** Resumes payouts after `stopAll`, or after the ledger stopped them itself. False if they were not stopped. */
  async reopen(decision: Decision & { readonly reason: string }): Promise<boolean> {
    const { by, reason } = checkDecision(decision);
    const why = checkReason(reason);
    return decide(this.#context, (ledger) => reopen(ledger, by, why), { wake: "payouts" });
  }

  /** The payout; undefined if none is planned. */
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
    checkCount("limit", limit, 1);
    checkCount("offset", offset, 0);
    const known = state === undefined ? state : checkState(state);
    const rows = await store.transaction(() => readRows(tenant, known, limit, offset));
    return rows.map(payoutFrom);
  }

  /** The journal's entries, oldest first; with an `orderId`, only that payout's. */
  async *journal(query: { orderId?: string | undefined } = {}): AsyncGenerator<JournalEntry> {
    checkOptionNames(query, ["orderId"], "filter");
    const orderId = query.orderId === undefined ? undefined : checkOrderId(query.orderId);
    const { store, tenant } = this.#context;
    yield* entriesOf(store, tenant, orderId);
  }

  /** Checks the journal, and the payouts against it. What was altered since the last `reopen` stops all payouts. */
  async verify(): Promise<Verification> {
    const { store, tenant } = this.#context;
    const verified = await verifyJournal(store, tenant);
    if (!verified.ok) await stopIfAltered(this.#context);
    return verified;
  }

  /** The state of the payouts, for a dashboard, or an alert on `stopped`, `needs_decision` and `lagMs`. */
  async stats(): Promise<PayoutsStats> {
    const { store, tenant, limits } = this.#context;
    return store.transaction(() => readStats(tenant, limits.approveAbove));
  }

  /**
   * Creates the tables, or brings them up to date. Any number of processes may call it at once; if the tables are up to
   * date, it changes nothing.
   *
   * @throws {StoreError} code `newer_schema` when a newer version of settlekit has migrated them.
   */
  async migrate(): Promise<void> {
    await migrate(this.#store as unknown as Store, payoutTables);
  }

  /**
   * Starts a worker in this process, which sends and follows payouts until it is stopped. Any number of processes may
   * run one.
   *
   * @throws {ConfigurationError} when this ledger already has one.
   */
  start(options: PayoutsStartOptions = {}): RunningWorker {
    this.#worker.requireFree("payouts.start", "Stop it first.");
    this.#context.warnUnlimited();
    return this.#worker.hold(startPayouts(this.#context, options));
  }

  /**
   * Does everything that is due and returns, for cron jobs. Returns the number of steps done. Once `signal` aborts, it
   * starts nothing new and finishes what is running.
   */
  async runDue(options: DueOptions = {}): Promise<number> {
    const { concurrency, signal } = readDue(options, 4);
    this.#context.warnUnlimited();
    if (!this.#isVerified) {
      try {
        await stopIfAltered(this.#context, signal);
      } catch (error) {
        if (signal.aborted) return 0;
        throw error;
      }
      this.#isVerified = true;
    }
    await catchUp(this.#context);
    const crew = new Crew(this.#context, concurrency, signal);
    do await crew.idle();
    while (await crew.round());
    return crew.steps;
  }

  async #change(work: (ledger: Ledger) => Work<PayoutRow | Error>): Promise<Payout> {
    const row = await decide(this.#context, work, { wake: "payouts" });
    if (row instanceof Error) throw row;
    tell(this.#context, row);
    return payoutFrom(row);
  }
}

/**
 * Creates a payout ledger. Call `migrate` when you deploy, `plan` each payout, and run a worker with `start`.
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
