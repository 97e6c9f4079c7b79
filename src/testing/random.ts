/** What a run is drawn from: equal seeds give equal runs. */
export type Seed = string | number;

/** Gives numbers from 0 up to 1, the same ones for the same seed. By mulberry32, over an FNV-1a hash. */
export function seededRandom(seed: Seed): () => number {
  let state = 0x811c9dc5;
  for (const character of `${typeof seed} ${seed}`) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
