#!/usr/bin/env node
import type { Writable } from "node:stream";
import { SettlekitError } from "../errors.ts";
import { exitCodeOf, exitCodes, UsageError } from "./exit-codes.ts";
import { parse, wordsOf } from "./parse.ts";
import { createTerminal } from "./terminal.ts";

const { stdout, stderr } = process;
const terminal = createTerminal({ stdout, stderr });

// A reader that went away is no failure; servers stop because of it.
stdout.on("error", () => {});
stderr.on("error", () => {});

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const code = await run(args).catch((error: unknown) => {
    explain(error, args);
    return exitCodeOf(error);
  });
  await Promise.all([flushed(stdout), flushed(stderr)]);
  // Pending work, such as a slow answer or an unanswered webhook, must not delay the end.
  process.exit(code);
}

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0) {
    parse(["--help"], outputTo(stderr));
    return exitCodes.usage;
  }
  return parse(args, outputTo(stdout))(terminal);
}

function outputTo(stream: NodeJS.WriteStream) {
  return {
    write: (text: string) => void stream.write(text),
    hasColours: stream.isTTY && stream.hasColors(),
    width: stream.columns,
  };
}

function explain(error: unknown, args: readonly string[]): void {
  const label = terminal.paint("red", "settlekit:");
  if (error instanceof UsageError) {
    for (const line of `${label} ${error.message}`.split(/\n+/)) terminal.say(line);
    terminal.say(`Try: ${["settlekit", ...wordsOf(args), "--help"].join(" ")}`);
  } else if (SettlekitError.is(error)) terminal.say(`${label} ${error.message}`);
  else {
    terminal.say(`${label} Internal error, a bug in settlekit:`);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of text.split("\n")) terminal.say(line);
  }
}

/** Pipes are written asynchronously on some platforms, and an exit would lose what is still queued. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
