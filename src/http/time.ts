/** Where the core gets time and chance from, so that tests decide both. */
export interface Time {
  /** Milliseconds on a clock that never jumps. */
  now(): number;
  /** Milliseconds since 1970, for dates in headers. */
  wallClock(): number;
  /** Resolves after the time, or at once when the signal aborts. */
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
      const timer = setTimeout(finish, ms);
      signal?.addEventListener("abort", finish, { once: true });
    }),
  random: () => Math.random(),
};
