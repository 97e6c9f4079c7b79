import { createInterface } from "node:readline/promises";
import { configure } from "../options.ts";
import { UsageError } from "./exit-codes.ts";
import type { Terminal } from "./terminal.ts";

interface Consent {
  readonly yes: boolean;
  readonly production: boolean;
}

/**
 * Asks for the amount to be typed before money is sent.
 *
 * @throws {UsageError} Nothing may be sent.
 */
export async function confirmPayout(
  input: Readonly<Record<string, unknown>>,
  { yes, production }: Consent,
  baseUrl: string,
  { say }: Terminal,
): Promise<void> {
  const { environment } = configure();
  if (environment === "production" && !production) {
    throw new UsageError(
      "Nothing was sent. This would move real money, as the environment is production: pass --production, " +
        "or set SETTLEKIT_ENVIRONMENT.",
    );
  }
  if (yes) return;
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new UsageError(
      "Nothing was sent, because there is no terminal to confirm it on. Pass --yes to send without asking.",
    );
  }
  const amount = (Number(input.amountInCents) / 100).toFixed(2);
  say(`Send ${amount} USD to ${input.recipientAddress} on chain ${input.chainId}, by ${baseUrl}.`);
  const lines = createInterface({ input: stdin, output: stderr });
  const typed = await lines.question(`Type ${amount} to send it: `);
  lines.close();
  if (typed.trim() !== amount) throw new UsageError("Nothing was sent: the amounts differ.");
}
