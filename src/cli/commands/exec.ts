import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { defineCommand } from "../arguments/command.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { exitCodes } from "../exit-code.ts";
import { environmentOf } from "../sandbox/environment.ts";
import { sandboxFrom, sandboxOptions } from "../sandbox/sandbox-options.ts";
import { windowsLine } from "../windows-line.ts";

export const execCommand = defineCommand({
  name: "exec",
  operands: "<command> [argument ...]",
  runsAnother: true,
  description: [
    "Runs a command with a sandbox of its own, on a free port and gone when the command ends.",
    "The client and the webhook verifier find it by SETTLEKIT_ENVIRONMENT, SETTLEKIT_SANDBOX_URL,",
    "SETTLEKIT_SECRET_KEY and SETTLEKIT_WEBHOOK_SECRET. Signals are passed on. The exit code is the",
    "command's own, or 127 when it is not found.",
  ],
  options: sandboxOptions,
  examples: [
    "settlekit exec -- npm test",
    'settlekit exec --seed ci --fault "POST /payments 503 after" -- node --test',
  ],
  async run({ values, operands: [file, ...args], terminal }) {
    if (file === undefined) {
      throw new UsageError("There is nothing to run. Write, such as: settlekit exec -- npm test");
    }
    const sandbox = sandboxFrom(values, { seed: values.seed });
    await using server = await sandbox.listen({ port: 0 });
    const child = start(file, args, { ...process.env, ...environmentOf(sandbox, server.url) });
    passSignalsTo(child);
    return await exitCodeOf(child).catch((error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT";
      const problem = isMissing ? "there is no such command" : error.message;
      terminal.say(`settlekit: cannot run ${JSON.stringify(file)}: ${problem}.`);
      return isMissing ? exitCodes.notFound : exitCodes.notExecutable;
    });
  },
});

function start(file: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  // Windows finds npm, which is a script there, by the shell only.
  if (process.platform === "win32") {
    return spawn(windowsLine([file, ...args]), { stdio: "inherit", env, shell: true });
  }
  return spawn(file, args, { stdio: "inherit", env });
}

function passSignalsTo(child: ChildProcess): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // A terminal gives it to the child as well, and many programs take a second one for impatience.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
}

/** As shells say it: 128 and the number of the signal, if one ended the child. */
function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
