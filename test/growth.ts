/**
 * How many times as long `work` takes on an input of eight times the length: about 8 if it is linear, about 64 if it is
 * quadratic. Compares the shortest of several rounds, because a busy machine only ever adds time, and adds rounds while
 * the result looks too large.
 */
export function growth(work: (length: number) => void, length: number, rounds = 7): number {
  const shortest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isUnclear = () => (shortest[1] ?? 0) > 16 * (shortest[0] ?? 0);
  for (let round = 0; round < rounds || (round < 8 * rounds && isUnclear()); round++) {
    for (const index of [0, 1]) {
      const startedAt = performance.now();
      work(length * (index === 0 ? 1 : 8));
      shortest[index] = Math.min(shortest[index] ?? 0, performance.now() - startedAt);
    }
  }
  const [short = 0, long = 0] = shortest;
  return long / short;
}
