import { SettlekitError } from "../../errors/settlekit-error.ts";
import { createSandbox, type Sandbox } from "../../sandbox/index.ts";
import { instantFrom, urlFrom } from "../arguments/option-values.ts";
import { UsageError } from "../arguments/usage-error.ts";
import { faultFrom } from "./fault-text.ts";

/** The options of every command that has a sandbox. */
export const sandboxOptions = {
  "webhook-url": {
    value: "<url>",
    description: "Where webhooks are sent to. Without it they are recorded only.",
  },
  seed: {
    value: "<text>",
    description: "Makes ids, addresses, hashes and secrets the same from run to run.",
  },
  now: {
    value: "<time>",
    description: "Freezes the clock at this time, such as 2026-01-01T00:00:00Z.",
  },
  fault: {
    value: "<fault>",
    multiple: true,
    description: "What goes wrong; settlekit sandbox --help explains it.",
  },
} as const;

interface SandboxValues {
  readonly "webhook-url": string | undefined;
  readonly now: string | undefined;
  readonly fault: readonly string[];
}

/**
 * The sandbox that the command line describes.
 *
 * @throws {UsageError} An option cannot work.
 */
export function sandboxFrom(values: SandboxValues, seed: string | undefined): Sandbox {
  const webhookUrl = values["webhook-url"] && urlFrom("--webhook-url", values["webhook-url"]);
  const now = values.now === undefined ? undefined : instantFrom("--now", values.now);
  const faults = values.fault.map(faultFrom);
  const sandbox = createSandbox({
    seed,
    now,
    webhookUrl: webhookUrl || undefined,
  });
  for (const fault of faults) inWordsOfTheCommandLine(() => addFault(sandbox, fault));
  return sandbox;
}

function addFault({ faults }: Sandbox, asked: ReturnType<typeof faultFrom>): void {
  if ("rateLimit" in asked) faults.rateLimit(asked.rateLimit);
  else faults.next(asked.route, asked.fault, asked.options);
}

function inWordsOfTheCommandLine(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (SettlekitError.is(error)) throw new UsageError(`--fault: ${error.message}`);
    throw error;
  }
}
