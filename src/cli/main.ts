#!/usr/bin/env node
import type { Writable } from "node:stream";
import { requireSupportedNode } from "../runtime.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";

const { stdout, stderr } = process;

/** Pipes are asynchronous on some platforms, and an exit would lose what is still queued. */
const flushed = (stream: Writable) => new Promise((resolve) => stream.write("", resolve));

let outputError: NodeJS.ErrnoException | undefined;
stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that closes early, such as `head`, is not a failure. Later errors only say that the stream is closed.
  if (error.code !== "EPIPE") outputError ??= error;
});
// There is nowhere left to report it.
stderr.on("error", () => {});

void start().then(async (code) => {
  // The command's own handlers no longer end it, and nothing may read its output.
  process.once("SIGINT", () => process.exit(exitCodes.interrupted));
  process.once("SIGTERM", () => process.exit(exitCodes.terminated));
  const isStopped = code === exitCodes.interrupted || code === exitCodes.terminated;
  // A process that was told to stop must not wait for a reader that has stopped reading.
  if (isStopped) setTimeout(() => process.exit(code), 1_000);
  await Promise.all([flushed(stdout), flushed(stderr)]);
  if (outputError !== undefined) {
    stderr.write(`settlekit: The output could not be written: ${outputError.message}\n`);
    await flushed(stderr);
  }
  // Pending work, such as a slow response or an unanswered webhook, must not delay the exit.
  process.exit(outputError === undefined ? code : code || exitCodes.outputFailed);
});

/** Loads the commands only if Node is new enough: an older one may fail to load them without saying why. */
async function start(): Promise<number> {
  try {
    requireSupportedNode();
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return exitCodeOf(error);
  }
  const { run } = await import("./command-line.ts");
  return run(process.argv.slice(2), { stdout, stderr });
}
