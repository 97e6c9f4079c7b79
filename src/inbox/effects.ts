import { type StoreMode, sql, type Work } from "../stores/store.ts";
import { checkOptionNames, invalidOption, nearest, show } from "../values.ts";
import { checkKind, checkSince } from "./options.ts";
import { type SubjectKind, type SubjectStates, type Subjects, stateOf } from "./subject.ts";

/** Anything but a promise: an effect on SQLite must not return one. */
export type SyncResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: functions without a return statement return void.
  void | undefined | null | string | number | bigint | boolean | (object & { then?: never });

/** Passed to an effect besides its transaction and the subject. */
export interface EffectTools {
  /** The subject's current status. */
  readonly state: string;
  /** The tenant whose webhook or list reported the subject; empty without tenants. */
  readonly tenant: string;
  /**
   * Plans a task in the same transaction: it runs only if the transaction commits. `payload` is stored as JSON.
   *
   * @throws {ConfigurationError} when no handler with this name was passed to `task`.
   * @throws {SettlekitError} code `invalid_payload` when the payload cannot be serialised as JSON, `effect_over` after
   * the effect has ended.
   */
  after(task: string, payload?: unknown): void;
}

/**
 * Runs once for each state that a subject reaches. Its writes through `tx` commit together with the record that it ran.
 * An effect that takes longer than 30 seconds is rolled back.
 */
export type Effect<Kind extends SubjectKind, Client, Mode extends StoreMode> = (
  tx: Client,
  subject: Subjects[Kind],
  tools: EffectTools,
) => Mode extends "sync" ? SyncResult : unknown;

/** When an effect runs. */
export interface EffectOptions<Kind extends SubjectKind> {
  /**
   * The states that it runs for, once each; `completed` and `confirmed` count as one.
   *
   * @defaultValue every state
   */
  readonly states?: readonly SubjectStates[Kind][] | undefined;
  /**
   * Also run the effect for subjects known to the inbox that reached their state after this time. Only used when the
   * effect is first registered in this database. Default: the time of registration.
   */
  readonly since?: Date | undefined;
}

/** Passed to a task handler besides its payload. */
export interface TaskTools {
  /** The same for every run of this task: use it as an idempotency key. */
  readonly key: string;
  /** Aborts when the worker stops or has lost its lease. */
  readonly signal: AbortSignal;
  /** The tenant of the effect that planned the task; empty without tenants. */
  readonly tenant: string;
}

