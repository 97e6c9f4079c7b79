/** Work that runs in order within a lane, and side by side across lanes. */
export interface Lanes {
  /** Resolves when the work is done. The work itself must not reject. */
  run(lane: string, work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** @param width How much may run at once, so that a burst does not open a socket for each. */
export function createLanes(width: number): Lanes {
  const lastInLane = new Map<string, Promise<void>>();
  /** Sets keep the order of arrival, and give up their first element in constant time. */
  const waiting = new Set<() => void>();
  const idlers = new Set<() => void>();
  let running = 0;
  let unfinished = 0;

  async function run(lane: string, work: () => Promise<void>): Promise<void> {
    unfinished++;
    // Never in the same step: whoever adds work goes on before any of it begins.
    const mine = (lastInLane.get(lane) ?? Promise.resolve()).then(() => inTurn(work));
    lastInLane.set(lane, mine);
    await mine;
    if (lastInLane.get(lane) === mine) lastInLane.delete(lane);
    unfinished--;
    if (unfinished === 0) callAll(idlers);
  }

  async function inTurn(work: () => Promise<void>): Promise<void> {
    if (running === width) await new Promise<void>((resolve) => waiting.add(resolve));
    else running++;
    await work();
    // The turn goes on to whoever waited longest.
    const [next] = waiting;
    if (next === undefined) running--;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    run,
    idle: async () => {
      if (unfinished > 0) await new Promise<void>((resolve) => idlers.add(resolve));
    },
  };
}

function callAll(callbacks: Set<() => void>): void {
  for (const callback of callbacks) callback();
  callbacks.clear();
}
