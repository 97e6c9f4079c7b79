import type { Writable } from "node:stream";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Where a command speaks: to people on stderr, to programs on stdout. */
export interface Terminal {
  /** A line for people. Control characters in it are made visible. */
  say(line?: string): void;
  /** A line of JSON for programs. */
  json(value: object): void;
  /** What was asked for as text: help, the version. */
  print(text: string): void;
  /** Colours a text of a line for people, where colours are wanted. */
  paint(style: Style, text: string): string;
}

export interface TerminalOptions {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const codes: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

export function createTerminal({ stdout, stderr, variables }: TerminalOptions): Terminal {
  const hasColours = stderr.isTTY === true && !variables.NO_COLOR && variables.TERM !== "dumb";
  return {
    say: (line = "") => void stderr.write(`${visible(line)}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    print: (text) => void stdout.write(text),
    paint: (style, text) => (hasColours ? `\u001b[${codes[style]}m${text}\u001b[0m` : text),
  };
}

// Colours, which stay; or control characters and marks that turn the direction of writing.
const colourOrControl =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /\u001b\[\d{1,2}m|[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** What a request says must not move the cursor, hide lines or write lines of its own. */
function visible(line: string): string {
  return line.replace(colourOrControl, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
