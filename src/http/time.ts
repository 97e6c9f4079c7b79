/** The core's source of time and randomness, so that tests control both. */
export interface Time {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Milliseconds since 1970, for dates in headers. */
  wallClock(): number;
  /** Resolves after the delay, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, less than 1. */
  random(): number;
}

export const realTime: Time = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, Math.max(0, ms));
      signal?.addEventListener("abort", finish, { once: true });
    }),
  random: () => Math.random(),
};

/** Waits for work until a limit or an abort; then resolves to `undefined`. */
export async function within<T>(
  work: Promise<T>,
  limitMs: number,
  time: Time,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: T } | undefined> {
  const waiting = new AbortController();
  const late = time.sleep(limitMs, waiting.signal).then(() => undefined);
  try {
    return await unlessAborted(Promise.race([work.then((value) => ({ value })), late]), signal);
  } finally {
    waiting.abort();
  }
}

/** Waits for work unless the signal aborts first, even if the work ignores the signal; then resolves to `undefined`. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = () => resolve(undefined);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Milliseconds since 1970 of an HTTP date; undefined for other texts, many of which Date.parse would accept. */
export function readHttpDate(text: string): number | undefined {
  const isHttpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
  const ms = isHttpDate ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The service's time according to its Date headers, which decides when its quotes and payments expire. */
export class ServiceClock {
  readonly #time: Time;
  /** The service's time when it was last known, and what the local clocks showed then. */
  #known: { readonly service: number; readonly now: number; readonly wall: number } | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Milliseconds since 1970. Before the first response, the local time. */
  now(): number {
    const [now, wall] = [this.#time.now(), this.#time.wallClock()];
    if (this.#known === undefined) return wall;
    // While a device sleeps, its monotonic clock may stand still; its wall clock may be set back.
    return this.#known.service + Math.max(now - this.#known.now, wall - this.#known.wall);
  }

  observe(headers: Headers): void {
    const date = readHttpDate(headers.get("date") ?? "");
    if (date !== undefined) this.set(date);
  }

  /** @param service Milliseconds since 1970. */
  set(service: number): void {
    this.#known = { service, now: this.#time.now(), wall: this.#time.wallClock() };
  }
}
