import assert from "node:assert/strict";
import {
  type WebhookInput,
  type Webhooks,
  WebhookVerificationError,
} from "../../src/webhooks/index.ts";
import { receiver, webCryptoReceiver } from "./deliveries.ts";
import type { HostileInput } from "./hostile-inputs.ts";

const onError = () => undefined;
const receivers = [receiver(), receiver({ onError }), webCryptoReceiver({ onError })];

export interface Judgement {
  /** "accepted", or the reason for the refusal: the same for every receiver. */
  readonly verdict: string;
  /** The CPU time of the slowest receiver, which does not include other processes. */
  readonly slowestMs: number;
}

/**
 * Verifies an input with and without looking for causes, by node:crypto and by WebCrypto. Throws when they
 * disagree, when anything but a verification error is thrown, and when an unsigned delivery is accepted.
 */
export async function judge({ input, isSigned }: HostileInput): Promise<Judgement> {
  const verdicts = new Set<string>();
  let slowestMs = 0;
  for (const webhooks of receivers) {
    const begin = process.threadCpuUsage();
    verdicts.add(await verdictOf(webhooks, input));
    const { user, system } = process.threadCpuUsage(begin);
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
  }
  const [verdict = "", ...others] = verdicts;
  assert.deepEqual(others, [], `also judged ${verdict}`);
  assert.ok(isSigned || verdict !== "accepted", "accepted without a signature");
  return { verdict, slowestMs };
}

async function verdictOf(webhooks: Webhooks, input: unknown): Promise<string> {
  try {
    await webhooks.verify(input as WebhookInput);
    return "accepted";
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}
