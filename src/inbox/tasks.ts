import { sql, type Work } from "../stores/store.ts";
import { type TaskClaim, taskQueue } from "./claims.ts";
import type { TaskHandler } from "./effects.ts";
import { Fenced, type InboxContext, workOn } from "./settle.ts";

export function runTask(context: InboxContext, claim: TaskClaim, stopped: AbortSignal) {
  const { store, effects } = context;
  const { tenant, task_key: key } = claim;
  const handler = effects.taskHandler(claim.name) as TaskHandler;
  return workOn({ context, queue: taskQueue, claim, stopped }, async (lost) => {
    const signal = AbortSignal.any([stopped, lost]);
    await handler(JSON.parse(claim.payload) as never, { key, signal, tenant });
    await store.transaction(() => finish(claim));
    return { status: undefined, effects: [] };
  });
}

function* finish({ id, fence }: TaskClaim): Work<void> {
  const removed = yield* sql(
    "DELETE FROM {inbox_tasks} WHERE id = $1 AND fence = $2 RETURNING id",
    [id, fence],
  );
  if (removed.length === 0) throw new Fenced();
}
