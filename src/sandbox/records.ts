/** What a sandbox knows of one kind, in the order of creation. Each value is unchanging. */
export interface Records<Value extends { readonly id: string }> {
  find(id: string): Value | undefined;
  /** Adds a value, or puts it in the place of the one with its id. */
  put(value: Value): void;
  /** Oldest first. The list itself, not a copy: lists of 100,000 are read at every request. */
  all(): readonly Value[];
  clear(): void;
}

export function createRecords<Value extends { readonly id: string }>(): Records<Value> {
  const values: Value[] = [];
  const places = new Map<string, number>();

  return {
    find(id) {
      const place = places.get(id);
      return place === undefined ? undefined : values[place];
    },
    put(value) {
      const place = places.get(value.id) ?? values.length;
      places.set(value.id, place);
      values[place] = value;
    },
    all: () => values,
    clear() {
      values.length = 0;
      places.clear();
    },
  };
}
