interface TableOptions {
  /** Whether a reset leaves it as it is. @defaultValue false */
  readonly survivesReset?: boolean;
  /** Above so many values, the oldest is dropped. @defaultValue none is dropped */
  readonly limit?: number;
}

/** Everything in a store: the entries of each table, oldest first. */
export type Contents = Readonly<Record<string, readonly (readonly [string, unknown])[]>>;

/** One statement of a commit: sets a key, deletes it if there is no value, or empties the table if there is no key. */
export interface Change {
  readonly table: string;
  readonly key?: string;
  readonly value?: unknown;
  /** Whether the key was deleted meanwhile, so that it comes after all others. */
  readonly isMoved?: boolean;
}

export type Table<Value> = ReturnType<typeof createTable<Value>>;

interface TableEvents {
  /** @param key Undefined when everything was replaced. */
  changed(key?: string, isDeleted?: boolean): void;
  dropped(): void;
}

/** Values by key, in the order in which their keys came. */
function createTable<Value>(
  { survivesReset = false, limit = Number.POSITIVE_INFINITY }: TableOptions,
  on: TableEvents,
) {
  let values = new Map<string, Value>();
  // Continues where it stopped, so that deleted keys are not walked through each time.
  let keys = values.keys();

  function remove(key: string): void {
    if (values.delete(key)) on.changed(key, true);
  }

  return {
    survivesReset,
    get: (key: string) => values.get(key),
    set(key: string, value: Value): void {
      values.set(key, value);
      on.changed(key);
      if (values.size <= limit) return;
      let oldest = keys.next().value;
      while (oldest !== undefined && !values.has(oldest)) oldest = keys.next().value;
      remove(oldest ?? key);
      on.dropped();
    },
    delete: remove,
    size: () => values.size,
    /** A copy, oldest first. */
    values: () => [...values.values()],
    entries: () => [...values],
    fill(entries: readonly (readonly [string, Value])[]): void {
      values = new Map(entries);
      keys = values.keys();
      on.changed();
    },
  };
}

export type Store = ReturnType<typeof createStore>;

/**
 * The state of a sandbox: tables of plain JSON values, which are replaced and never altered, so that snapshots can share
 * them, and a file can hold them.
 */
export function createStore() {
  const tables = new Map<string, Table<unknown>>();
  const listeners: (() => void)[] = [];
  /** Changes to write, by table: all of it, or these keys, each with whether it was deleted meanwhile. */
  const changes = new Map<string, "all" | Map<string, boolean>>();
  let write: ((changes: readonly Change[]) => void) | undefined;
  let isCommitDue = false;
  const drops = table<number>("dropped");

  function table<Value>(name: string, options: TableOptions = {}) {
    if (tables.has(name)) throw new Error(`There are two tables named ${name}.`);
    const made = createTable<Value>(options, {
      changed: (key, isDeleted = false) => changed(name, key, isDeleted),
      dropped: () => drops.set(name, (drops.get(name) ?? 0) + 1),
    });
    // Only the code that created a table knows its name, so the name stands for the type.
    tables.set(name, made as Table<unknown>);
    /** How many values were dropped since the last reset. */
    const dropped = () => drops.get(name) ?? 0;
    return { ...made, dropped };
  }

  /** A single value, `initial` until it is set. */
  function cell<Value>(name: string, initial: Value, options?: TableOptions) {
    const { get, set } = table<Value>(name, options);
    return {
      get(): Value {
        const value = get("value");
        return value === undefined ? initial : value;
      },
      set: (value: Value) => set("value", value),
    };
  }

  function changed(name: string, key: string | undefined, isDeleted: boolean): void {
    if (write === undefined) return;
    commitSoon();
    const keys = changes.get(name) ?? new Map<string, boolean>();
    changes.set(name, key === undefined ? "all" : keys);
    if (key !== undefined && keys !== "all") keys.set(key, isDeleted || keys.get(key) === true);
  }

  /** For what no answer waits for, such as the passing of time. */
  function commitSoon(): void {
    if (isCommitDue) return;
    isCommitDue = true;
    process.nextTick(() => {
      isCommitDue = false;
      try {
        commit();
      } catch (error) {
        // The sandbox continues, and its answers will report it too.
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    });
  }

  /** Writes all changes. Called before an answer or a webhook reports them. */
  function commit(): void {
    if (write === undefined || changes.size === 0) return;
    const statements = [...changes].flatMap(([table, keys]): Change[] => {
      const { get, entries } = tables.get(table) ?? drops;
      return keys === "all"
        ? [{ table }, ...entries().map(([key, value]) => ({ table, key, value }))]
        : Array.from(keys, ([key, isMoved]) => ({ table, key, value: get(key), isMoved }));
    });
    write(statements);
    changes.clear();
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function fill(all: Contents): void {
    for (const [name, { fill }] of tables) fill(all[name] ?? []);
  }

  /** Shares the values, so it costs no more than a list of them. */
  function contents(): Contents {
    return Object.fromEntries(Array.from(tables, ([name, { entries }]) => [name, entries()]));
  }

  return {
    table,
    cell,
    names: () => [...tables.keys()],
    commit,
    contents,
    /** Calls the listener whenever everything was replaced: after a reset, a restored snapshot or a load. */
    onReplaced: (listener: () => void) => void listeners.push(listener),
    clear(): void {
      for (const { survivesReset, fill } of tables.values()) if (!survivesReset) fill([]);
      tell();
    },
    /** Replaces everything. When a listener throws, everything is put back. */
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
    /** Writes every change from now on, beginning with everything; or continues with what was `held` before. */
    keep(to: (changes: readonly Change[]) => void, held: Contents | undefined): void {
      if (held !== undefined) fill(held);
      write = to;
      // A listener may change what was held, for example by adding a merchant.
      if (held !== undefined) tell();
      else for (const name of tables.keys()) changed(name, undefined, false);
    },
    /** Writes nothing from now on. */
    detach(): void {
      write = undefined;
      changes.clear();
    },
  };
}

interface Recorded {
  readonly id: string;
  readonly merchantId: string;
}

/** A table of payments or withdrawals, with a list for each merchant. */
export function createRecords<Value extends Recorded>(store: Store, name: string) {
  const table = store.table<Value>(name);
  const lists = new Map<string, Value[]>();
  /** The index of each value in its merchant's list. */
  const places = new Map<string, number>();

  function enlist(value: Value): void {
    const list = lists.get(value.merchantId) ?? [];
    const place = places.get(value.id) ?? list.length;
    lists.set(value.merchantId, list);
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
    put(value: Value): void {
      table.set(value.id, value);
      enlist(value);
    },
    /** Of all merchants, oldest first. A copy. */
    all: table.values,
    /** Oldest first. Not a copy, because every request reads a list, even of 100,000. */
    allOf: (merchantId: string): readonly Value[] => lists.get(merchantId) ?? [],
  };
}
