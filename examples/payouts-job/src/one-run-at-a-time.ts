import { DatabaseSync } from "node:sqlite";

/**
 * Keeps a second run from starting beside this one: two runs could both look for a withdrawal, both find
 * none, and both make it. The lock is the operating system's, so that it ends with the process, however
 * that dies.
 */
export function oneRunAtATime(databaseFile: string): void {
  if (databaseFile === ":memory:") return;
  const lock = new DatabaseSync(`${databaseFile}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    throw new Error("Another run is at work on these payouts. Wait until it has ended.", {
      cause: error,
    });
  }
  // Kept open, and out of the garbage collector's reach, as long as the process lives.
  process.once("exit", () => lock.close());
}
