import { or } from "@optique/core/constructs";
import { runParser } from "@optique/core/facade";
import { formatMessage } from "@optique/core/message";
import { version } from "../runtime.ts";
import { doctorCommand } from "./doctor.ts";
import { execCommand } from "./exec.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { listenCommand } from "./listen.ts";
import { type Command, lines, type Run } from "./options.ts";
import { sandboxCommand } from "./sandbox.ts";
import { triggerCommand } from "./trigger.ts";

export const commands: Readonly<Record<string, Command>> = {
  sandbox: sandboxCommand,
  exec: execCommand,
  listen: listenCommand,
  trigger: triggerCommand,
  doctor: doctorCommand,
};

interface Output {
  write(text: string): void;
  readonly hasColours: boolean;
  readonly width: number | undefined;
}

/**
 * Reads the arguments. What they ask to be told, such as help, is written at once.
 *
 * @throws {UsageError} They cannot be understood.
 */
export function parse(args: readonly string[], { write, hasColours, width }: Output): Run {
  const [name = ""] = args;
  // Under its own parser alone, a command suggests its own options.
  const own = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const told: Run = async () => exitCodes.ok;
  return runParser(own ?? or(...Object.values(commands)), "settlekit", args, {
    help: { command: true, option: { names: ["-h", "--help"] }, onShow: () => told },
    version: { value: version, option: { names: ["-v", "--version"] }, onShow: () => told },
    completion: { command: true, onShow: () => told },
    onError(_exitCode, error) {
      throw new UsageError(formatMessage(error, { colors: false }));
    },
    aboveError: "none",
    stdout: (text) => write(`${text}\n`),
    stderr() {},
    colors: hasColours,
    ...(width !== undefined && { maxWidth: width }),
    termWidth: "auto",
    showDefault: { prefix: " (default: ", suffix: ")" },
    usageLine: [{ type: "literal", value: "COMMAND [OPTION...]" }],
    examples: lines("settlekit sandbox --webhook-url http://127.0.0.1:3000/webhooks"),
    footer: lines(
      "Exit codes: 0 success, 1 internal error, 2 usage or configuration, 3 authentication, 4 network, 5 an error answer, 130 interrupted.",
    ),
  });
}
