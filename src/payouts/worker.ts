import { preparing } from "../stores/lifecycle.ts";
import { Alarm, checkWhole, type RunningWorker, runWorker } from "../stores/worker.ts";
import { checkOptionNames } from "../values.ts";
import { catchUp, claim } from "./claims.ts";
import { decide, type PayoutsContext, tell } from "./context.ts";
import { readHead } from "./journal.ts";
import type { PayoutRow, PayoutState } from "./payout.ts";
import { chainPlans } from "./plan.ts";
import { work } from "./sender.ts";
import { noDoubts, readDoubts, type StepResult } from "./trouble.ts";
import { verifyJournal } from "./verify.ts";

/** The options of `payouts.start`. */
export interface PayoutsStartOptions {
  /**
   * How many payouts are processed at once. A PostgreSQL pool needs a client for each, plus one.
   *
   * @defaultValue 4
   */
  readonly concurrency?: number | undefined;
  /**
   * How long `stop` waits for running work, in milliseconds.
   *
   * @defaultValue 35_000
   */
  readonly drainMs?: number | undefined;
  /**
   * How often to look for payouts that are due, in milliseconds.
   *
   * @defaultValue 1_000
   */
  readonly pollMs?: number | undefined;
}

const verifyEveryMs = 3_600_000;
const longestPauseMs = 60_000;

/** A growing pause after consecutive failures that concern more than one payout. */
class Backoff {
  #failures = 0;
  #pausedUntil = 0;

  /** Whether the last step failed: then only one is tried at a time, to see whether the cause is gone. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** @param isTrying Whether a step is running that may fail in the same way. */
  mayTry(isTrying: boolean): boolean {
    return performance.now() >= this.#pausedUntil && !(this.hasFailed && isTrying);
  }

  note(isFailure: boolean): void {
    this.#failures = isFailure ? this.#failures + 1 : 0;
    const pauseMs = Math.min(500 * 2 ** this.#failures, longestPauseMs);
    if (isFailure) this.#pausedUntil = performance.now() + pauseMs;
  }
}

/** Claims due payouts and processes several at once. */
export class Crew {
  readonly #context: PayoutsContext;
  readonly #concurrency: number;
  readonly #stopping: AbortSignal;
  readonly #stopped: AbortSignal;
  readonly #running = new Map<Promise<void>, PayoutState>();
  /** After a failure of a payout that is not known to be sent: the service may still report on those that are. */
  readonly #creating = new Backoff();
  /** After a failure to read the status of one that was sent: the service may still create others. */
  readonly #tracking = new Backoff();
  /** Whether the service has answered a request for a withdrawal since the last failure. */
  #isAnswering = false;
  /** Number of steps done. */
  steps = 0;

  /**
   * @param stopping Once it aborts, no payout is started.
   * @param stopped Aborts running work.
   */
  constructor(
    context: PayoutsContext,
    concurrency: number,
    stopping: AbortSignal,
    stopped = new AbortController().signal,
  ) {
    checkWhole("concurrency", concurrency, 1);
    this.#context = context;
    this.#concurrency = concurrency;
    this.#stopping = stopping;
    this.#stopped = stopped;
  }

  /** Starts a payout in each free slot. False if nothing was due, or nothing may be started for now. */
  async round(): Promise<boolean> {
    const { store, tenant, report, observers } = this.#context;
    const chained = await decide(this.#context, chainPlans);
    for (const row of chained) tell(this.#context, row);
    while (this.#room <= 0) await Promise.race(this.#running.keys());
    if (this.#stopping.aborted) return false;
    const [context, isAnswering, room] = [this.#context, this.#isAnswering, this.#room];
    const [creating, tracking] = [this.#creating, this.#tracking];
    const states = [...this.#running.values()];
    const isCreating = states.some((state) => state !== "sent");
    // The answer to what is running shows whether others are likely to get one.
    const mayLookUp = creating.mayTry(isCreating);
    const mayTrack = tracking.mayTry(states.includes("sent"));
    const isOneByOne = (mayLookUp && creating.hasFailed) || (mayTrack && tracking.hasFailed);
    let doubts = noDoubts;
    const rows = await store.transaction(function* () {
      doubts = isAnswering ? noDoubts : yield* readDoubts(tenant);
      const { isInDoubt } = doubts;
      const mayBegin = mayLookUp && !doubts.isTooSoon && !(isInDoubt && isCreating);
      const which = { mayLookUp, mayTrack, mayBegin, isInDoubt };
      return yield* claim(context, isOneByOne ? 1 : room, which);
    });
    for (const row of rows) {
      const step = { orderId: row.order_id, state: row.state };
      const running: Promise<void> = observers
        .around(step, () => work(this.#context, row, this.#stopped, doubts.isInDoubt))
        .then((result) => this.#note(row, result))
        // The database is unavailable: the lease will expire by itself.
        .catch((error: unknown) => report({ type: "failed", tenant, orderId: row.order_id, error }))
        .finally(() => {
          this.#running.delete(running);
          this.steps++;
        });
      this.#running.set(running, row.state);
    }
    // More plans than one batch may be waiting for their first entries.
    return rows.length + chained.length > 0;
  }

  /** How many payouts may be started. */
  get #room(): number {
    return this.#concurrency - this.#running.size;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  /** Pauses after a failure that concerns other payouts: with a revoked key, each would use up an attempt. */
  #note({ state }: PayoutRow, result: StepResult): void {
    const isTrouble = result instanceof Error;
    this.#isAnswering = !isTrouble && (this.#isAnswering || result === "answered");
    (state === "sent" ? this.#tracking : this.#creating).note(isTrouble);
  }
}

/** Starts a worker in this process. */
export function startPayouts(context: PayoutsContext, options: PayoutsStartOptions): RunningWorker {
  checkOptionNames(options, ["concurrency", "drainMs", "pollMs"]);
  const { concurrency = 4, drainMs = 35_000, pollMs = 1_000 } = options;
  checkWhole("drainMs", drainMs, 0);
  checkWhole("pollMs", pollMs, 1);
  const { store, observers, tenant, report } = context;
  const [stopping, stopped] = [new AbortController(), new AbortController()];
  const crew = new Crew(context, concurrency, stopping.signal, stopped.signal);
  const verify = async () => {
    await catchUp(context);
    await stopIfAltered(context, stopping.signal);
  };
  const verified = preparing(verify);
  // The check before the first payout is also the first of the hourly ones.
  let check = verified;
  return runWorker({
    store,
    observers,
    channel: "payouts",
    alarm: new Alarm(stopping.signal),
    drainMs,
    idle: () => crew.idle(),
    stopping,
    stopped,
    onError: (error) => {
      if (error === stopping.signal.reason) return;
      report({ type: "failed", tenant, orderId: undefined, error });
    },
    loops: [
      { waitMs: pollMs, isWoken: true, turn: () => verified().then(() => crew.round()) },
      {
        waitMs: verifyEveryMs,
        async turn() {
          await check();
          check = verify;
          return false;
        },
      },
    ],
  });
}

/** Opens the breaker if the journal was altered, except for alterations that a person has accepted. */
export async function stopIfAltered(context: PayoutsContext, signal?: AbortSignal): Promise<void> {
  const { store, tenant } = context;
  const head = await store.transaction(() => readHead(tenant));
  const verified = await verifyJournal(store, tenant, head?.accepted_seq, signal);
  if (verified.ok) return;
  const reason = `The journal check failed. ${verified.problem}`;
  await decide(context, (ledger) => ledger.stop(null, reason));
}
