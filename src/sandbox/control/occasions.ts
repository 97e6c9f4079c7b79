import type { Occasions } from "../faults/waiting-list.ts";

/** How often something is to happen, as a request says it: JSON has no Infinity. */
export function occasionsOf({ times, probability }: Readonly<Record<string, unknown>>): Occasions {
  return {
    times: times === "always" ? Number.POSITIVE_INFINITY : (times as number | undefined),
    probability: probability as number | undefined,
  };
}

export function occasionsInJson<Item extends Occasions>(item: Item) {
  return { ...item, times: Number.isFinite(item.times) ? item.times : "always" };
}
