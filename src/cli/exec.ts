import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { message } from "@optique/core/message";
import { argument } from "@optique/core/primitives";
import { string } from "@optique/core/valueparser";
import { normalizeSpawnCommand } from "tinyexec";
import { show } from "../values.ts";
import { defineCommand } from "./command.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { sandboxFrom, sandboxOptions, variablesOf } from "./sandbox-options.ts";
import { paint } from "./terminal.ts";

const description = message`The command to run, with its arguments, after two hyphens.`;
const words = argument(string({ metavar: "-- COMMAND" }), { description }).multiple({
  min: 1,
  errors: { tooFew: message`Missing command to run. For example: settlekit exec -- npm test` },
});

/** Requires `--`: before it, the other command's options would be taken for ours. */
const otherCommand: typeof words = {
  ...words,
  parse(context) {
    const [word = "-"] = context.buffer;
    if (context.optionsTerminated || word.startsWith("-")) return words.parse(context);
    const error = message`Write two hyphens before the command to run: settlekit exec -- ${word} ...`;
    return { success: false, consumed: 1, error };
  },
};

export const execCommand = defineCommand({
  name: "exec",
  brief: "Run a command, such as your tests, with a sandbox of its own.",
  description:
    "Runs a command with its own sandbox, which listens on a free port and stops when the command ends. The client and the webhook verifier find it through SETTLEKIT_ENVIRONMENT, SETTLEKIT_SANDBOX_URL, SETTLEKIT_SECRET_KEY and SETTLEKIT_WEBHOOK_SECRET. Signals are forwarded to the command. The exit code is the command's, or 127 if it is not found.",
  examples: [
    "settlekit exec -- npm test",
    'settlekit exec --seed ci --fault "POST /payments 503 after" -- node --test',
  ],
  options: { ...sandboxOptions, otherCommand },
  async run({ otherCommand: [file = "", ...args], ...values }, terminal) {
    if (file === "") {
      throw new UsageError("The command to run is empty, perhaps because a variable is not set.");
    }
    const sandbox = await sandboxFrom(values);
    await using server = await sandbox.listen({ port: 0 });
    terminal.say(paint("dim", `sandbox at ${server.url}, inspector ${server.url}/_sandbox`));
    const env = { ...process.env, ...variablesOf(sandbox, server.url) };
    // On Windows, npm is a script, which only the shell can start.
    const normal = normalizeSpawnCommand(file, args, { stdio: "inherit", env });
    try {
      // It throws some errors, such as ENOTDIR, and emits others.
      const child = spawn(normal.command, normal.args, normal.options);
      passSignalsTo(child);
      const [code, signal] = (await once(child, "exit")) as [number, null] | [null, NodeJS.Signals];
      return code ?? 128 + constants.signals[signal];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isMissing = code === "ENOENT";
      terminal.fail(`cannot run ${show(file)}: ${isMissing ? "command not found" : message}.`);
      return isMissing ? exitCodes.notFound : exitCodes.notExecutable;
    }
  },
});

function passSignalsTo(child: ChildProcess): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // A terminal also sends the signal to the child, and many programs quit at once on a second one.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
}
