import { maxTimerMs } from "../duration.ts";
import { checkOptionNames, invalidOption, show, thrownText } from "../values.ts";
import type { Observers } from "./observers.ts";
import type { Store } from "./store.ts";

/** A worker that runs until it is stopped. */
export interface RunningWorker extends AsyncDisposable {
  /** Takes on no new work, releases what was not started, waits for what is running, and lets the process exit. */
  stop(): Promise<void>;
}

/** A task that a worker repeats. */
export interface Loop {
  /** How long to wait after a turn with nothing to do, in milliseconds. */
  readonly waitMs: number;
  /** Whether the alarm ends the wait. */
  readonly isWoken?: boolean;
  /** Resolves to true if there may be more to do right away. */
  readonly turn: () => Promise<boolean>;
}

interface Work {
  readonly store: Store;
  readonly observers: Pick<Observers<never, never>, "detached">;
  readonly channel: string;
  /** Also rung by notifications on the store's channel. */
  readonly alarm: Alarm;
  /** How long `stop` waits for running work, in milliseconds. */
  readonly drainMs: number;
  readonly loops: readonly Loop[];
  /** Resolves once nothing is running. */
  readonly idle: () => Promise<void>;
  /** Aborts when `stop` begins. */
  readonly stopping: AbortController;
  /** Aborts after `stop` has waited for `drainMs`. */
  readonly stopped: AbortController;
  /**
   * Receives the errors of failed turns, which do not end the loop. The same error is passed on again only after a turn
   * has succeeded.
   */
  readonly onError: (error: unknown) => void;
}

/** How long aborted work has to release its rows. */
const abortGraceMs = 1_000;
/** The longest wait after a failed turn, even of a loop that runs only once an hour. */
const longestRetryMs = 30_000;

/** Starts a worker of the inbox or of the payout ledger in this process. */
export function runWorker(work: Work): RunningWorker {
  const { store, observers, channel, alarm, drainMs, idle, stopping, stopped, onError } = work;
  const unsubscribe = store.listen(channel, () => alarm.ring());

  /** Every loop fails again and again while the database is unavailable. */
  let reported: string | undefined;
  function reportOnce(error: unknown): void {
    const text = thrownText(error);
    if (text !== reported) onError(error);
    reported = text;
  }

  async function repeat({ waitMs, isWoken, turn }: Loop): Promise<void> {
    const wait = isWoken ? alarm : new Alarm(stopping.signal);
    let failures = 0;
    while (!stopping.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await turn();
        failures = 0;
        reported = undefined;
      } catch (error) {
        failures++;
        reportOnce(error);
      }
      const retryMs = Math.min(waitMs * 2 ** failures, longestRetryMs);
      if (!hasMore) await wait.sleep(failures === 0 ? waitMs : retryMs);
    }
  }

  const running = observers.detached(() => Promise.all(work.loops.map(repeat)));
  let ending: Promise<void> | undefined;
  async function end(): Promise<void> {
    stopping.abort();
    // A listener that is still connecting may take long to close.
    const drained = Promise.all([unsubscribe(), running.then(idle)]);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    let timer = setTimeout(() => {
      stopped.abort();
      // Work that is still running then loses its lease, and commits nothing.
      timer = setTimeout(resolve, abortGraceMs);
    }, drainMs);
    await Promise.race([drained, late]);
    clearTimeout(timer);
  }
  const stop = () => {
    ending ??= end();
    return ending;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** A sleep that can end early. */
export class Alarm {
  readonly #stop: AbortSignal | undefined;
  #isRinging = false;
  #wake = () => {};

  /** @param stop Once it aborts, no sleep begins. */
  constructor(stop?: AbortSignal) {
    this.#stop = stop;
    stop?.addEventListener("abort", () => this.ring());
  }

  ring(): void {
    this.#isRinging = true;
    this.#wake();
  }

  /** Returns at once if the alarm rang since the last sleep. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isRinging && !this.#stop?.aborted) {
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

/** Options of a run that ends when nothing is due. */
export interface DueOptions {
  /**
   * The number of items to process at once.
   *
   * @defaultValue 8 for an inbox, 4 for payouts
   */
  readonly concurrency?: number | undefined;
  /** Once it aborts, the run starts nothing new, finishes what is running, and returns. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws {ConfigurationError} when an option is invalid. */
export function readDue(options: DueOptions, usual: number) {
  checkOptionNames(options, ["concurrency", "signal"]);
  const { concurrency = usual, signal = new AbortController().signal } = options;
  checkWhole("concurrency", concurrency, 1);
  checkSignal(signal);
  return { concurrency, signal };
}

/** @throws {ConfigurationError} when it is not an AbortSignal. */
export function checkSignal(value: AbortSignal): void {
  if (value instanceof AbortSignal) return;
  throw invalidOption("signal", "signal must be an AbortSignal, such as controller.signal.");
}

/** @throws {ConfigurationError} when it is not a whole number, or out of range. */
export function checkWhole(param: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= maxTimerMs) return;
  const range = value > maxTimerMs ? `from ${min} to ${maxTimerMs}` : `${min} or more`;
  throw invalidOption(
    param,
    `The option ${param} must be a whole number, ${range}, got ${show(value)}.`,
  );
}
