import type { Store } from "../state/store.ts";

interface Recorded {
  readonly id: string;
  readonly merchantId: string;
}

/** What a sandbox knows of one kind, in the order of creation. Each value is unchanging. */
export interface Records<Value extends Recorded> {
  find(id: string): Value | undefined;
  /** Adds a value, or puts it in the place of the one with its id. */
  put(value: Value): void;
  /** Those of all merchants, oldest first. A list of its own. */
  all(): Value[];
  /** Oldest first. The list itself, not a copy: lists of 100,000 are read at every request. */
  allOf(merchantId: string): readonly Value[];
}

export function createRecords<Value extends Recorded>(store: Store, name: string): Records<Value> {
  const table = store.table<Value>(name);
  const lists = new Map<string, Value[]>();
  /** Where in its merchant's list a value is. */
  const places = new Map<string, number>();

  function listOf(merchantId: string): Value[] {
    const existing = lists.get(merchantId);
    if (existing !== undefined) return existing;
    const list: Value[] = [];
    lists.set(merchantId, list);
    return list;
  }

  function enlist(value: Value): void {
    const list = listOf(value.merchantId);
    const place = places.get(value.id) ?? list.length;
    places.set(value.id, place);
    list[place] = value;
  }

  store.onReplaced(() => {
    lists.clear();
    places.clear();
    for (const value of table.values()) enlist(value);
  });

  return {
    find: table.get,
    put(value) {
      table.set(value.id, value);
      enlist(value);
    },
    all: table.values,
    allOf: (merchantId) => lists.get(merchantId) ?? [],
  };
}
