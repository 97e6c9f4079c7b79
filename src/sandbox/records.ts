import type { StatePart } from "./state.ts";

/** What a sandbox knows of one kind, in the order of creation. Each value is unchanging. */
export interface Records<Value extends { readonly id: string }> extends StatePart {
  find(id: string): Value | undefined;
  /** Adds a value, or puts it in the place of the one with its id. */
  put(value: Value): void;
  /** Oldest first. The list itself, not a copy: lists of 100,000 are read at every request. */
  all(): readonly Value[];
}

export function createRecords<Value extends { readonly id: string }>(): Records<Value> {
  const values: Value[] = [];
  const places = new Map<string, number>();

  function clear(): void {
    values.length = 0;
    places.clear();
  }

  function put(value: Value): void {
    const place = places.get(value.id) ?? values.length;
    places.set(value.id, place);
    values[place] = value;
  }

  return {
    find(id) {
      const place = places.get(id);
      return place === undefined ? undefined : values[place];
    },
    put,
    all: () => values,
    clear,
    capture() {
      const captured = [...values];
      return () => {
        clear();
        for (const value of captured) put(value);
      };
    },
  };
}
