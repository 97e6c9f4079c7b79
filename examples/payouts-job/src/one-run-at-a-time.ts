import { DatabaseSync } from "node:sqlite";

/**
 * Prevents a second concurrent run: both could look for a withdrawal, find none, and create one. SQLite holds the
 * lock through the operating system, which releases it when the process ends, even after SIGKILL.
 */
export function oneRunAtATime(databaseFile: string): void {
  if (databaseFile === ":memory:") return;
  const lock = new DatabaseSync(`${databaseFile}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    throw new Error("Another run is working on these payouts. Wait until it has ended.", {
      cause: error,
    });
  }
  // Keep the connection open, and reachable for the garbage collector, until the process ends.
  process.once("exit", () => lock.close());
}
