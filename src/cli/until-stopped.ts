import { exitCodes } from "./exit-code.ts";

/**
 * Waits until the process is told to stop, or until nobody reads what it prints any more: a sandbox
 * whose starter is gone must not keep its port. Gives the exit code. A second signal ends the process
 * without further ado.
 */
export function untilStopped(): Promise<number> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve(exitCodes.interrupted));
    process.once("SIGTERM", () => resolve(exitCodes.terminated));
    for (const output of [process.stdout, process.stderr]) {
      output.once("error", () => resolve(exitCodes.fine));
    }
  });
}
