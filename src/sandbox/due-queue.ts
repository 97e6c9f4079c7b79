import type { StatePart } from "./state.ts";

/** Something that happens at a certain time. */
interface DueEntry {
  /** Milliseconds since 1970. */
  readonly dueMs: number;
  readonly run: () => void;
}

/** What is due later, earliest first; entries of one time keep the order in which they came. */
export interface DueQueue extends StatePart {
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
export function createDueQueue(): DueQueue {
  let heap: Ranked[] = [];
  let nextRank = 0;

  function add(entry: DueEntry): void {
    const added: Ranked = { entry, rank: nextRank++ };
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

  return {
    add,
    first: () => heap[0]?.entry,
    removeFirst,
    clear: () => {
      heap = [];
    },
    capture() {
      const captured = [...heap];
      return () => {
        heap = [...captured];
      };
    },
  };
}

function isBefore(a: Ranked, b: Ranked): boolean {
  return a.entry.dueMs < b.entry.dueMs || (a.entry.dueMs === b.entry.dueMs && a.rank < b.rank);
}
