import TinyQueue from "tinyqueue";
import type { Store } from "../state/store.ts";

/** Kinds of things that fall due. */
export type DueKind =
  | "quotes"
  | "payment"
  | "payment step"
  | "withdrawal step"
  | "delivery"
  | "idempotency key";

/** Something that happens at a certain time. */
export interface DueEntry {
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly kind: DueKind;
  /** Key of what it happens to, unique within its kind. */
  readonly subject: string;
}

/** What is due later, earliest first; entries due at the same time keep their order of insertion. */
interface DueQueue {
  add(entry: DueEntry): void;
  first(): DueEntry | undefined;
  removeFirst(): DueEntry | undefined;
}

interface Ranked {
  readonly entry: DueEntry;
  /** Order of insertion, and the key in the store. */
  readonly rank: number;
}

const byTime = (a: Ranked, b: Ranked) => a.entry.dueMs - b.entry.dueMs || a.rank - b.rank;

export function createDueQueue(store: Store): DueQueue {
  const table = store.table<DueEntry>("due");
  let queue = new TinyQueue<Ranked>([], byTime);
  let nextRank = 0;

  store.onReplaced(() => {
    const ranked = table.entries().map(([key, entry]) => ({ entry, rank: Number(key) }));
    nextRank = (ranked.at(-1)?.rank ?? -1) + 1;
    queue = new TinyQueue(ranked, byTime);
  });

  return {
    add(entry) {
      const rank = nextRank++;
      table.set(String(rank), entry);
      queue.push({ entry, rank });
    },
    first: () => queue.peek()?.entry,
    removeFirst() {
      const first = queue.pop();
      if (first !== undefined) table.delete(String(first.rank));
      return first?.entry;
    },
  };
}
