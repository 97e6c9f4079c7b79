import pLimit from "p-limit";

/** Runs tasks with the same key in order, and others concurrently. */
export interface TaskQueue {
  /** Resolves when the task is done. The task itself must not reject. */
  run(key: string, task: () => Promise<void>): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** @param concurrency How many tasks run at once, so that a burst does not open a socket for each. */
export function createTaskQueue(concurrency: number): TaskQueue {
  const limit = pLimit(concurrency);
  const lastOfKey = new Map<string, Promise<void>>();

  return {
    async run(key, task) {
      // Never in the same step: the caller finishes before a task starts.
      const mine = (lastOfKey.get(key) ?? Promise.resolve()).then(() => limit(task));
      lastOfKey.set(key, mine);
      await mine;
      if (lastOfKey.get(key) === mine) lastOfKey.delete(key);
    },
    async idle() {
      while (lastOfKey.size > 0) await Promise.all(lastOfKey.values());
    },
  };
}
