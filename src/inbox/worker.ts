import { type Duration, durationInMs } from "../duration.ts";
import { ConfigurationError } from "../errors.ts";
import { Crew } from "./crew.ts";
import { prune } from "./operate.ts";
import { reconcileDue } from "./reconcile.ts";
import type { InboxContext } from "./settle.ts";

/** The options of `inbox.start`. */
export interface StartOptions {
  /**
   * How many subjects and tasks are worked on at once. A pool of PostgreSQL needs a client for each, and one more.
   *
   * @defaultValue 8
   */
  readonly concurrency?: number | undefined;
  /**
   * How often the service's lists are walked for changes that no webhook told, by one of all processes. `false` for never.
   *
   * @defaultValue "5m"
   */
  readonly reconcileEvery?: Duration | false | undefined;
  /**
   * How long `stop` waits for what is running, in milliseconds.
   *
   * @defaultValue 25_000
   */
  readonly drainMs?: number | undefined;
  /**
   * How often to look for due work that nothing woke the worker for, in milliseconds.
   *
   * @defaultValue 1_000
   */
  readonly pollMs?: number | undefined;
}

/** A worker that runs until it is stopped. */
export interface InboxWorker extends AsyncDisposable {
  /** Claims nothing more, waits for what is running, and gives back what was not started. */
  stop(): Promise<void>;
}

const pruneEveryMs = 600_000;

/** Starts a worker in this process. */
export function startWorker(context: InboxContext, options: StartOptions): InboxWorker {
  const { concurrency = 8, reconcileEvery = "5m", drainMs = 25_000, pollMs = 1_000 } = options;
  checkNumber("concurrency", concurrency, 1);
  checkNumber("drainMs", drainMs, 0);
  checkNumber("pollMs", pollMs, 1);
  const everyMs = reconcileEvery === false ? undefined : durationInMs(reconcileEvery);
  const stopping = new AbortController();
  const stopped = new AbortController();
  const { signal } = stopping;
  const crew = new Crew(context, concurrency, stopped.signal, () => signal.aborted);
  const alarm = new Alarm(signal);
  const listener = context.store.listen("inbox", () => alarm.ring());

  /** Repeats a piece of work until the worker stops. Failures are told, and do not end it. */
  async function repeat(waitMs: number, wait: Alarm, work: () => Promise<boolean>) {
    let failures = 0;
    while (!signal.aborted) {
      let goesOn = false;
      try {
        goesOn = await work();
        failures = 0;
      } catch (error) {
        failures++;
        context.report({ type: "failed", error });
      }
      // What woke the worker meanwhile is not forgotten.
      if (!goesOn) await wait.sleep(waitMs * Math.min(2 ** failures, 30));
    }
  }

  const loops = [
    repeat(pollMs, alarm, async () => (await crew.round()) > 0),
    repeat(pruneEveryMs, new Alarm(signal), () => prune(context.store)),
  ];
  if (everyMs !== undefined) {
    const reconcile = () => reconcileDue(context, everyMs, stopped.signal);
    loops.push(repeat(Math.min(everyMs, 30_000), new Alarm(signal), reconcile));
  }

  let ending: Promise<void> | undefined;
  const stop = () => {
    ending ??= end();
    return ending;
  };
  async function end() {
    stopping.abort();
    await listener.close();
    const drained = Promise.all(loops).then(() => crew.idle());
    const timer = setTimeout(() => stopped.abort(), drainMs);
    // What still runs afterwards loses its lease, and nothing of it is committed.
    const late = new Promise<void>((resolve) => {
      stopped.signal.addEventListener("abort", () => setTimeout(resolve, Math.min(drainMs, 1_000)));
    });
    await Promise.race([drained, late]);
    clearTimeout(timer);
  }
  return { stop, [Symbol.asyncDispose]: stop };
}

/** A sleep that ends early. */
class Alarm {
  readonly #stop: AbortSignal;
  #isRinging = false;
  #wake = () => {};

  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener("abort", () => this.ring());
  }

  ring(): void {
    this.#isRinging = true;
    this.#wake();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#isRinging && !this.#stop.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRinging = false;
  }
}

function checkNumber(param: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigurationError(`The option ${param} must be a whole number, ${least} or more.`, {
    code: "invalid_option",
    param,
  });
}
