import { hash, randomBytes } from "node:crypto";
import { toChecksumAddress } from "../evm/address.ts";
import type { Store, Table } from "./state/store.ts";

/** Determines a sandbox's ids, addresses and hashes. */
export type Seed = string | number;

export type RandomStream = ReturnType<typeof randomStream>;

/** A reset restarts every stream: with the same values if there is a seed, with different ones otherwise. */
export function createRandomSource(seed: Seed | undefined, store: Store) {
  const savedSeed = store.cell<Seed | null>("seed", seed ?? null, { survivesReset: true });
  const origin = store.cell("random origin", "");
  const drawn = store.table<number>("random draws");

  /** Chosen before any draw, so that restoring a snapshot repeats the same values. */
  function choose(): void {
    if (origin.get() === "") origin.set(originOf(savedSeed.get() ?? undefined));
  }

  choose();
  store.onReplaced(choose);

  return {
    /** Each purpose has its own stream, so that drawing for one never shifts another. */
    stream: (purpose: string) => randomStream(origin.get(), purpose, drawn),
  };
}

/** The origin of all streams: the seed, or 256 random bits if there is none. */
export function originOf(seed: Seed | undefined): string {
  return seed === undefined ? randomBytes(32).toString("hex") : `seed ${seed}`;
}

/**
 * SHA-256 in counter mode: unpredictable without the origin, the same on every machine with it.
 *
 * @param drawn How many values each stream has already produced; by default, none.
 */
export function randomStream(
  origin: string,
  name: string,
  drawn: Pick<Table<number>, "get" | "set"> = new Map(),
) {
  const key = hash("sha256", `${origin}\n${name}`);
  /** At most 32 bytes, as lower-case hexadecimal digits. */
  function hex(bytes: number): string {
    const draw = drawn.get(name) ?? 0;
    drawn.set(name, draw + 1);
    return hash("sha256", `${key}\n${draw}`).slice(0, bytes * 2);
  }
  return {
    hex,
    uuid: () => hex(16).replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, "$1-$2-4$3-8$4-$5"),
    address: () => toChecksumAddress(`0x${hex(20)}`),
    /** At least 0, less than 1. */
    fraction: () => Number.parseInt(hex(6), 16) / 2 ** 48,
  };
}
