export type Cases = Record<string, () => unknown>;

/** By case, in microseconds a call. */
export type Medians = Readonly<Record<string, number>>;

/** Lets the cases take turns within each round; each result is awaited only where it is a promise. */
export async function medians(
  cases: Cases,
  { rounds, callsPerRound }: { rounds: number; callsPerRound: number },
): Promise<Medians> {
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  // The first rounds, in which code is still being compiled, do not count.
  for (let round = -30; round < rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const isAsync = run() instanceof Promise;
      const begin = process.hrtime.bigint();
      if (isAsync) for (let call = 0; call < callsPerRound; call++) await run();
      else for (let call = 0; call < callsPerRound; call++) run();
      const us = Number(process.hrtime.bigint() - begin) / callsPerRound / 1000;
      if (round >= 0) times.get(name)?.push(us);
    }
  }
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How many times as long one case takes as another. */
export const compare = (results: Medians) => (name: string, other: string) =>
  (results[name] ?? Number.NaN) / (results[other] ?? Number.NaN);

/** A line a case, with its ratio to the first one. */
export function printed(results: Medians): string[] {
  const [first = ""] = Object.keys(results);
  return Object.entries(results).map(([name, us]) => {
    const ratio = compare(results)(name, first).toFixed(2);
    return `${name.padEnd(40)} ${us.toFixed(2).padStart(8)} us  ${ratio.padStart(6)} x ${first}`;
  });
}
