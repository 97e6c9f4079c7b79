import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { exitCodes } from "./exit-codes.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Where a command writes: prose for people to stderr, data for programs to stdout. */
export interface Terminal {
  /** A line for people. Control characters in it are made visible, except for the colours of `paint`. */
  say(line?: string): void;
  /** The same, marked as a warning. */
  warn(line: string): void;
  /** A line of JSON for programs. Control characters that JSON would leave as they are get escaped, too. */
  json(value: object): void;
  /** Colours part of a line for `say`, if stderr shows colours. */
  paint(style: Style, text: string): string;
}

interface Streams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export function createTerminal({ stdout, stderr }: Streams): Terminal {
  // Printed data may contain colour codes, too, to hide text or to fake a success. Ours carry a mark
  // that nobody else can guess instead of the escape character.
  const mark = randomUUID();
  const paint = (style: Style, text: string) =>
    styleText(style, text, { stream: stderr }).replaceAll("\u001b", mark);
  const say = (line = "") => void stderr.write(`${visible(line).replaceAll(mark, "\u001b")}\n`);
  return {
    say,
    warn: (line) => say(`${paint("yellow", "Warning:")} ${line}`),
    json: (value) => void stdout.write(`${visible(JSON.stringify(value))}\n`),
    paint,
  };
}

// Control characters, and those that change the direction of writing.
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Printed data must not move the cursor, hide lines or add lines of its own. */
function visible(line: string): string {
  return line.replace(unseen, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The local time of day, such as `14:03:59`. */
export function timeOfDay(at = new Date()): string {
  return at.toTimeString().slice(0, 8);
}

export function durationText(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}

/**
 * Resolves with the exit code when the process is told to stop, or when its output is no longer read: a
 * server must not keep its port after the script that started it died. A second signal kills the process.
 */
export function untilStopped(): Promise<number> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve(exitCodes.interrupted));
    process.once("SIGTERM", () => resolve(exitCodes.terminated));
    for (const output of [process.stdout, process.stderr]) {
      output.once("error", () => resolve(exitCodes.ok));
    }
  });
}