/** Runs at least once for each task. If it throws, the task is retried. */
export type TaskHandler = (payload: never, tools: TaskTools) => unknown;

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
  readonly #unhandled = new Set<string>();

  add(kind: SubjectKind, name: string, options: EffectOptions<SubjectKind>, run: unknown): void {
    checkKind(kind);
    checkName("effect", name);
    if (typeof run !== "function") {
      const cure = "Call inbox.on(kind, name, options, effect); the options may be {}.";
      throw invalidOption(
        "effect",
        `The effect ${name} must be a function, got ${show(run)}. ${cure}`,
      );
    }
    if (this.#effects.some((effect) => effect.kind === kind && effect.name === name)) {
      throw invalidOption(
        "name",
        `Two effects on ${kind} are called "${name}". Give each its own name, and never change it: the database uses it to record what was done.`,
      );
    }
    checkOptionNames(options, ["states", "since"]);
    const { states, since }: EffectOptions<SubjectKind> = options;
    checkStates(states);
    checkSince(since);
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
    if (typeof handler !== "function") {
      const rule = `The handler of the task ${name} must be a function`;
      throw invalidOption("handler", `${rule}, got ${show(handler)}.`);
    }
    if (this.#tasks.has(name)) {
      throw invalidOption("name", `Two tasks are called "${name}". Give each its own name.`);
    }
    this.#tasks.set(name, handler);
  }

  /** The effects that run for a state. */
  matching(kind: SubjectKind, state: string): Registered[] {
    return this.#effects.filter(
      (effect) => effect.kind === kind && (effect.states?.has(state) ?? true),
    );
  }

  get taskNames(): string[] {
    return [...this.#tasks.keys()];
  }

  taskHandler(name: string): TaskHandler | undefined {
    return this.#tasks.get(name);
  }

  /**
   * The names of tasks that no worker has claimed for ten minutes and that have no handler here; each name is returned
   * once. Before that, a worker with a newer version of the program may just be starting.
   */
  *unhandled(): Work<string[]> {
    const waiting = yield* sql<{ name: string }>(
      `SELECT DISTINCT name FROM {inbox_tasks}
WHERE parked_at IS NULL AND due_at < {now} - 600000 AND lease_until <= {now} ORDER BY name`,
    );
    const names = waiting.map(({ name }) => name);
    const found = names.filter((name) => !this.#tasks.has(name) && !this.#unhandled.has(name));
    for (const name of found) this.#unhandled.add(name);
    return found;
  }

  /** @throws {ConfigurationError} when no handler for the task is registered. */
  requireTask(name: string): void {
    if (this.#tasks.has(name)) return;
    const near = nearest(name, this.taskNames);
    const cure = near ? `Did you mean "${near}"?` : `Call inbox.task("${name}", handler) first.`;
    throw invalidOption(
      "task",
      `There is no handler for the task ${show(name)}. ${cure}`,
      "unknown_task",
    );
  }

  /**
   * Records when each effect starts. Effects that are new in this database start now, or at their `since`, and then
   * catch up.
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

  /**
   * Marks subjects as changed if a version of the program without one of these effects settled them recently. Returns
   * the names of effects that were registered while the database's clock was ahead and therefore start only now.
   */
  *catchUp(): Work<string[]> {
    const late: string[] = [];
    for (const effect of this.#effects) {
      if (yield* beginNow(effect)) late.push(effect.name);
      yield* catchUpWith(effect, 2 * 86_400_000);
    }
    return late;
  }
}

/** Starts an effect now if its recorded start is in the future, unless its `since` says so. */
function* beginNow({ kind, name, since }: Registered): Work<boolean> {
  if (since !== undefined) return false;
  const changed = yield* sql(
    "UPDATE {inbox_registrations} SET since = {now} WHERE kind = $1 AND effect = $2 AND since > {now} RETURNING since",
    [kind, name],
  );
  return changed.length > 0;
}

/** Marks subjects as changed if they are in one of the effect's states and it has not run for it. */
function* catchUpWith({ kind, name, states }: Registered, withinMs: number): Work<void> {
  // The same as `stateOf`.
  const state =
    "CASE WHEN kind = 'payment' AND status = 'confirmed' THEN 'completed' ELSE status END";
  const isState = states ? `${state} IN (SELECT value FROM {json each}($4))` : "status IS NOT NULL";
  yield* sql(
    `UPDATE {inbox_subjects} SET news = news + 1, changed_at = {now}, due_at = {now}
WHERE kind = $1 AND ${isState} AND news = seen AND settled_at >= {now} - $3
  AND status_at >= (SELECT since FROM {inbox_registrations} WHERE kind = $1 AND effect = $2)
  AND NOT EXISTS (
    SELECT 1 FROM {inbox_effects} WHERE subject_id = {inbox_subjects}.id AND effect = $2
      AND state = ${state}
  )`,
    [kind, name, withinMs, ...(states ? [JSON.stringify([...states])] : [])],
  );
}

function checkName(what: string, name: unknown): asserts name is string {
  if (typeof name === "string" && /^[\w.:-]{1,100}$/.test(name)) return;
  throw invalidOption(
    "name",
    `The name of the ${what} must be up to 100 letters, digits or . : - _, got ${show(name)}.`,
  );
}

/** An effect with an empty list of states would never run. */
function checkStates(states: unknown): void {
  if (states === undefined) return;
  const isList = Array.isArray(states) && states.every((state) => typeof state === "string");
  if (!isList || states.length === 0) {
    throw invalidOption(
      "states",
      'The option states must be a list of at least one status, such as ["completed"]. Leave it out to run the effect for every status.',
    );
  }
}
