import * as z from "zod/mini";
import { invalidArgument, isRecord, show } from "../../values.ts";
import { paymentSchema } from "../../wire/payment.ts";
import { withdrawalSchema } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { Contents } from "./store.ts";

/** The state of a sandbox at a point in time. Only that sandbox can restore it. */
export interface SandboxSnapshot {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly takenAt: string;
}

/**
 * The complete state of a sandbox as plain JSON, which can be written to a file and loaded into any sandbox. It
 * contains the sandbox's secrets.
 */
export interface SavedSandbox {
  readonly format: typeof format;
  /** Increases when the format of saved sandboxes changes. */
  readonly version: number;
  /** The sandbox's time, ISO 8601, UTC. */
  readonly savedAt: string;
  /** The entries of each table: key and value. For `load` only. */
  readonly tables: Readonly<Record<string, readonly (readonly [string, unknown])[]>>;
}

const format = "settlekit sandbox";
/** The version of saved sandboxes and of data files. */
export const formatVersion = 1;

export function createState({ clock, store }: Pick<Core, "clock" | "store">) {
  const taken = new WeakMap<SandboxSnapshot, Contents>();

  return {
    snapshot(): SandboxSnapshot {
      const snapshot = Object.freeze({ takenAt: clock.now().toISOString() });
      taken.set(snapshot, store.contents());
      return snapshot;
    },
    /** @throws {InvalidRequestError} code `foreign_snapshot`. */
    restore(snapshot: SandboxSnapshot): void {
      const contents = taken.get(snapshot);
      if (contents === undefined) {
        const message =
          "This is not a snapshot of this sandbox. Pass the object that its snapshot() returned, not a copy. To " +
          "store a state or load it into another sandbox, use save() and load().";
        throw invalidArgument("snapshot", message, "foreign_snapshot");
      }
      store.replace(contents);
    },
    save: (): SavedSandbox => ({
      format,
      version: formatVersion,
      savedAt: clock.now().toISOString(),
      // A copy, because the caller may change it.
      tables: structuredClone(store.contents()),
    }),
    /** @throws {InvalidRequestError} code `invalid_save`. */
    load(saved: unknown): void {
      const tables = checkedTables(saved, Object.keys(store.contents()));
      try {
        store.replace(structuredClone(tables));
      } catch {
        throw invalidSave("It was modified or is outdated: its parts do not fit together.");
      }
    },
  };
}

function checkedTables(saved: unknown, known: readonly string[]): Contents {
  if (!isRecord(saved) || saved.format !== format || !isRecord(saved.tables)) {
    throw invalidSave("Pass the object that save() returned, or its parsed JSON.");
  }
  if (saved.version !== formatVersion) {
    throw invalidSave(
      `It has version ${saved.version}, but this settlekit reads version ${formatVersion}. Load it with the ` +
        "version of settlekit that saved it.",
    );
  }
  const tables = Object.fromEntries(known.map((name) => [name, tableSchema(name)]));
  const [issue] = z.strictObject(tables).safeParse(saved.tables).error?.issues ?? [];
  if (issue === undefined) return saved.tables as Contents;
  const [name] = issue.code === "unrecognized_keys" ? issue.keys : issue.path;
  throw invalidSave(`It was modified or is outdated: the table ${show(name)} is invalid.`);
}

const waiting = z.looseObject({ item: z.looseObject({}), probability: z.number() });
const secret = z.string().check(z.minLength(1));

/** Responses and pages are built from these values, so an invalid one would otherwise only show there. */
const valueSchemas: Readonly<Record<string, z.core.$ZodType>> = {
  merchants: z.looseObject({ merchantId: z.string(), secretKey: secret, webhookSecret: secret }),
  payments: paymentSchema,
  withdrawals: withdrawalSchema,
  due: z.looseObject({ dueMs: z.number(), kind: z.string(), subject: z.string() }),
  timeline: z.looseObject({ type: z.string(), at: z.string(), sequence: z.number() }),
  requests: z.looseObject({ requestId: z.string(), headers: z.looseObject({}), body: z.string() }),
  deliveries: z.looseObject({
    event: z.string(),
    data: z.looseObject({ id: z.string() }),
    attempts: z.array(z.any()),
  }),
  faults: waiting,
  disorders: waiting,
};

/** The entries of a table, from a saved sandbox or a data file. */
export function tableSchema(name: string) {
  return z.array(z.tuple([z.string(), valueSchemas[name] ?? z.unknown()]));
}

function invalidSave(reason: string) {
  const message = `The saved state cannot be loaded. ${reason} Nothing was changed.`;
  return invalidArgument("saved", message, "invalid_save");
}
