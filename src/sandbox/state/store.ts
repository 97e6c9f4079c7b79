/** Values by key, in insertion order. */
export interface Table<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** A copy, oldest first. */
  values(): Value[];
  entries(): [key: string, value: Value][];
}

/** Everything in a store: the entries of each table, oldest first. */
export type Contents = Readonly<Record<string, readonly (readonly [string, unknown])[]>>;

/** One statement of a commit: sets a key, deletes it if there is no value, or empties the table if there is no key. */
export interface Change {
  readonly table: string;
  readonly key?: string;
  readonly value?: unknown;
}

export type Store = ReturnType<typeof createStore>;

/**
 * The state of a sandbox: tables of plain JSON values, which are replaced but never changed, so that snapshots can
 * share them and a file can hold them.
 */
export function createStore() {
  const tables = new Map<string, Map<string, unknown>>();
  const survivors = new Set<string>();
  const listeners: (() => void)[] = [];
  /** Pending writes, in order: each key's last value, after its deletion if it was deleted in between. */
  const changes = new Map<string, Change>();
  let write: ((changes: readonly Change[]) => void) | undefined;
  let isCommitDue = false;
  const drops = table<number>("dropped");

  /**
   * @param survivesReset Whether a reset leaves the table unchanged.
   * @param limit The maximum number of values; beyond it, the oldest is dropped.
   */
  function table<Value>(
    name: string,
    { survivesReset = false, limit = Number.POSITIVE_INFINITY } = {},
  ): Table<Value> {
    const values = new Map<string, Value>();
    tables.set(name, values);
    if (survivesReset) survivors.add(name);
    // Stops after the last key that was dropped: a new iterator would visit the deleted keys again.
    const oldestFirst = values.keys();

    function remove(key: string): void {
      if (values.delete(key)) changed({ table: name, key });
    }

    return {
      get: (key) => values.get(key),
      set(key, value) {
        values.set(key, value);
        changed({ table: name, key, value });
        if (values.size <= limit) return;
        remove(oldestFirst.next().value ?? key);
        drops.set(name, (drops.get(name) ?? 0) + 1);
      },
      delete: remove,
      values: () => [...values.values()],
      entries: () => [...values],
    };
  }

  /** A single value, `initial` until it is set. */
  function cell<Value>(name: string, initial: Value, { survivesReset = false } = {}) {
    const { get, set } = table<Value>(name, { survivesReset });
    // Stored right away, because a sandbox that loads this state has a different initial value.
    if (survivesReset) set("value", initial);
    return {
      get(): Value {
        const value = get("value");
        return value === undefined ? initial : value;
      },
      set: (value: Value) => set("value", value),
    };
  }

  function changed(change: Change): void {
    if (write === undefined) return;
    const { table, key, value } = change;
    const id = `${table}\n${key}`;
    if (value === undefined) changes.delete(id);
    changes.set(value === undefined ? `delete ${id}` : id, change);
    commitSoon();
  }

  function changedAll(): void {
    changes.clear();
    for (const [table, values] of tables) {
      if (write) changes.set(table, { table });
      for (const [key, value] of values) changed({ table, key, value });
    }
  }

  /** Writes changes that no response waits for, such as the passing of time. */
  function commitSoon(): void {
    if (isCommitDue) return;
    isCommitDue = true;
    process.nextTick(() => {
      isCommitDue = false;
      try {
        commit();
      } catch (error) {
        // The sandbox keeps running, and its responses will report the failure too.
        process.emitWarning(error as Error);
      }
    });
  }

  /** Writes all changes. Called before a response or a webhook reports them. */
  function commit(): void {
    if (write === undefined || changes.size === 0) return;
    write([...changes.values()]);
    changes.clear();
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function fill(all: Contents): void {
    for (const [name, values] of tables) {
      values.clear();
      for (const [key, value] of all[name] ?? []) values.set(key, value);
    }
    changedAll();
  }

  /** Cheap: it copies references, not values. */
  function contents(names: Iterable<string> = tables.keys()): Contents {
    return Object.fromEntries(Array.from(names, (name) => [name, [...(tables.get(name) ?? [])]]));
  }

  return {
    table,
    cell,
    /** How many values a table dropped since the last reset, because of its limit. */
    dropped: (table: string): number => drops.get(table) ?? 0,
    commit,
    contents: () => contents(),
    /** Calls the listener whenever everything is replaced: by a reset, a restored snapshot or a load. */
    onReplaced: (listener: () => void) => void listeners.push(listener),
    clear(): void {
      fill(contents(survivors));
      tell();
    },
    /** Replaces everything. If a listener throws, the previous state is put back. */
    replace(all: Contents): void {
      const before = contents();
      try {
        fill(all);
        tell();
      } catch (error) {
        fill(before);
        tell();
        throw error;
      }
    },
    /** Writes all changes from now on, starting with the whole state, or continuing from the state in `held`. */
    keep(to: (changes: readonly Change[]) => void, held: Contents | undefined): void {
      if (held !== undefined) fill(held);
      write = to;
      // A listener may change the held state, for example by adding a merchant.
      if (held !== undefined) tell();
      else changedAll();
    },
    detach(): void {
      write = undefined;
      changes.clear();
    },
  };
}
