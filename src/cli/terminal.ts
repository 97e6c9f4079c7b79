import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import { stripVTControlCharacters, styleText } from "node:util";
import { redactor } from "../http/request.ts";
import { exitCodes } from "./exit-codes.ts";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** A terminal, a pipe or a file. */
export type Output = Writable & Partial<Pick<WriteStream, "isTTY" | "hasColors" | "columns">>;

export interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Where a command writes: messages to stderr, and the requested data to stdout. */
export type Terminal = ReturnType<typeof createTerminal>;

/**
 * Printed data may itself contain colour codes, to hide text or fake a success. Ours carry this unguessable mark
 * instead of the escape character.
 */
const mark = randomUUID();

/** Colours part of a line that a terminal prints. A stream that shows no colours gets the text alone. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false }).replaceAll("\u001b", mark);
}

export function createTerminal({ stdout, stderr }: Streams) {
  const redactors: ReturnType<typeof redactor>[] = [];
  let hasBar = false;
  /** Erases the progress bar first, because stdout and stderr share a terminal's last line. */
  const write = (stream: Output, text: string) => {
    if (hasBar) stderr.write("\r\u001b[2K");
    hasBar = false;
    stream.write(text);
  };
  const redacted = (text: string) => redactors.reduce((rest, redact) => redact(rest), text);
  const printerOn =
    (stream: Output) =>
    (...lines: readonly string[]) => {
      const showsColours = styleText("bold", "", { stream }) !== "";
      for (const line of lines) {
        const painted = `${visible(redacted(line)).replaceAll(mark, "\u001b")}\n`;
        write(stream, showsColours ? painted : stripVTControlCharacters(painted));
      }
    };
  const reporterOn =
    (print: (...lines: readonly string[]) => void) =>
    (data: object, ...lines: readonly string[]) => {
      if (terminal.asJson) terminal.json(data);
      else print(...lines);
    };
  const complain = printerOn(stderr);
  const print = printerOn(stdout);
  const say = (...lines: readonly string[]) => void (terminal.asJson || complain(...lines));
  const terminal = {
    /** Whether the command was run with `--json`. */
    asJson: false,
    /** Prints lines on stderr, except with `--json`. Control characters become visible, but not the colours of `paint`. */
    say,
    /** Prints a warning on stderr. */
    warn: (line: string) => complain(`${paint("yellow", "Warning:")} ${line}`),
    /** Prints an error on stderr. */
    fail: (first: string, ...more: readonly string[]) =>
      complain(`${paint("red", "settlekit:")} ${first}`, ...more),
    /** Prints a line of JSON on stdout. Control characters that JSON leaves unescaped are escaped, too. */
    json(value: object) {
      // Other programs refuse half a surrogate pair, such as at the end of a truncated text.
      const textOf = (it: unknown) => (typeof it === "string" ? redacted(it).toWellFormed() : it);
      write(stdout, `${visible(JSON.stringify(value, (_, inner) => textOf(inner)))}\n`);
    },
    /** Prints the report of a server or a decision: JSON with `--json`, otherwise lines on stderr. */
    report: reporterOn(say),
    /** Prints the requested result: JSON with `--json`, otherwise lines on stdout. */
    result: reporterOn(print),
    /** Prints lines of other data on stdout, such as table rows. */
    print,
    /** Whether the reader of stdout, such as `head`, may still want more. */
    isRead: () => stdout.writable,
    /** The width of the terminal that shows stdout; undefined for a pipe, a file, or a terminal that reports 0. */
    columns: stdout.columns || undefined,
    /** On a terminal, shows how much of a list has been read, until the next output; without arguments, clears it. */
    progress(done?: number, total?: number) {
      const bar = stderr.isTTY && done && total ? progressBar(done, total) : "";
      write(stderr, bar);
      hasBar = bar !== "";
    },
    /** From now on, prints `[redacted]` for this credential, even if a service echoes it. */
    conceal(credential: string) {
      redactors.push(redactor(credential));
    },
    /** A text without the concealed credentials. */
    redact: redacted,
  };
  return terminal;
}

// Control characters, and characters that change the writing direction.
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Printed data must not move the cursor, hide lines or add its own. */
export const visible = (line: string) => escaped(line, unseen);

/** A text with `\u` escapes, as in JSON, instead of some characters. */
export function escaped(text: string, characters: RegExp): string {
  const escapeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(characters, (found) => found.split("").map(escapeOf).join(""));
}

function progressBar(done: number, total: number): string {
  const filled = "=".repeat(Math.min(30, Math.floor((30 * done) / total)));
  return `[${filled.padEnd(30)}] ${done} of ${total}`;
}

/** The local time of day, such as `14:03:59`. */
export function timeOfDay(at = new Date()): string {
  return at.toTimeString().slice(0, 8);
}

/**
 * When the process is told to stop, aborts work with the exit code as the reason: a call then ends with its own error,
 * which says what may have happened. A second signal kills the process.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort(exitCodes.interrupted);
  const terminate = () => controller.abort(exitCodes.terminated);
  process.once("SIGINT", interrupt).once("SIGTERM", terminate);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", terminate);
  }
}

/**
 * Resolves with the exit code when the process is told to stop, or its output is no longer read: a server must not keep
 * its port after the script that started it has died. A second signal kills the process.
 */
export function untilStopped(): Promise<number> {
  return interruptible(
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(signal.reason));
        for (const output of [process.stdout, process.stderr]) {
          output.once("error", () => resolve(exitCodes.ok));
        }
      }),
  );
}
