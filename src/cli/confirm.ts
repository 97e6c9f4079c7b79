import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { AbortError } from "../errors.ts";
import type { PayoutBody } from "../resources/payouts/payout.ts";
import { UsageError } from "./exit-codes.ts";

/**
 * Asks the user to type the amount before money is sent.
 *
 * @throws {UsageError} The user did not confirm, or cannot.
 */
export async function confirmPayout(
  { amountInCents, recipientAddress, chainId }: PayoutBody,
  { yes, production }: { readonly yes: boolean; readonly production: boolean },
  baseUrl: string,
): Promise<void> {
  await requireProduction(production);
  if (yes) return;
  if (!canAsk()) {
    throw new UsageError(
      "Nothing was sent: there is no terminal to ask for confirmation. Pass --yes to send without asking.",
    );
  }
  const amount = (amountInCents / 100).toFixed(2);
  const fact = `Send ${amount} USD to ${recipientAddress} on chain ${chainId} through ${baseUrl}.`;
  const typed = await ask(`${fact}\nType ${amount} to send it: `, "Nothing was sent.");
  if (typed !== amount) throw new UsageError("Nothing was sent: the amounts differ.");
}

/** @throws {UsageError} Real money would move, but --production was not passed. */
export async function requireProduction(production: boolean): Promise<void> {
  // Loaded late. Otherwise bundles with a helper alone, such as isPaid, would contain its schemas.
  const { configure } = await import("../options.ts");
  if (configure().environment !== "production" || production) return;
  throw new UsageError(
    "Nothing was sent. This would move real money, because the environment is production: pass --production, " +
      "or set SETTLEKIT_ENVIRONMENT.",
  );
}

/** Whether someone sees a question, which goes to stderr, and can answer it. */
export const canAsk = () => process.stdin.isTTY && process.stderr.isTTY;

/** Asks a question on the terminal. After Ctrl-C, or at the end of input, rejects with an error that says `meaning`. */
export async function ask(question: string, meaning: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(lines, "close").then(() => undefined);
  const answer = await Promise.race([lines.question(question).catch(() => undefined), ended]);
  lines.close();
  if (answer !== undefined) return answer.trim();
  process.stderr.write("\n");
  throw new AbortError(meaning, { code: "aborted" });
}
