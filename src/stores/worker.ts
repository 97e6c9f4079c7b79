import { invalidOption, show } from "../values.ts";
import type { Observers } from "./observers.ts";
import type { Store } from "./store.ts";

/** A worker that runs until it is stopped. */
export interface Worker extends AsyncDisposable {
  /** Takes on nothing more, waits for what is running, and lets the process end. */
  stop(): Promise<void>;
}

/** Something that a worker does again and again. */
export interface Loop {
  /** How long to wait after a turn that found nothing to do, in milliseconds. */
  readonly waitMs: number;
  /** Whether the store's channel ends the wait. */
  readonly isWoken?: boolean;
  /** True when there may be more to do at once. */
  readonly turn: () => Promise<boolean>;
}

/** What a worker is made of. */
interface Work {
  readonly store: Store;
  readonly observers: Pick<Observers<never, never>, "detached">;
  readonly channel: string;
  /** How long `stop` waits for what is running, in milliseconds. */
  readonly drainMs: number;
  readonly loops: readonly Loop[];
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
  /** Aborts at the beginning of `stop`. */
  readonly stopping: AbortController;
  /** Aborts when `stop` has waited for `drainMs`. */
  readonly stopped: AbortController;
  /** Told of turns that failed. They do not end the loop. */
  readonly onError: (error: unknown) => void;
}

/** How long what was aborted has to give back its rows. */
const abortGraceMs = 1_000;
/** How many times longer a loop waits at most after failures. */
const largestBackoff = 30;

/** Starts a worker of the inbox or of the payout ledger in this process. */
export function runWorker(work: Work): Worker {
  const { store, observers, channel, drainMs, idle, stopping, stopped, onError } = work;
  const alarm = new Alarm(stopping.signal);
  const listener = store.listen(channel, () => alarm.ring());

  async function repeat({ waitMs, isWoken, turn }: Loop): Promise<void> {
    const wait = isWoken ? alarm : new Alarm(stopping.signal);
    let failures = 0;
    while (!stopping.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await turn();
        failures = 0;
      } catch (error) {
        failures++;
        onError(error);
      }
      if (!hasMore) await wait.sleep(waitMs * Math.min(2 ** failures, largestBackoff));
    }
  }

  const running = observers.detached(() => Promise.all(work.loops.map(repeat)));
  let ending: Promise<void> | undefined;
  async function end(): Promise<void> {
    stopping.abort();
    await listener.close();
    const drained = running.then(idle);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    let timer = setTimeout(() => {
      stopped.abort();
      // What still runs then loses its lease, and nothing of it is committed.
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

  /** What rang before is not forgotten. */
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

/** The longest time that a timer takes, in milliseconds; beyond, it ends at once. */
const longestTimerMs = 2 ** 31 - 1;
/** The longest time to wait between two turns, which failures multiply. */
export const longestPollMs = Math.floor(longestTimerMs / largestBackoff);

/** @throws {ConfigurationError} when it is something else, such as the AbortController. */
export function checkSignal(value: AbortSignal | undefined): void {
  if (value === undefined || value instanceof AbortSignal) return;
  throw invalidOption("signal", "signal must be an AbortSignal, such as controller.signal.");
}

/** @throws {ConfigurationError} when it is not a whole number, or outside of the range. */
export function checkWhole(
  param: string,
  value: number,
  least: number,
  most = longestTimerMs,
): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = value > most ? `from ${least} to ${most}` : `${least} or more`;
  throw invalidOption(
    param,
    `The option ${param} must be a whole number, ${range}, got ${show(value)}.`,
  );
}
