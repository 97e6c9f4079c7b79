import fc from "fast-check";
import type { Model } from "./model.ts";
import type { World } from "./world.ts";

export type Command = fc.AsyncCommand<Model, World>;

/** A step that a sequence may take, and how it reads when a sequence fails. */
export function command(
  name: string,
  input: unknown,
  run: (model: Model, world: World) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return { check, run, toString: () => `${name}(${JSON.stringify(input)})` };
}

/** Chooses among the existing records, most often one of the latest. */
export const choice = fc.nat({ max: 5 });

/** Prefers one with this status, because the others hardly change any more. */
export function chosenWith<Item extends { readonly status: string }>(
  wanted: string,
  items: readonly Item[],
  index: number,
): Item {
  const fitting = items.filter(({ status }) => status === wanted);
  return chosen(fitting.length === 0 || index === 0 ? items : fitting, index);
}

export function chosen<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(-1 - (index % items.length));
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

/** Few, so that they repeat. */
export const idempotencyKey = fc.option(fc.constantFrom("key_1", "key_2", "key_3"), {
  nil: undefined,
});
export const orderId = fc.constantFrom("order_1", "order_2");
