import type { RandomStream } from "../random.ts";
import type { Table } from "../state/store.ts";
import type { Frequency } from "./fault.ts";

interface Waiting<Item> {
  readonly item: Item;
  /** How many more times it will happen; null for always, because JSON has no Infinity. */
  readonly times: number | null;
  readonly probability: number;
}

/**
 * Faults or disorders waiting for a matching request or webhook, in the order added.
 *
 * @param chance The stream that probabilities are drawn from. Not called for items without one.
 */
export function createWaitingList<Item extends object>(
  table: Table<Waiting<Item>>,
  chance: () => RandomStream,
  invalid: (param: string, problem: string) => Error,
) {
  /** @throws The error that `invalid` creates for an invalid frequency. */
  function add(item: Item, frequency: Frequency): void {
    const { probability = 1, times } = frequency;
    if (!(Number.isFinite(probability) && probability > 0 && probability <= 1)) {
      throw invalid("probability", "must be a number above 0 and up to 1");
    }
    const count = times ?? (probability < 1 ? Number.POSITIVE_INFINITY : 1);
    if (count !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(count) && count >= 1)) {
      throw invalid("times", "must be a positive whole number, or Infinity");
    }
    const key = String(Number(table.entries().at(-1)?.[0] ?? 0) + 1);
    table.set(key, { item, times: Number.isFinite(count) ? count : null, probability });
  }

  /** Returns the first item that matches and passes its probability, and counts down its `times`. */
  function take(fits: (item: Item) => boolean): Item | undefined {
    for (const [key, { item, times, probability }] of table.entries()) {
      if (!fits(item)) continue;
      if (probability < 1 && chance().fraction() >= probability) continue;
      if (times === 1) table.delete(key);
      else if (times !== null) table.set(key, { item, times: times - 1, probability });
      return item;
    }
    return undefined;
  }

  return {
    add,
    take,
    /** In the order in which they apply. */
    waiting: () =>
      table.values().map(({ item, times, probability }) => ({
        ...structuredClone(item),
        times: times ?? Number.POSITIVE_INFINITY,
        probability,
      })),
    clear() {
      for (const [key] of table.entries()) table.delete(key);
    },
  };
}
