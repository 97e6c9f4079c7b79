import { SettlekitError } from "../errors.ts";
import { exitCodeOf, exitCodes, UsageError } from "./exit-codes.ts";
import { parse, wordsOf } from "./parse.ts";
import { createTerminal, type Streams, type Terminal } from "./terminal.ts";

/** Carries out a command line, and answers with its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = createTerminal(streams);
  try {
    if (args.length > 0) return await parse(args, streams.stdout)(terminal);
    parse(["--help"], streams.stderr);
    return exitCodes.usage;
  } catch (error) {
    explain(error, args, terminal);
    return exitCodeOf(error);
  }
}

function explain(error: unknown, args: readonly string[], terminal: Terminal): void {
  const label = terminal.paint("red", "settlekit:");
  if (error instanceof UsageError) {
    for (const line of `${label} ${error.message}`.split(/\n+/)) terminal.say(line);
    terminal.say(`Try: ${["settlekit", ...wordsOf(args), "--help"].join(" ")}`);
  } else if (SettlekitError.is(error)) {
    if (terminal.asJson) terminal.json({ type: "error", error: error.toJSON() });
    terminal.say(`${label} ${error.message}`);
  } else {
    terminal.say(`${label} Internal error, a bug in settlekit:`);
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of text.split("\n")) terminal.say(line);
  }
}
