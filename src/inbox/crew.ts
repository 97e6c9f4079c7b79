import {
  type Claim,
  claim,
  claimLimit,
  claimSuspect,
  leaseMs,
  type Queue,
  release,
  type SubjectClaim,
  subjectQueue,
  type TaskClaim,
  taskQueue,
} from "./claims.ts";
import type { InboxItem } from "./events.ts";
import { type InboxContext, settleSubject } from "./settle.ts";
import { runTask } from "./tasks.ts";

/** A queue, and what is done with its rows. */
interface Line<C extends Claim> {
  readonly queue: Queue<C>;
  readonly run: (context: InboxContext, claim: C, signal: AbortSignal) => Promise<unknown>;
  readonly itemOf: (claim: C) => InboxItem;
}

const subjectLine: Line<SubjectClaim> = {
  queue: subjectQueue,
  run: settleSubject,
  itemOf: ({ tenant, kind, subject: id }) => ({ tenant, kind, id }),
};

const taskLine = (names: readonly string[]): Line<TaskClaim> => ({
  queue: taskQueue(names),
  run: runTask,
  itemOf: ({ tenant, task_key: id }) => ({ tenant, kind: "task", id }),
});

/** How often a queue that is always full is searched for rows whose worker never finished. */
const lookEveryMs = 500;

/** Claims what is due, and works on some rows at once. */
export class Crew {
  readonly #context: InboxContext;
  readonly #concurrency: number;
  readonly #signal: AbortSignal;
  readonly #isStopping: () => boolean;
  readonly #running = new Set<Promise<unknown>>();
  /** When suspects were last looked for: looking reads all that waits. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Rows that were finished, well or not. */
  finished = 0;

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

  /** Claims what is due and starts all of it. Gives the number of rows: 0 when nothing was due. */
  async round(): Promise<number> {
    const looks = performance.now() - this.#lookedAt >= lookEveryMs;
    if (looks) this.#lookedAt = performance.now();
    const subjects = await this.#take(subjectLine, looks);
    const { taskNames } = this.#context.effects;
    const tasks = taskNames.length === 0 ? 0 : await this.#take(taskLine(taskNames), looks);
    if (subjects + tasks > 0) this.#context.report({ type: "claimed", subjects, tasks });
    return subjects + tasks;
  }

  /** Works until nothing is due and nothing is running. */
  async settleDue(): Promise<void> {
    let claimed = 0;
    for (;;) {
      // After a full round there is probably more, which need not wait for the last of this one.
      const isFull = claimed >= claimLimit;
      if (!isFull) await this.idle();
      claimed = await this.round();
      if (claimed === 0 && !isFull) return;
    }
  }

  /** Resolves when nothing is running any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #take<C extends Claim>(line: Line<C>, looks: boolean): Promise<number> {
    const { store } = this.#context;
    const claimedAt = performance.now();
    const { claims, hasSuspects } = await store.transaction(() => claim(line.queue, looks));
    for (const each of claims) {
      while (this.#running.size >= this.#concurrency) await Promise.race(this.#running);
      // What has waited for long may lose its lease before it is done.
      const isLate = performance.now() - claimedAt > leaseMs / 2;
      if (isLate || this.#isStopping()) await store.transaction(() => release(line.queue, each));
      else this.#start(line, each);
    }
    if (!hasSuspects || this.#isStopping()) return claims.length;
    return claims.length + (await this.#takeSuspect(line));
  }

  /** Alone, so that nothing else is suspected if it ends the process. */
  async #takeSuspect<C extends Claim>(line: Line<C>): Promise<number> {
    await this.idle();
    const { store, report } = this.#context;
    const { parked, claims } = await store.transaction(() => claimSuspect(line.queue));
    for (const each of parked) {
      report({ type: "parked", ...line.itemOf(each), reason: "It never finished: see parked()." });
    }
    for (const each of claims) this.#start(line, each);
    await this.idle();
    return parked.length + claims.length;
  }

  #start<C extends Claim>(line: Line<C>, each: C): void {
    const running = line
      .run(this.#context, each, this.#signal)
      // The database is away: the lease ends by itself.
      .catch((error: unknown) => this.#context.report({ type: "failed", error }))
      .finally(() => {
        this.#running.delete(running);
        this.finished++;
      });
    this.#running.add(running);
  }
}
