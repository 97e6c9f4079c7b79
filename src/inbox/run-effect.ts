import { SettlekitError } from "../errors.ts";
import type { Observers } from "../stores/observers.ts";
import { call, sql, type Work } from "../stores/store.ts";
import { jsonText } from "../values.ts";
import type { Payment } from "../wire/payment.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import { leaseMs, type SubjectClaim } from "./claims.ts";
import type { Effects } from "./effects.ts";
import type { InboxEvent, InboxStep } from "./events.ts";
import { type SubjectKind, stateOf } from "./subject.ts";

interface EffectContext {
  readonly effects: Effects;
  readonly observers: Observers<InboxEvent, InboxStep>;
}

/** The error for an effect that outlasted its subject's lease. */
export function tookTooLong(kind: SubjectKind, name: string): SettlekitError {
  const seconds = leaseMs / 1_000;
  return new SettlekitError(
    `The effect ${name} took longer than ${seconds} s, the longest that a worker may hold a ${kind}, so it was rolled back. Do slow ` +
      "work in a task, with after().",
    { code: "effect_timeout" },
  );
}

/**
 * Runs an effect unless it has already run for this state, or the state was reached before the effect's `since`.
 * Returns the database's time at its start; null if it did not run.
 */
export function* runOnce(
  { effects, observers }: EffectContext,
  claim: SubjectClaim,
  subject: Payment | Withdrawal,
  effect: ReturnType<Effects["matching"]>[number],
  reached: number | null,
): Work<number | null> {
  const { tenant, kind } = claim;
  const state = stateOf(kind, subject.status);
  const [added] = yield* sql<{ done_at: number }>(
    `INSERT INTO {inbox_effects} (subject_id, effect, state, done_at)
SELECT $1, $2, $3, {now} FROM {inbox_registrations}
WHERE kind = $4 AND effect = $2 AND since <= COALESCE($5, {now})
ON CONFLICT DO NOTHING RETURNING done_at`,
    [claim.id, effect.name, state, kind, reached],
  );
  if (added === undefined) {
    yield* requireRegistered(kind, effect.name);
    return null;
  }
  const planned: { name: string; payload: string }[] = [];
  let isOver = false;
  const after = (name: string, payload: unknown = null) => {
    if (isOver) {
      throw new SettlekitError(
        "after() was called after the effect had ended. Await everything inside the effect.",
        { code: "effect_over" },
      );
    }
    effects.requireTask(name);
    planned.push({ name, payload: asJson(name, payload) });
  };
  const tools = { state: subject.status, tenant, after };
  try {
    yield* call((tx) => effect.run(tx as never, subject as never, tools));
  } finally {
    isOver = true;
  }
  const keyStart = [tenant, kind, claim.subject, effect.name, state].map(encodeURIComponent);
  for (const [index, { name, payload }] of planned.entries()) {
    yield* sql(
      `INSERT INTO {inbox_tasks} (tenant, name, task_key, payload, causes, created_at, due_at)
VALUES ($1, $2, $3, $4, $5, {now}, {now})`,
      [tenant, name, [...keyStart, name, index].join("/"), payload, observers.traceContext()],
    );
  }
  return added.done_at;
}

/** An unregistered effect would be skipped, yet its subjects would count as settled. */
function* requireRegistered(kind: SubjectKind, name: string): Work<void> {
  const registered = yield* sql(
    "SELECT since FROM {inbox_registrations} WHERE kind = $1 AND effect = $2",
    [kind, name],
  );
  if (registered.length > 0) return;
  throw new SettlekitError(
    `The effect ${name} is not registered in this database: it was added while the inbox was running, or its row was ` +
      "removed. Add effects before you use the inbox; an effect added later is registered on its next use.",
    { code: "effect_not_registered" },
  );
}

function asJson(name: string, payload: unknown): string {
  const text = jsonText(payload);
  if (text !== undefined) return text;
  throw new SettlekitError(
    `The payload of the task "${name}" cannot be written as JSON. Pass plain data.`,
    { code: "invalid_payload" },
  );
}
