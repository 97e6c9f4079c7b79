#!/usr/bin/env node
import type { Writable } from "node:stream";
import { SettlekitError } from "../errors.ts";
import { version } from "../http/version.ts";
import { helpFor, overview } from "./arguments/help.ts";
import { nearest } from "./arguments/nearest.ts";
import { parse } from "./arguments/parse.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { commands } from "./commands.ts";
import { exitCodeOf, exitCodes } from "./exit-code.ts";
import { unsupportedNode } from "./supported-node.ts";
import { createTerminal } from "./terminal.ts";

const { stdout, stderr } = process;
const terminal = createTerminal({ stdout, stderr, variables: process.env });

// A reader that went away is no reason to fail; commands that serve stop by it.
stdout.on("error", () => {});
stderr.on("error", () => {});

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const code = await run(args).catch((error: unknown) => {
    explain(error, args);
    return exitCodeOf(error);
  });
  await Promise.all([flushed(stdout), flushed(stderr)]);
  // What is still under way, such as a slow answer or an unanswered webhook, must not delay the end.
  process.exit(code);
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === "help") return run([...args.slice(0, 1), "--help"]);
  if (name === "--help" || name === "-h") {
    terminal.print(help());
    return exitCodes.fine;
  }
  if (name === "--version" || name === "-v") {
    terminal.print(`${version}\n`);
    return exitCodes.fine;
  }
  if (name === undefined) {
    for (const line of help().trimEnd().split("\n")) terminal.say(line);
    return exitCodes.usage;
  }
  const unsupported = unsupportedNode(process.versions.node);
  if (unsupported !== undefined) {
    terminal.say(`${label()} ${unsupported}`);
    return exitCodes.usage;
  }
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (listed === undefined) throw unknownCommand(name);
  const command = await listed.load();
  const { values, operands, wantsHelp } = parse(command, args);
  if (wantsHelp) {
    terminal.print(helpFor(command));
    return exitCodes.fine;
  }
  // The parser gave each option the type that its definition asks for.
  return command.run({
    values: values as Parameters<typeof command.run>[0]["values"],
    operands,
    terminal,
  });
}

function help(): string {
  return overview(Object.entries(commands).map(([name, { summary }]) => [name, summary]));
}

function unknownCommand(name: string): UsageError {
  const names = Object.keys(commands);
  const near = nearest(name.replace(/^-+/, ""), names);
  const guess = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new UsageError(
    `There is no command ${JSON.stringify(name)}.${guess} There are: ${names.join(", ")}.`,
  );
}

function explain(error: unknown, [name = ""]: readonly string[]): void {
  if (error instanceof UsageError) {
    terminal.say(`${label()} ${error.message}`);
    terminal.say(`Try: settlekit ${Object.hasOwn(commands, name) ? `${name} ` : ""}--help`);
  } else if (SettlekitError.is(error)) terminal.say(`${label()} ${error.message}`);
  else {
    terminal.say(`${label()} An internal error, which is settlekit's own fault:`);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of text.split("\n")) terminal.say(line);
  }
}

function label(): string {
  return terminal.paint("red", "settlekit:");
}

/** On some platforms pipes are written to later, and an exit would lose what is on its way. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
