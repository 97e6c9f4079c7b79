import { hash, randomBytes } from "node:crypto";
import { toChecksumAddress } from "../evm/address.ts";
import type { StatePart } from "./state.ts";

/** What a sandbox starts from to choose its ids, addresses, hashes and secrets. */
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
  | "identity"
  | "payments"
  | "quotes"
  | "receipts"
  | "withdrawals"
  | "withdrawal receipts"
  | "webhooks"
  | "requests";

export interface RandomSource extends StatePart {
  stream(purpose: Purpose): RandomStream;
  /** With a seed, begins every stream again; without one, goes on with other digits. */
  clear(): void;
}

interface CapturedStream extends RandomStream {
  capture(): () => void;
}

export function createRandomSource(seed: Seed | undefined): RandomSource {
  let streams = new Map<Purpose, CapturedStream>();
  let origin = originOf(seed);

  return {
    stream(purpose) {
      const existing = streams.get(purpose);
      if (existing) return existing;
      const created = createStream(hash("sha256", `${origin}\n${purpose}`));
      streams.set(purpose, created);
      return created;
    },
    clear() {
      origin = originOf(seed);
      streams = new Map();
    },
    capture() {
      const captured = { origin, streams: new Map(streams) };
      const restorers = Array.from(streams.values(), (stream) => stream.capture());
      return () => {
        ({ origin } = captured);
        // Streams that began later begin again.
        streams = new Map(captured.streams);
        for (const restore of restorers) restore();
      };
    },
  };
}

/** Both cases take the same path from here; without a seed, 256 random bits stand for one. */
function originOf(seed: Seed | undefined): string {
  return seed === undefined ? randomBytes(32).toString("hex") : `seed ${seed}`;
}

/** SHA-256 in counter mode: unpredictable without the key, the same on every machine with it. */
function createStream(key: string): CapturedStream {
  let block = 0;
  let digits = "";

  function hex(bytes: number): string {
    const length = bytes * 2;
    while (digits.length < length) digits += hash("sha256", `${key}\n${block++}`);
    const drawn = digits.slice(0, length);
    digits = digits.slice(length);
    return drawn;
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

  function capture(): () => void {
    const captured = { block, digits };
    return () => {
      ({ block, digits } = captured);
    };
  }

  return { hex, uuid, address: () => toChecksumAddress(`0x${hex(20)}`), capture };
}
