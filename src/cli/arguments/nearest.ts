/** The candidate that was probably meant, if one is near enough to say so. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const begun = candidates.filter((candidate) => text.length > 2 && candidate.startsWith(text));
  if (begun.length === 1) return begun[0];
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceBetween(text, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined) return undefined;
  return best.distance <= Math.max(1, best.candidate.length / 3) ? best.candidate : undefined;
}

/** How many letters to insert, leave out, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const at = (line: readonly number[], index: number) => line[index] ?? 0;
      const isSame = a[row - 1] === b[column - 1];
      let distance = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, at(beforeLast, column - 2) + 1);
      }
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
