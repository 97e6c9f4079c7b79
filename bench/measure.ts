import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Measures a case once. */
export type Turn = () => number | Promise<number>;

/** The measurements of each case, turn by turn. */
export type Turns = Readonly<Record<string, readonly number[]>>;

/**
 * Lets the cases take turns: one turn of each per round, and each round starts with another case. Compare within
 * a round, because a busy machine slows all turns of a round alike.
 */
export async function takeTurns(
  cases: Readonly<Record<string, Turn>>,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Turns> {
  const entries = Object.entries(cases);
  const turns = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      const [name, turn] = entries[(place + round + warmUp) % entries.length] ?? [];
      if (name === undefined || turn === undefined) continue;
      const value = await turn();
      if (round >= 0) turns.get(name)?.push(value);
    }
  }
  return Object.fromEntries(turns);
}

/** A turn of that many calls, measured in microseconds per call. Promises are awaited. */
export function perCall(run: () => unknown, calls: number): Turn {
  return async () => {
    const isAsync = run() instanceof Promise;
    const startedAt = performance.now();
    if (isAsync) for (let call = 0; call < calls; call++) await run();
    else for (let call = 0; call < calls; call++) run();
    return (1000 * (performance.now() - startedAt)) / calls;
  };
}

/** Median and quartiles. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}

/** The ratio of one case to another within each round. */
export function ratioOf(turns: Turns, name: string, other: string): Spread {
  return spreadOf(ratiosOf(turns, name, other));
}

/** The 95 % confidence interval of the median, whatever the distribution: two ranks around the middle. */
export function intervalOf(values: readonly number[]): { low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const ranks = 0.98 * Math.sqrt(sorted.length);
  const at = (rank: number) => sorted[Math.max(0, Math.min(sorted.length - 1, rank))] ?? Number.NaN;
  return { low: at(Math.floor(middle - ranks)), high: at(Math.ceil(middle + ranks)) };
}

/** The ratios of one case to another, round by round. */
export function ratiosOf(turns: Turns, name: string, other: string): number[] {
  const [ours = [], theirs = []] = [turns[name], turns[other]];
  return ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
}

// Makes `gc` available without a flag on the command line.
setFlagsFromString("--expose-gc");

/** Frees all garbage, so that only what is in use remains. */
export const collectGarbage: () => void = runInNewContext("gc");
