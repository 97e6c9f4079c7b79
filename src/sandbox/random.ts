import { hash, randomBytes } from "node:crypto";
import { toChecksumAddress } from "../evm/address.ts";
import type { Store } from "./state/store.ts";

/** What a sandbox starts from to choose its ids, addresses and hashes. */
export type Seed = string | number;

/** One sequence of random digits. */
export interface RandomStream {
  /** The given number of bytes as lower-case hexadecimal digits. */
  hex(bytes: number): string;
  uuid(): string;
  /** An EVM address with its EIP-55 checksum. */
  address(): string;
}

/** What is drawn, each from a stream of its own, so that one kind never shifts another. */
type Purpose =
  | "payments"
  | "quotes"
  | "receipts"
  | "withdrawals"
  | "withdrawal receipts"
  | "webhooks"
  | "requests"
  | "faults"
  | "disorder";

export interface RandomSource {
  stream(purpose: Purpose): RandomStream;
}

/** A reset begins every stream again; without a seed, with other digits. */
export function createRandomSource(seed: Seed | undefined, store: Store): RandomSource {
  const savedSeed = store.cell<Seed | null>("seed", seed ?? null, { survivesReset: true });
  // In the store even where it is the initial value, so that it is saved.
  savedSeed.set(savedSeed.get());
  /** What the streams start from, where no seed says it. */
  const chosen = store.cell("random origin", "");
  /** How many digits each stream has given. */
  const positions = store.table<number>("random positions");
  let streams = new Map<Purpose, RandomStream>();

  /** Not only when something is drawn: what was kept before must lead to the same. */
  function begin(): void {
    streams = new Map();
    if (savedSeed.get() === null && chosen.get() === "") chosen.set(originOf(undefined));
  }

  function origin(): string {
    const currentSeed = savedSeed.get();
    return currentSeed === null ? chosen.get() : originOf(currentSeed);
  }

  begin();
  store.onReplaced(begin);

  return {
    stream(purpose) {
      const existing = streams.get(purpose);
      if (existing) return existing;
      const created = createStream(origin(), purpose, {
        get: () => positions.get(purpose) ?? 0,
        set: (position) => positions.set(purpose, position),
      });
      streams.set(purpose, created);
      return created;
    },
  };
}

/** What streams are made from: a seed, or 256 random bits in its stead. */
export function originOf(seed: Seed | undefined): string {
  return seed === undefined ? randomBytes(32).toString("hex") : `seed ${seed}`;
}

/** How many digits a stream has given. */
interface Position {
  get(): number;
  set(position: number): void;
}

/** A stream that begins at its beginning. */
export function beginningStream(origin: string, name: string): RandomStream {
  let position = 0;
  return createStream(origin, name, {
    get: () => position,
    set(next) {
      position = next;
    },
  });
}

const blockDigits = 64;

/** SHA-256 in counter mode: unpredictable without the origin, the same on every machine with it. */
function createStream(origin: string, name: string, position: Position): RandomStream {
  const key = hash("sha256", `${origin}\n${name}`);
  let cachedIndex = -1;
  let cached = "";

  function block(index: number): string {
    if (index !== cachedIndex) {
      cached = hash("sha256", `${key}\n${index}`);
      cachedIndex = index;
    }
    return cached;
  }

  function hex(bytes: number): string {
    const start = position.get();
    const end = start + bytes * 2;
    const first = Math.floor(start / blockDigits);
    let digits = "";
    for (let index = first; index * blockDigits < end; index++) digits += block(index);
    position.set(end);
    return digits.slice(start - first * blockDigits, end - first * blockDigits);
  }

  function uuid(): string {
    const drawn = hex(16);
    const variant = "89ab"[Number.parseInt(drawn.charAt(16), 16) & 3];
    const groups = [
      drawn.slice(0, 8),
      drawn.slice(8, 12),
      `4${drawn.slice(13, 16)}`,
      `${variant}${drawn.slice(17, 20)}`,
      drawn.slice(20),
    ];
    return groups.join("-");
  }

  return { hex, uuid, address: () => toChecksumAddress(`0x${hex(20)}`) };
}

/** A number from 0 up to 1. */
export function fractionOf(random: RandomStream): number {
  return Number.parseInt(random.hex(6), 16) / 2 ** 48;
}
