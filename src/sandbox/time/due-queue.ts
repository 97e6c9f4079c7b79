import type { Store } from "../state/store.ts";

/** What falls due, by what it belongs to. */
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
  /** Key of what it happens to, among its kind. */
  readonly subject: string;
}

/** What is due later, earliest first; entries of one time keep the order in which they came. */
interface DueQueue {
  add(entry: DueEntry): void;
  first(): DueEntry | undefined;
  removeFirst(): DueEntry | undefined;
}

interface Ranked {
  readonly entry: DueEntry;
  /** Decides between entries of one time, which a heap alone would not keep in order. */
  readonly rank: number;
}

/** A binary heap: adding and removing take logarithmic time, however much is waiting. */
export function createDueQueue(store: Store): DueQueue {
  /** By their ranks, in that order. */
  const table = store.table<DueEntry>("due");
  const heap: Ranked[] = [];
  let nextRank = 0;

  function push(added: Ranked): void {
    let index = heap.length;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || isBefore(parent, added)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = added;
  }

  function removeFirst(): DueEntry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(last);
    if (first !== undefined) table.delete(String(first.rank));
    return first?.entry;
  }

  /** Lets an entry fall from the top, past every earlier one. */
  function sink(falling: Ranked): void {
    let index = 0;
    for (;;) {
      const leftIndex = 2 * index + 1;
      const left = heap[leftIndex];
      const right = heap[leftIndex + 1];
      if (left === undefined) break;
      const goRight = right !== undefined && isBefore(right, left);
      const child = goRight ? right : left;
      if (isBefore(falling, child)) break;
      heap[index] = child;
      index = goRight ? leftIndex + 1 : leftIndex;
    }
    heap[index] = falling;
  }

  store.onReplaced(() => {
    heap.length = 0;
    nextRank = 0;
    for (const [key, entry] of table.entries()) {
      const rank = Number(key);
      push({ entry, rank });
      nextRank = rank + 1;
    }
  });

  return {
    add(entry) {
      const rank = nextRank++;
      table.set(String(rank), entry);
      push({ entry, rank });
    },
    first: () => heap[0]?.entry,
    removeFirst,
  };
}

function isBefore(a: Ranked, b: Ranked): boolean {
  return a.entry.dueMs < b.entry.dueMs || (a.entry.dueMs === b.entry.dueMs && a.rank < b.rank);
}
