import { type StoreMode, sql, type Work } from "../stores/store.ts";
import { checkOptionNames, invalidOption, nearest, show } from "../values.ts";
import { isFinal } from "../wire/payment-status.ts";
import { checkDate, checkKind } from "./options.ts";
import { type SubjectKind, type SubjectStates, type Subjects, stateOf } from "./subject.ts";

/** A value that is no promise: what an effect on SQLite may return. */
export type SyncResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: functions without a return statement give void.
  void | undefined | null | string | number | bigint | boolean | (object & { then?: never });

/** What an effect gets beside its transaction and the subject. */
export interface EffectTools {
  /** The status that the subject is in. */
  readonly state: string;
  /** The tenant whose webhook or list it came from; empty without tenants. */
  readonly tenant: string;
  /**
   * Plans a task in the same transaction: it runs when the transaction is committed, and only then. `payload` is stored
   * as JSON.
   *
   * @throws {ConfigurationError} when no handler of this name was given to `task`, or JSON cannot hold the payload.
   */
  after(task: string, payload?: unknown): void;
}

/**
 * Runs once for each state that a subject reaches; its writes through `tx` commit with the note that it ran. What takes
 * longer than 30 seconds is rolled back.
 */
export type Effect<Kind extends SubjectKind, Client, Mode extends StoreMode> = (
  tx: Client,
  subject: Subjects[Kind],
  tools: EffectTools,
) => Mode extends "sync" ? SyncResult : unknown;

/** When an effect runs. */
export interface EffectOptions<Kind extends SubjectKind> {
  /**
   * The states that it runs for, once each; `completed` and `confirmed` are one.
   *
   * @defaultValue every state
   */
  readonly states?: readonly SubjectStates[Kind][] | undefined;
  /**
   * The effect also runs for what reached its state from then on, as far as the inbox knows it. Only heeded when the
   * effect is registered for the first time in this database. Default: that moment.
   */
  readonly since?: Date | undefined;
}

/** What a task handler gets beside its payload. */
export interface TaskTools {
  /** The same each time that this task runs: an idempotency key for what it calls. */
  readonly key: string;
  /** Aborts when the worker stops, or lost its lease. */
  readonly signal: AbortSignal;
  /** The tenant of the effect that planned it; empty without tenants. */
  readonly tenant: string;
}

/** Runs at least once for each task; what it throws, the task is tried again for. */
export type TaskHandler = (payload: never, tools: TaskTools) => unknown;

/** A registered effect. */
interface Registered {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly states: ReadonlySet<string> | undefined;
  readonly since: Date | undefined;
  readonly run: (tx: never, subject: never, tools: EffectTools) => unknown;
}

/** The effects and tasks of one inbox. */
export class Effects {
  readonly #effects: Registered[] = [];
  readonly #tasks = new Map<string, TaskHandler>();

  add(kind: SubjectKind, name: string, options: EffectOptions<SubjectKind>, run: unknown): void {
    checkKind(kind);
    checkName("effect", name);
    if (typeof run !== "function")
      throw invalidOption("effect", `The effect ${name} must be a function.`);
    if (this.#effects.some((effect) => effect.kind === kind && effect.name === name)) {
      throw invalidOption(
        "name",
        `Two effects on ${kind} are called "${name}". Give each a name of its own, and keep it: the name says what was done.`,
      );
    }
    checkOptionNames(options, ["states", "since"]);
    const { states, since }: EffectOptions<SubjectKind> = options;
    checkStates(states);
    checkDate("since", since);
    this.#effects.push({
      kind,
      name,
      states: states && new Set(states.map((state) => stateOf(kind, state))),
      since,
      run: run as Registered["run"],
    });
  }

  addTask(name: string, handler: TaskHandler): void {
    checkName("task", name);
    if (typeof handler !== "function")
      throw invalidOption("handler", `The task ${name} must be a function.`);
    if (this.#tasks.has(name)) {
      throw invalidOption("name", `Two tasks are called "${name}". Give each a name of its own.`);
    }
    this.#tasks.set(name, handler);
  }

  /** Those that run for a state. */
  matching(kind: SubjectKind, state: string): Registered[] {
    return this.#effects.filter(
      (effect) => effect.kind === kind && (effect.states?.has(state) ?? true),
    );
  }

  get taskNames(): string[] {
    return [...this.#tasks.keys()].sort();
  }

  taskHandler(name: string): TaskHandler | undefined {
    return this.#tasks.get(name);
  }

  /** @throws {ConfigurationError} for a task that no handler takes. */
  requireTask(name: string): void {
    if (this.#tasks.has(name)) return;
    const near = nearest(name, this.taskNames);
    const cure = near ? `Did you mean "${near}"?` : `Call inbox.task("${name}", handler) first.`;
    throw invalidOption("task", `No handler takes the task ${show(name)}. ${cure}`, "unknown_task");
  }

  /**
   * Notes from when on each effect runs: effects that are new here start now, or at their `since`, and are caught up
   * with.
   */
  *register(): Work<void> {
    for (const effect of this.#effects) {
      const { kind, name, since } = effect;
      const added = yield* sql(
        `INSERT INTO {inbox_registrations} (kind, effect, since) VALUES ($1, $2, COALESCE($3, {now}))
ON CONFLICT DO NOTHING RETURNING effect`,
        [kind, name, since?.getTime() ?? null],
      );
      if (added.length > 0) yield* catchUpWith(effect, Number.MAX_SAFE_INTEGER);
    }
  }

  /** Marks the subjects as changed that another version of the program settled of late without one of the effects. */
  *catchUp(): Work<void> {
    for (const effect of this.#effects) yield* catchUpWith(effect, 2 * 86_400_000);
  }
}

/** Marks the subjects as changed that are in a state of an effect which has not run for it. */
function* catchUpWith({ kind, name, states }: Registered, withinMs: number): Work<void> {
  const list = [...(states ?? [])].flatMap((state) =>
    state === "completed" ? ["completed", "confirmed"] : [state],
  );
  const isOneOf = list.map((_, index) => `$${index + 4}`).join(", ");
  const isState = states ? `status IN (${isOneOf || "NULL"})` : "status IS NOT NULL";
  yield* sql(
    `UPDATE {inbox_subjects} SET news = news + 1, changed_at = {now}, due_at = {now}
WHERE kind = $1 AND ${isState} AND news = seen AND settled_at >= {now} - $3
  AND status_at >= (SELECT since FROM {inbox_registrations} WHERE kind = $1 AND effect = $2)
  AND NOT EXISTS (
    SELECT 1 FROM {inbox_effects} WHERE subject_id = {inbox_subjects}.id AND effect = $2
      AND state = CASE WHEN status = 'confirmed' THEN 'completed' ELSE status END
  )`,
    [kind, name, withinMs, ...list],
  );
}

function checkName(what: string, name: unknown): asserts name is string {
  if (typeof name === "string" && /^[\w.:-]{1,100}$/.test(name)) return;
  throw invalidOption(
    "name",
    `The name of the ${what} must be up to 100 letters, digits or . : - _, got ${show(name)}.`,
  );
}

/** An effect for no state would never run. */
function checkStates(states: unknown): void {
  if (states === undefined) return;
  if (!Array.isArray(states) || states.length === 0) {
    throw invalidOption(
      "states",
      'The option states must be a list of at least one status, such as ["completed"]; without it, the effect runs for all.',
    );
  }
  // Refuses what is no text.
  for (const state of states) isFinal(state);
}
