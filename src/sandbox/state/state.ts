import { InvalidRequestError } from "../../errors.ts";
import { isRecord } from "../../values.ts";
import { paymentSchema } from "../../wire/payment.ts";
import { withdrawalSchema } from "../../wire/withdrawal.ts";
import type { Contents, WholeStore } from "./store.ts";

/** How a sandbox stood at one time. Only that sandbox can go back to it. */
export interface SandboxSnapshot {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly takenAt: string;
}

/**
 * Everything that a sandbox remembers, as plain JSON: it can be written to a file, and loaded into any
 * sandbox. It holds the sandbox's secrets.
 */
export interface SavedSandbox {
  readonly format: typeof format;
  /** Counts up when what is saved takes another form. */
  readonly version: number;
  /** The sandbox's time, ISO 8601, UTC. */
  readonly savedAt: string;
  /** What the sandbox holds: entries of key and value, by table. Made for `load` alone. */
  readonly tables: Readonly<Record<string, readonly (readonly [string, unknown])[]>>;
}

const format = "settlekit sandbox";
/** Of what is saved, wherever that is. */
export const formatVersion = 1;

/** Everything that changes in a sandbox, as one. */
interface State {
  take(takenAt: Date): SandboxSnapshot;
  /** @throws {InvalidRequestError} code `foreign_snapshot`. */
  restore(snapshot: SandboxSnapshot): void;
  save(savedAt: Date): SavedSandbox;
  /** @throws {InvalidRequestError} code `invalid_save`. */
  load(saved: unknown): void;
}

export function createState(store: WholeStore): State {
  const taken = new WeakMap<SandboxSnapshot, Contents>();

  return {
    take(takenAt) {
      const snapshot = Object.freeze({ takenAt: takenAt.toISOString() });
      taken.set(snapshot, store.contents());
      return snapshot;
    },
    restore(snapshot) {
      const contents = taken.get(snapshot);
      if (contents === undefined) throw foreignSnapshot();
      store.replace(contents);
    },
    save: (savedAt) => ({
      format,
      version: formatVersion,
      savedAt: savedAt.toISOString(),
      // The caller may alter the copy.
      tables: structuredClone(store.contents()),
    }),
    load(saved) {
      const tables = checkedTables(saved, store.names());
      try {
        store.replace(structuredClone(tables));
      } catch {
        throw invalidSave("It was altered: what it holds does not fit together.");
      }
    },
  };
}

function checkedTables(saved: unknown, known: readonly string[]): Contents {
  if (!isRecord(saved) || saved.format !== format || !isRecord(saved.tables)) {
    throw invalidSave("It is something else.");
  }
  if (saved.version !== formatVersion) {
    throw invalidSave(
      `It has version ${saved.version}, but this settlekit reads version ${formatVersion}. Load it with the ` +
        "settlekit that saved it.",
    );
  }
  for (const name of new Set([...known, ...Object.keys(saved.tables)])) {
    const entries = saved.tables[name];
    const isTable = known.includes(name) && Array.isArray(entries) && entries.every(isEntry);
    if (!isTable) throw invalidSave(`It was altered: the table ${JSON.stringify(name)} is wrong.`);
  }
  const tables = saved.tables as Contents;
  for (const [name, schema] of Object.entries(shapes)) {
    const isFit = ([, value]: readonly [string, unknown]) => schema.safeParse(value).success;
    if (!tables[name]?.every(isFit)) {
      throw invalidSave(`It was altered: one of its ${name} is none that the service could have.`);
    }
  }
  return tables;
}

/** What answers are made of must fit: anything else would only show when it is asked for. */
const shapes = { payments: paymentSchema, withdrawals: withdrawalSchema } as const;

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string";
}

function foreignSnapshot(): InvalidRequestError {
  return new InvalidRequestError(
    "This is no snapshot of this sandbox. Pass what its own snapshot() gave; it cannot be copied or " +
      "stored. What save() gives can be.",
    { code: "foreign_snapshot", param: "snapshot" },
  );
}

function invalidSave(reason: string): InvalidRequestError {
  return new InvalidRequestError(
    `This is nothing that a sandbox's save() gave. ${reason} Nothing was changed.`,
    { code: "invalid_save", param: "saved" },
  );
}
