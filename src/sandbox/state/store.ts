/**
 * What a sandbox remembers: tables of plain JSON values, which are never altered but replaced. So everything can be
 * kept for a snapshot, written to a file and read back alike, whoever it belongs to.
 */
export interface Store {
  /** A table of its own for each name. */
  table<Value>(name: string, options?: TableOptions): Table<Value>;
  /** A single value, `initial` until it is set. */
  cell<Value>(name: string, initial: Value, options?: CellOptions): Cell<Value>;
  /** What changed until here outlives the process, where it is written to a file. Before anybody is told of it. */
  commit(): void;
  /** Is told when everything is another: after a reset, a restored snapshot, or a load. */
  onReplaced(listener: () => void): void;
}

interface CellOptions {
  /** Whether a reset leaves it as it is. Default false. */
  readonly survivesReset?: boolean;
}

interface TableOptions extends CellOptions {
  /** Above so many values, the oldest is dropped. Default: none is. */
  readonly limit?: number;
}

/** Values by key, in the order in which their keys came. */
export interface Table<Value> {
  get(key: string): Value | undefined;
  /** Adds a value, or puts it in the place of the one with its key. */
  set(key: string, value: Value): void;
  delete(key: string): void;
  size(): number;
  /** Oldest first. A list of its own. */
  values(): Value[];
  entries(): [key: string, value: Value][];
  /** Takes the oldest value away, and counts it as dropped. */
  dropOldest(): Value | undefined;
  /** How many were dropped since the last reset. */
  dropped(): number;
}

interface Cell<Value> {
  get(): Value;
  set(value: Value): void;
}

/** Everything in a store, by the names of its tables. */
export type Contents = Readonly<Record<string, readonly (readonly [string, unknown])[]>>;

/** Is told of every change, before anybody looks at the next. */
export interface Journal {
  set(table: string, key: string, value: unknown): void;
  deleted(table: string, key: string): void;
  /** The table holds these values now, and no others. */
  replaced(table: string, entries: readonly (readonly [string, unknown])[]): void;
  /** Writes what it was told. */
  commit(): void;
}

/** The store as a whole. */
export interface WholeStore extends Store {
  clear(): void;
  /** Costs no more than a list of it: the values themselves are shared. */
  contents(): Contents;
  /**
   * Puts everything in the place of what there is; tables that are not named are emptied. When a listener
   * throws, what there was is put back.
   */
  replace(contents: Contents): void;
  names(): string[];
  /**
   * Tells the journal of every change from now on, and first of everything. What the journal `held` before takes the
   * place of everything instead.
   */
  recordTo(journal: Journal, held: Contents | undefined): void;
}

interface KnownTable extends Table<unknown> {
  readonly survivesReset: boolean;
  fill(entries: readonly (readonly [string, unknown])[]): void;
}

const cellKey = "value";

export function createStore(): WholeStore {
  const tables = new Map<string, KnownTable>();
  const listeners: (() => void)[] = [];
  let journal: Journal | undefined;
  const drops = addTable<number>("dropped");

  function addTable<Value>(name: string, options: TableOptions = {}): Table<Value> {
    if (tables.has(name)) throw new Error(`There are two tables of the name ${name}.`);
    const { limit = Number.POSITIVE_INFINITY, survivesReset = false } = options;
    let values = new Map<string, unknown>();
    // Goes on where it stopped, so that what was deleted before is not walked through each time.
    let keys = values.keys();

    function set(key: string, value: unknown): void {
      values.set(key, value);
      journal?.set(name, key, value);
      if (values.size > limit) dropOldest();
    }

    function remove(key: string): void {
      if (values.delete(key)) journal?.deleted(name, key);
    }

    function dropOldest(): unknown {
      let oldest = keys.next();
      while (!oldest.done && !values.has(oldest.value)) oldest = keys.next();
      if (oldest.done) return undefined;
      const value = values.get(oldest.value);
      remove(oldest.value);
      drops.set(name, (drops.get(name) ?? 0) + 1);
      return value;
    }

    const table: KnownTable = {
      survivesReset,
      get: (key) => values.get(key),
      set,
      delete: remove,
      size: () => values.size,
      values: () => [...values.values()],
      entries: () => [...values],
      dropOldest,
      dropped: () => drops.get(name) ?? 0,
      fill(entries) {
        values = new Map(entries);
        keys = values.keys();
        journal?.replaced(name, entries);
      },
    };
    tables.set(name, table);
    // The table's name stands for its type: only the code that made the table has its name.
    return table as Table<Value>;
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function contents(): Contents {
    return Object.fromEntries(Array.from(tables, ([name, table]) => [name, table.entries()]));
  }

  function fill(all: Contents): void {
    for (const [name, table] of tables) table.fill(all[name] ?? []);
    tell();
  }

  return {
    table: addTable,
    cell<Value>(name: string, initial: Value, options?: CellOptions): Cell<Value> {
      const table = addTable<Value>(name, options);
      return {
        get() {
          const value = table.get(cellKey);
          return value === undefined ? initial : value;
        },
        set: (value) => table.set(cellKey, value),
      };
    },
    onReplaced: (listener) => void listeners.push(listener),
    clear() {
      for (const table of tables.values()) if (!table.survivesReset) table.fill([]);
      tell();
    },
    contents,
    replace(all) {
      const before = contents();
      try {
        fill(all);
      } catch (error) {
        fill(before);
        throw error;
      }
    },
    names: () => [...tables.keys()],
    commit: () => journal?.commit(),
    recordTo(to, held) {
      if (held === undefined) {
        for (const [name, table] of tables) to.replaced(name, table.entries());
        journal = to;
        return;
      }
      for (const [name, table] of tables) table.fill(held[name] ?? []);
      // What is made of it may change it, as a merchant does who joins.
      journal = to;
      tell();
    },
  };
}

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
