import { SettlekitError } from "../errors.ts";
import { Alarm } from "../stores/worker.ts";
import {
  type Claim,
  claim,
  claimLimit,
  claimSuspect,
  leaseMs,
  neverFinished,
  type Queue,
  release,
  subjectQueue,
  subjectsOf,
  tasksOf,
} from "./claims.ts";
import type { InboxItem } from "./events.ts";
import { Outages } from "./outages.ts";
import { type Failure, type InboxContext, retryLater, settleSubject } from "./settle.ts";
import { runTask } from "./tasks.ts";

/** Processes a claimed row. */
type Run<C extends Claim> = (
  context: InboxContext,
  claim: C,
  stopped: AbortSignal,
) => Promise<Failure | undefined>;

/** A row that is being processed. */
interface Running {
  readonly item: InboxItem;
  readonly startedAt: number;
}

interface CrewOptions {
  /** Once it aborts, no row is started. */
  readonly stopping: AbortSignal;
  /** Aborts running work. */
  readonly stopped?: AbortSignal;
  /** Called after each row: it may have planned a task, or changed again while it was processed. */
  readonly onFinish?: () => void;
}

/** How long a claimed row may wait for a free slot. Any longer, and its lease could end before it is done. */
const longestWaitMs = leaseMs / 2;

/** Claims due rows and processes several at once. */
export class Crew {
  readonly #context: InboxContext;
  readonly #concurrency: number;
  readonly #stopping: AbortSignal;
  readonly #stopped: AbortSignal;
  readonly #onFinish: () => void;
  readonly #running = new Map<Promise<unknown>, Running>();
  readonly #outages = new Outages();
  /** What became of rows, where the database was unavailable. Otherwise, they would be suspected. */
  readonly #unrecorded: (() => Promise<void>)[] = [];
  readonly #freed = new Alarm();
  /** How many rows have finished, successfully or not. */
  finished = 0;
  /** When a row last started or finished. */
  #changedAt = performance.now();
  /** The `#changedAt` for which a full worker was last reported. */
  #reportedAt: number | undefined;

  constructor(
    context: InboxContext,
    concurrency: number,
    { stopping, stopped = new AbortController().signal, onFinish = () => {} }: CrewOptions,
  ) {
    this.#context = context;
    this.#concurrency = concurrency;
    this.#stopping = stopping;
    this.#stopped = stopped;
    this.#onFinish = onFinish;
  }

