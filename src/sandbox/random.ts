import { hash, randomBytes } from "node:crypto";
import { toChecksumAddress } from "../evm/address.ts";
import type { Store } from "./state/store.ts";

/** Determines a sandbox's ids, addresses and hashes. */
export type Seed = string | number;

/** A sequence of random values. */
export type RandomStream = ReturnType<typeof randomStream>;

export type RandomSource = ReturnType<typeof createRandomSource>;

/** A reset starts every stream again: with a seed the same, without one with other values. */
export function createRandomSource(seed: Seed | undefined, store: Store) {
  const savedSeed = store.cell<Seed | null>("seed", seed ?? null, { survivesReset: true });
  /** Stands in for a seed. */
  const chosen = store.cell("random origin", "");
  /** How many values each stream has given. */
  const drawn = store.table<number>("random draws");

  /** Chosen before anything is drawn, so that a snapshot taken now leads to the same values again. */
  function choose(): void {
    if (savedSeed.get() === null && chosen.get() === "") chosen.set(originOf(undefined));
  }

  choose();
  store.onReplaced(choose);

  return {
    /** Each purpose has a stream of its own, so that drawing for one never shifts another. */
    stream(purpose: string) {
      const current = savedSeed.get();
      return createStream(current === null ? chosen.get() : originOf(current), purpose, () => {
        const draw = drawn.get(purpose) ?? 0;
        drawn.set(purpose, draw + 1);
        return draw;
      });
    },
  };
}

/** The origin of streams: a seed, or 256 random bits instead. */
export function originOf(seed: Seed | undefined): string {
  return seed === undefined ? randomBytes(32).toString("hex") : `seed ${seed}`;
}

/** A stream that starts at its beginning each time it is created. */
export function randomStream(origin: string, name: string) {
  let draw = 0;
  return createStream(origin, name, () => draw++);
}

/** SHA-256 in counter mode: unpredictable without the origin, the same on every machine with it. */
function createStream(origin: string, name: string, nextDraw: () => number) {
  const key = hash("sha256", `${origin}\n${name}`);
  /** At most 32 bytes, as lower-case hexadecimal digits. */
  const hex = (bytes: number) => hash("sha256", `${key}\n${nextDraw()}`).slice(0, bytes * 2);
  return {
    hex,
    uuid: () => hex(16).replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, "$1-$2-4$3-8$4-$5"),
    address: () => toChecksumAddress(`0x${hex(20)}`),
    /** A number from 0 up to 1. */
    fraction: () => Number.parseInt(hex(6), 16) / 2 ** 48,
  };
}
