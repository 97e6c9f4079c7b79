import { checkNames } from "../../webhooks/options.ts";
import type { RandomStream } from "../random.ts";
import type { Table } from "../state/store.ts";

/** How often requests meet a fault, or webhooks a disorder. */
export interface Frequency {
  /** How many meet it; `Infinity` for all until it is cleared. Default 1, or `Infinity` with a `probability`. */
  readonly times?: number | undefined;
  /** How probable it is for each, above 0 and up to 1. The sandbox's seed decides. Default 1. */
  readonly probability?: number | undefined;
}

/** @deprecated Use `Frequency`. */
export type Occasions = Frequency;

/** A waiting item as it is stored. */
interface Waiting<Item> {
  readonly item: Item;
  /** How often it will still happen; null for always, because JSON has no Infinity. */
  readonly times: number | null;
  readonly probability: number;
}

/**
 * Faults or disorders that wait for what they are meant for, in the order in which they were added.
 *
 * @param chance Only drawn from where a probability decides.
 */
export function createWaitingList<Item extends object>(
  table: Table<Waiting<Item>>,
  chance: () => RandomStream,
  invalid: (param: string, problem: string) => Error,
) {
  /** @throws What `invalid` makes of an impossible frequency. */
  function add(item: Item, frequency: Frequency): void {
    checkNames(frequency, ["probability", "times"]);
    const { probability = 1, times } = frequency;
    if (!(Number.isFinite(probability) && probability > 0 && probability <= 1)) {
      throw invalid("probability", "must be a number above 0, up to 1");
    }
    const count = times ?? (probability < 1 ? Number.POSITIVE_INFINITY : 1);
    if (count !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(count) && count >= 1)) {
      throw invalid("times", "must be a whole number from 1, or Infinity");
    }
    const key = String(Number(table.entries().at(-1)?.[0] ?? 0) + 1);
    table.set(key, { item, times: Number.isFinite(count) ? count : null, probability });
  }

  /** The first item that fits and that chance allows; uses up one of its times. */
  function take(fits: (item: Item) => boolean): Item | undefined {
    if (table.size() === 0) return undefined;
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
    /** In the order in which they are met. */
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
