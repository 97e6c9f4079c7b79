import { sql, type Work } from "../stores/store.ts";
import { release, type TaskClaim, taskQueue } from "./claims.ts";
import type { TaskHandler } from "./effects.ts";
import type { InboxItem } from "./events.ts";
import { keepingLease } from "./lease.ts";
import { type InboxContext, retryLater } from "./settle.ts";

const queue = taskQueue([]);

/** Runs a task, and keeps its lease while it takes. */
export function runTask(
  context: InboxContext,
  claim: TaskClaim,
  stopped: AbortSignal,
): Promise<void> {
  const item = { tenant: claim.tenant, kind: "task", id: claim.task_key } as const;
  return context.observers.around({ ...item, causes: claim.causes }, () =>
    run(context, claim, item, stopped),
  );
}

async function run(
  context: InboxContext,
  claim: TaskClaim,
  item: InboxItem,
  stopped: AbortSignal,
): Promise<void> {
  const { store, effects, report } = context;
  const { tenant, task_key: key } = claim;
  const handler = effects.taskHandler(claim.name) as TaskHandler;
  try {
    await keepingLease(store, queue, claim, async (lost) => {
      const signal = AbortSignal.any([stopped, lost]);
      await handler(JSON.parse(claim.payload) as never, { key, signal, tenant });
    });
    const isDone = await store.transaction(() => finish(claim));
    report(
      isDone
        ? { type: "settled", ...item, status: undefined, effects: [] }
        : { type: "fenced", ...item },
    );
  } catch (error) {
    if (stopped.aborted) await store.transaction(() => release(queue, claim));
    else await retryLater(context, queue, claim, item, error);
  }
}

function* finish({ id, fence }: TaskClaim): Work<boolean> {
  const removed = yield* sql(
    "DELETE FROM {inbox_tasks} WHERE id = $1 AND fence = $2 RETURNING id",
    [id, fence],
  );
  return removed.length > 0;
}
