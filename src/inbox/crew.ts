import { SettlekitError } from "../errors.ts";
import {
  type Claim,
  claim,
  claimLimit,
  claimSuspect,
  leaseMs,
  neverFinished,
  type Queue,
  release,
  type SubjectClaim,
  subjectQueue,
  type TaskClaim,
  taskQueue,
} from "./claims.ts";
import type { InboxItem } from "./events.ts";
import { type InboxContext, settleSubject, subjectItem } from "./settle.ts";
import { runTask, taskItem } from "./tasks.ts";

/** A queue, and what is done with its rows. */
interface Line<C extends Claim> {
  readonly queue: Queue<C>;
  readonly run: (context: InboxContext, claim: C, signal: AbortSignal) => Promise<unknown>;
  readonly itemOf: (claim: C) => InboxItem;
}

const subjectLine: Line<SubjectClaim> = {
  queue: subjectQueue,
  run: settleSubject,
  itemOf: subjectItem,
};

const taskLine = (names: readonly string[]): Line<TaskClaim> => ({
  queue: taskQueue(names),
  run: runTask,
  itemOf: taskItem,
});

/** A row that is being worked on. */
interface Running {
  readonly item: InboxItem;
  readonly startedAt: number;
}

/** How long a claimed row waits for room at most: it may lose its lease before it is done. */
const longestWaitMs = leaseMs / 2;
/** How often a queue that is always full is searched for rows whose worker never finished. */
const lookEveryMs = 500;

/** Claims what is due, and works on some rows at once. */
export class Crew {
  readonly #context: InboxContext;
  readonly #concurrency: number;
  readonly #signal: AbortSignal;
  readonly #isStopping: () => boolean;
  readonly #running = new Map<Promise<unknown>, Running>();
  #onFinish = () => {};
  /** When suspects were last looked for: looking reads all that waits. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Rows that were finished, well or not. */
  finished = 0;
  /** When a row was started or finished last. */
  #changedAt = performance.now();
  /** The `#changedAt` at which it was last told that nothing ends. */
  #toldAt: number | undefined;

  constructor(
    context: InboxContext,
    concurrency: number,
    signal: AbortSignal,
    isStopping: () => boolean = () => false,
  ) {
    this.#context = context;
    this.#concurrency = concurrency;
    this.#signal = signal;
    this.#isStopping = isStopping;
  }

  /**
   * Claims what is due and starts all of it. Gives the number of rows: 0 when nothing was due, or there is no room for
   * more, so that other workers can have it.
   */
  async round(): Promise<number> {
    if (!(await this.#waitForRoom(performance.now() + longestWaitMs))) return 0;
    const looks = performance.now() - this.#lookedAt >= lookEveryMs;
    if (looks) this.#lookedAt = performance.now();
    const subjects = await this.#take(subjectLine, looks);
    const { taskNames } = this.#context.effects;
    const tasks = taskNames.length === 0 ? 0 : await this.#take(taskLine(taskNames), looks);
    if (subjects + tasks > 0) this.#context.report({ type: "claimed", subjects, tasks });
    return subjects + tasks;
  }

  /** Works until nothing is due, or it is to stop, and nothing is running. */
  async settleDue(): Promise<void> {
    let claimed = 0;
    for (;;) {
      // After a full round there is probably more, which need not wait for the last of this one.
      const isFull = claimed >= claimLimit && !this.#isStopping();
      if (!isFull) await this.idle();
      if (this.#isStopping()) return;
      claimed = await this.round();
      if (claimed === 0 && !isFull) return;
    }
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  async #take<C extends Claim>(line: Line<C>, looks: boolean): Promise<number> {
    const { store } = this.#context;
    const until = performance.now() + longestWaitMs;
    const { claims, hasSuspects } = await store.transaction(() => claim(line.queue, looks));
    for (const each of claims) {
      const hasRoom = await this.#waitForRoom(until);
      if (hasRoom && !this.#isStopping()) this.#start(line, each);
      else await store.transaction(() => release(line.queue, each));
    }
    if (!hasSuspects || this.#isStopping()) return claims.length;
    return claims.length + (await this.#takeSuspect(line));
  }

  /**
   * Apart, so that nothing else is suspected if it ends the process. What has run for a whole lease is not waited for: it
   * is not suspected any more.
   */
  async #takeSuspect<C extends Claim>(line: Line<C>): Promise<number> {
    await this.#waitForQuiet();
    if (this.#isStopping() || !this.#hasRoom()) return 0;
    const { store, report } = this.#context;
    const { parked, claims } = await store.transaction(() => claimSuspect(line.queue));
    for (const each of parked) {
      report({ type: "parked", ...line.itemOf(each), reason: neverFinished });
    }
    for (const each of claims) this.#start(line, each);
    await this.#waitForQuiet();
    return parked.length + claims.length;
  }

  /** Waits until nothing is running that was started within a lease. */
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

  /** False when there is no room until then. Says so, once, when nothing ends at all. */
  async #waitForRoom(until: number): Promise<boolean> {
    if (await this.#wait(until, () => this.#hasRoom())) return true;
    const isStuck = !this.#hasRoom() && performance.now() - this.#changedAt >= longestWaitMs;
    if (isStuck && this.#toldAt !== this.#changedAt) {
      this.#toldAt = this.#changedAt;
      this.#context.report({ type: "failed", error: nothingEnds([...this.#running.values()]) });
    }
    return false;
  }

  /** Waits until it is enough; false when it is not until then. */
  async #wait(until: number, isEnough: () => boolean): Promise<boolean> {
    for (;;) {
      const ms = until - performance.now();
      if (ms <= 0) return false;
      if (isEnough()) return true;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#onFinish = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #start<C extends Claim>(line: Line<C>, each: C): void {
    const running = line
      .run(this.#context, each, this.#signal)
      // The database is away: the lease ends by itself.
      .catch((error: unknown) => this.#context.report({ type: "failed", error }))
      .finally(() => {
        this.#running.delete(running);
        this.finished++;
        this.#changedAt = performance.now();
        this.#onFinish();
      });
    this.#changedAt = performance.now();
    this.#running.set(running, { item: line.itemOf(each), startedAt: this.#changedAt });
  }
}

function nothingEnds(running: readonly Running[]): SettlekitError {
  const shown = running.slice(0, 3).map(({ item: { kind, id }, startedAt }) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    return `${kind} ${id} (for ${seconds} s)`;
  });
  const rest = running.length > 3 ? `, and ${running.length - 3} more` : "";
  return new SettlekitError(
    `The worker takes on nothing more: it has no room beside ${shown.join(", ")}${rest}. Find out why these do not end, or ` +
      "raise `concurrency`.",
    { code: "worker_full" },
  );
}
