import { performance } from "node:perf_hooks";

/** One turn of a case; gives what it measured. */
export type Turn = () => number | Promise<number>;

/** What a case measured, turn by turn. */
export type Turns = Readonly<Record<string, readonly number[]>>;

/**
 * Lets the cases take turns: one turn of each a round, begun by another case each time. A busy machine
 * slows neighbours alike, so what is compared is always within a round.
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

/** A turn of so many calls: the microseconds that one took. A result is awaited where it is a promise. */
export function perCall(run: () => unknown, calls: number): Turn {
  return async () => {
    const isAsync = run() instanceof Promise;
    const startedAt = performance.now();
    if (isAsync) for (let call = 0; call < calls; call++) await run();
    else for (let call = 0; call < calls; call++) run();
    return (1000 * (performance.now() - startedAt)) / calls;
  };
}

/** The middle of some values, and the quarters on both sides of it. */
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

/** How many times as much one case measured as another, round by round. */
export function ratioOf(turns: Turns, name: string, other: string): Spread {
  const [ours = [], theirs = []] = [turns[name], turns[other]];
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
