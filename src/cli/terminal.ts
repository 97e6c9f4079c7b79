import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Where a command speaks: to people on stderr, to programs on stdout. */
export interface Terminal {
  /** A line for people. Control characters in it are made visible, but for the colours of `paint`. */
  say(line?: string): void;
  /** A line of JSON for programs. Control characters are escaped in it, those too that JSON lets stand. */
  json(value: object): void;
  /** What was asked for as text: help, the version. */
  print(text: string): void;
  /** Colours a text of a line for `say`, where colours are wanted. */
  paint(style: Style, text: string): string;
}

interface TerminalOptions {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const codes: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

export function createTerminal({ stdout, stderr, variables }: TerminalOptions): Terminal {
  const hasColours = stderr.isTTY === true && !variables.NO_COLOR && variables.TERM !== "dumb";
  // Whoever is printed may write the codes of colours as well, to hide text or to look like a success. Ours
  // are marked by what nobody else can write.
  const mark = hasColours ? randomUUID() : undefined;
  const painted = (style: Style, text: string) => `${mark}${codes[style]}m${text}${mark}0m`;
  const coloured = (line: string) => (mark ? line.replaceAll(mark, "\u001b[") : line);
  return {
    say: (line = "") => void stderr.write(`${coloured(visible(line))}\n`),
    json: (value) => void stdout.write(`${visible(JSON.stringify(value))}\n`),
    print: (text) => void stdout.write(text),
    paint: (style, text) => (hasColours ? painted(style, text) : text),
  };
}

// Control characters, and marks that turn the direction of writing.
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** What a request says must not move the cursor, hide lines or write lines of its own. */
function visible(line: string): string {
  return line.replace(unseen, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