  /**
   * Claims due rows and starts them all. Returns their number. Claims none while no slot is free, so that other workers
   * can take them.
   */
  async round(): Promise<number> {
    await this.#record();
    if (!(await this.#waitForRoom(performance.now() + longestWaitMs))) return 0;
    const tried = await this.#tryOne();
    const readable = subjectsOf("NOT IN", this.#outages.all);
    const subjects = tried + (await this.#take(readable, settleSubject));
    const { taskNames } = this.#context.effects;
    const tasks = taskNames.length === 0 ? 0 : await this.#take(tasksOf(taskNames), runTask);
    if (subjects + tasks > 0) this.#context.report({ type: "claimed", subjects, tasks });
    return subjects + tasks;
  }

  /** Works until nothing is due or running, or it is stopping. */
  async settleDue(): Promise<void> {
    let claimed = 0;
    for (;;) {
      // After a full round there is probably more: do not wait for this one to end.
      const isFull = claimed >= claimLimit && !this.#stopping.aborted;
      if (!isFull) await this.idle();
      if (this.#stopping.aborted) return;
      claimed = await this.round();
      if (claimed === 0 && !isFull) return;
    }
  }

  /** Resolves once nothing is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  async #take<C extends Claim>(queue: Queue<C>, run: Run<C>): Promise<number> {
    const { store } = this.#context;
    const until = performance.now() + longestWaitMs;
    const { claims, isSuspectNext } = await store.transaction(() => claim(queue));
    for (const each of claims) {
      const hasRoom = await this.#waitForRoom(until);
      const isReadable = !this.#outages.has(queue.itemOf(each));
      if (hasRoom && isReadable && !this.#stopping.aborted) this.#start(queue, run, each);
      else this.#unrecorded.push(() => store.transaction(() => release(queue, each)));
    }
    await this.#record();
    if (!isSuspectNext || this.#stopping.aborted) return claims.length;
    return claims.length + (await this.#takeSuspect(queue, run));
  }

  /** Tries a subject of those that could not be read, to find out whether they can be read again. */
  async #tryOne(): Promise<number> {
    const sources = this.#outages.due([...this.#running.values()].map(({ item }) => item));
    if (sources.length === 0 || this.#stopping.aborted) return 0;
    const { claims, isSuspectNext } = await this.#context.store.transaction(() =>
      claim(subjectsOf("IN", sources), 1),
    );
    for (const each of claims) this.#start(subjectQueue, settleSubject, each);
    // A suspect does not run beside others, as this one would.
    if (claims.length === 0 && isSuspectNext) this.#outages.forget(sources);
    return claims.length;
  }

  /** Throws while the database is unavailable. */
  async #record(): Promise<void> {
    for (let record = this.#unrecorded[0]; record; record = this.#unrecorded[0]) {
      await record().catch((error: unknown) => {
        // A statement that the database refuses must not hold up everything else: the lease will expire.
        if (Object(error).code !== "store_failed") throw error;
      });
      this.#unrecorded.shift();
    }
  }

  /**
   * Runs a suspect alone, so that nothing else is suspected if it kills the process. Rows that have run for a whole
   * lease may keep running: they are no longer suspected.
   */
  async #takeSuspect<C extends Claim>(queue: Queue<C>, run: Run<C>): Promise<number> {
    await this.#waitForQuiet();
    if (this.#stopping.aborted || !this.#hasRoom()) return 0;
    const { store, report } = this.#context;
    const { parked, claims } = await store.transaction(() => claimSuspect(queue));
    for (const each of parked) {
      report({ type: "parked", ...queue.itemOf(each), reason: neverFinished });
    }
    for (const each of claims) this.#start(queue, run, each);
    await this.#waitForQuiet();
    return parked.length + claims.length;
  }

  /** Waits until every row still running has run for a whole lease. */
  async #waitForQuiet(): Promise<void> {
    const isQuiet = () =>
      [...this.#running.values()].every(
        ({ startedAt }) => performance.now() - startedAt >= leaseMs,
      );
    await this.#wait(performance.now() + leaseMs, isQuiet);
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#concurrency;
  }

  /** False if no slot becomes free in time. Reports once if nothing finishes at all. */
  async #waitForRoom(until: number): Promise<boolean> {
    if (await this.#wait(until, () => this.#hasRoom())) return true;
    const isStuck = !this.#hasRoom() && performance.now() - this.#changedAt >= longestWaitMs;
    if (isStuck && this.#reportedAt !== this.#changedAt) {
      this.#reportedAt = this.#changedAt;
      this.#context.report({ type: "failed", error: workerFull([...this.#running.values()]) });
    }
    return false;
  }

  /** Waits until the condition holds; false if it does not in time. */
  async #wait(until: number, isEnough: () => boolean): Promise<boolean> {
    for (;;) {
      const ms = until - performance.now();
      if (ms <= 0) return false;
      if (isEnough()) return true;
      await this.#freed.sleep(ms);
    }
  }

  #start<C extends Claim>(queue: Queue<C>, run: Run<C>, each: C): void {
    const context = this.#context;
    const item = queue.itemOf(each);
    const running = run(context, each, this.#stopped)
      .then((failure) => this.#note(item, failure))
      .catch((error: unknown) => {
        context.report({ type: "failed", error });
        const failure = { error, effects: [] };
        this.#unrecorded.push(() => retryLater({ context, queue, claim: each }, failure));
      })
      .finally(() => {
        this.#running.delete(running);
        this.finished++;
        this.#changedAt = performance.now();
        this.#freed.ring();
        this.#onFinish();
      });
    this.#changedAt = performance.now();
    this.#running.set(running, { item, startedAt: this.#changedAt });
  }

  /** Each outage is reported once. */
  #note(item: InboxItem, failure: Failure | undefined): void {
    const { kind, tenant } = item;
    if (kind === "task") return;
    if (!failure?.isOutage) this.#outages.end(item);
    else if (this.#outages.pause(item)) {
      this.#context.report({ type: "failed", tenant, kind, error: failure.error });
    }
  }
}

function workerFull(running: readonly Running[]): SettlekitError {
  const shown = running.slice(0, 3).map(({ item: { kind, id }, startedAt }) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    return `${kind} ${id} (for ${seconds} s)`;
  });
  const rest = running.length > 3 ? `, and ${running.length - 3} more` : "";
  return new SettlekitError(
    `The worker is full: it is still running ${shown.join(", ")}${rest}. Find out why these do not finish, or ` +
      "raise `concurrency`.",
    { code: "worker_full" },
  );
}
