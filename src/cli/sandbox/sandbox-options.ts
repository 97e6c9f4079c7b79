import { SettlekitError } from "../../errors.ts";
import {
  createSandbox,
  type MerchantOptions,
  type Sandbox,
  type SandboxOptions,
} from "../../sandbox/index.ts";
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
  merchants: {
    value: "<number>",
    description: "How many merchants there are, each with keys of its own. Default 1.",
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
  readonly merchants: string | undefined;
  readonly fault: readonly string[];
}

/**
 * The sandbox that the command line describes.
 *
 * @throws {UsageError} An option cannot work.
 */
export function sandboxFrom(
  values: SandboxValues,
  more: Pick<SandboxOptions, "seed" | "identity" | "data">,
): Sandbox {
  const webhookUrl = values["webhook-url"] && urlFrom("--webhook-url", values["webhook-url"]);
  const now = values.now === undefined ? undefined : instantFrom("--now", values.now);
  const faults = values.fault.map(faultFrom);
  const merchants = merchantsFrom(values.merchants);
  const options = { ...more, now, merchants, webhookUrl: webhookUrl || undefined };
  const sandbox = inWordsOfTheCommandLine("--data", () => createSandbox(options));
  for (const fault of faults) inWordsOfTheCommandLine("--fault", () => addFault(sandbox, fault));
  return sandbox;
}

function addFault({ faults }: Sandbox, asked: ReturnType<typeof faultFrom>): void {
  if ("rateLimit" in asked) faults.rateLimit(asked.rateLimit);
  else faults.next(asked.route, asked.fault, asked.options);
}

const maxMerchants = 100;

/** As many as are asked for; those that a data file holds, if nobody asks. */
function merchantsFrom(text: string | undefined): MerchantOptions[] | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= maxMerchants) {
    return Array.from({ length: count }, () => ({}));
  }
  throw new UsageError(`--merchants must be a whole number from 1 to ${maxMerchants}.`);
}

function inWordsOfTheCommandLine<Result>(option: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (SettlekitError.is(error)) throw new UsageError(`${option}: ${error.message}`);
    throw error;
  }
}
