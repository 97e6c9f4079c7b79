import { pwsh } from "@optique/core/completion";
import { type OrErrorOptions, or } from "@optique/core/constructs";
import { runParser } from "@optique/core/facade";
import { formatMessage, text } from "@optique/core/message";
import { command } from "@optique/core/primitives";
import type { Usage } from "@optique/core/usage";
import { SettlekitError } from "../errors.ts";
import { version } from "../runtime.ts";
import { show, thrownText, withoutSecrets } from "../values.ts";
import { apiCommands } from "./api-commands.ts";
import { type Command, lines, type Run, suggesting } from "./command.ts";
import { advanceCommand, eventsCommand, resendCommand, simulateCommand } from "./control.ts";
import { doctorCommand } from "./doctor.ts";
import { loadVariables } from "./dotenv-file.ts";
import { execCommand } from "./exec.ts";
import { exitCodeOf, exitCodes, UsageError } from "./exit-codes.ts";
import { inboxCommands } from "./inbox.ts";
import { initCommand } from "./init.ts";
import { listenCommand } from "./listen.ts";
import { mcpCommand } from "./mcp/mcp.ts";
import { kebab } from "./operation-options.ts";
import { payoutCommands } from "./payouts.ts";
import { printRecord } from "./records.ts";
import { sandboxCommand } from "./sandbox.ts";
import { createTerminal, type Output, type Streams, type Terminal } from "./terminal.ts";
import { triggerCommand } from "./trigger.ts";

export const commands: readonly Command[] = [
  initCommand,
  sandboxCommand,
  execCommand,
  listenCommand,
  triggerCommand,
  doctorCommand,
  simulateCommand,
  advanceCommand,
  resendCommand,
  eventsCommand,
  mcpCommand,
  ...inboxCommands,
  ...payoutCommands,
  ...apiCommands(),
];

/** Descriptions of command groups that do not call the service. */
const groups: Readonly<Record<string, string>> = {
  inbox: "Operate the inbox",
  payouts: "Operate the payout ledger",
};

/** Instead of every command with its options. */
const usageLine: Usage = [{ type: "literal", value: "COMMAND [OPTION...]" }];

/** The words on the command line that name an existing command or group. */
function wordsOf(args: readonly string[]): readonly string[] {
  return [args.slice(0, 2), args.slice(0, 1)].find((words) => named(words).length > 0) ?? [];
}

function named(words: readonly string[]): Command[] {
  return commands.filter((it) => words.every((word, index) => word === it.words[index]));
}

/** The parser for the named command or group, so that completions are its own; without a name, for everything. */
function parserFor(words: readonly string[]): Command["parser"] {
  const grouped = Map.groupBy(named(words), ({ words: [group = ""] }) => group);
  const parsers = Array.from(grouped, ([group, members]) => {
    const verbs = members.flatMap(({ words: [_group, ...verb] }) => verb).join(", ");
    const noMatch = [text(`Missing command after ${group}: ${verbs}.`)];
    const parser = anyOf(
      members.map(({ parser }) => parser),
      { ...suggesting(`Commands of ${group}: ${verbs}.`), noMatch },
    );
    const brief = [text(`${groups[group] ?? "Call the service"}: ${verbs}.`)];
    return verbs === "" ? parser : command(group, parser, { brief, usageLine });
  });
  return anyOf(parsers, suggesting(`A command comes first: ${[...grouped.keys()].join(", ")}.`));
}

function anyOf(parsers: readonly Command["parser"][], errors: OrErrorOptions): Command["parser"] {
  const [only, ...others] = parsers;
  return only !== undefined && others.length === 0 ? only : or(...parsers, { errors });
}

/** PowerShell, under its own name too. */
const shells = { powershell: { ...pwsh, name: "powershell" } };

/**
 * Parses the arguments. Help, the version and completion scripts are printed right away.
 *
 * @throws {UsageError} The arguments are invalid.
 */
export function parse(
  args: readonly string[],
  output: Pick<Output, "isTTY" | "hasColors" | "columns"> & { write(text: string): unknown },
): Run {
  const nothingElse: Run = async () => exitCodes.ok;
  const option = { names: ["-v", "--version"] } as const;
  // The library looks the shell up in an object, and would find `constructor`.
  if (args[0] === "completion" && String(args[1]) in {}) {
    throw new UsageError(`Unsupported shell ${show(args[1])}. See settlekit completion --help.`);
  }
  return runParser(parserFor(wordsOf(args)), "settlekit", args, {
    help: { command: true, option: { names: ["-h", "--help"] }, onShow: () => nothingElse },
    // In `exec npm --version`, another command's version is meant.
    ...(args[0] !== "exec" && { version: { value: version, option, onShow: () => nothingElse } }),
    completion: { command: true, shells, onShow: () => nothingElse },
    onError(_exitCode, error) {
      // Without the library's advice to us.
      const advice = ' Use type: "bigint" for large values.';
      throw new UsageError(formatMessage(error, { colors: false }).replace(advice, ""));
    },
    aboveError: "none",
    stdout: (text) => void output.write(`${text}\n`),
    stderr() {},
    colors: output.isTTY === true && output.hasColors?.() === true,
    // The library throws an error if the width is too small, or 0 because it is unknown.
    ...(output.columns && { maxWidth: Math.max(output.columns, 40) }),
    termWidth: "auto",
    commandList: "top-level",
    usageLine,
    examples: lines("settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks"),
    footer: lines(
      "Exit codes: 0 success, 1 internal error, 2 usage or configuration, 3 authentication, 4 network or database, 5 an error response, 6 unknown outcome, 74 output not written, 130 or 143 ended by a signal.",
    ),
  });
}

/** Runs a command line, and returns its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = createTerminal(streams);
  try {
    if (args.length === 0) {
      parse(["--help"], streams.stderr);
      return exitCodes.usage;
    }
    const result = await parse(args, streams.stdout)(terminal);
    if (typeof result === "number") return result;
    await printRecord(result, terminal);
    return exitCodes.ok;
  } catch (error) {
    explain(error, args, terminal);
    return exitCodeOf(error);
  }
}

function explain(thrown: unknown, args: readonly string[], terminal: Terminal): void {
  const error = thrown instanceof Error ? thrown : new Error(thrownText(thrown));
  // A secret may have been typed in the wrong place, before the command could conceal those of the environment.
  loadVariables(undefined, terminal);
  const message = withoutSecrets(error.message);
  const stack = withoutSecrets(error.stack ?? error.message);
  const isOurs = SettlekitError.is(error);
  const isUsage = error instanceof UsageError;
  // The raw arguments, because parsing may have failed. Those after -- belong to another command.
  const own = args.slice(0, args.concat("--").indexOf("--"));
  if (own.includes("--json")) {
    terminal.json({
      type: "error",
      error: isOurs ? { ...error.toJSON(), message } : { name: error.name, message },
    });
  }
  const text = isOurs || isUsage ? message : `Internal error, a bug in settlekit:\n${stack}`;
  const flag = isOurs && `--${kebab(error.param ?? "").replace("allowed-hosts", "allow-host")}`;
  const isTyped = own.some((arg) => arg.split("=")[0] === flag);
  // A message from the service must not add lines.
  const [first = "", ...more] = isOurs ? [text] : text.split(/\n+/);
  const help = isUsage ? [`Try: ${["settlekit", ...wordsOf(args), "--help"].join(" ")}`] : [];
  terminal.fail(`${isTyped ? `\`${flag}\`: ` : ""}${first}`, ...more, ...help);
}
