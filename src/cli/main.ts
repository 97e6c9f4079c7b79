#!/usr/bin/env node
import type { Writable } from "node:stream";
import { run } from "./command-line.ts";

const { stdout, stderr } = process;

// A reader that went away is no failure; servers stop because of it.
stdout.on("error", () => {});
stderr.on("error", () => {});

void run(process.argv.slice(2), { stdout, stderr }).then(async (code) => {
  await Promise.all([flushed(stdout), flushed(stderr)]);
  // Pending work, such as a slow answer or an unanswered webhook, must not delay the end.
  process.exit(code);
});

/** Pipes are written asynchronously on some platforms, and an exit would lose what is still queued. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
