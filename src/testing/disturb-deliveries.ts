import { ConfigurationError } from "../errors.ts";
import {
  staleWebhook,
  strangersWebhook,
  tamperedWebhook,
  type WebhookParts,
} from "../sandbox/webhooks/disorder.ts";

/** What a run is drawn from: equal seeds give equal runs. */
export type Seed = string | number;

/** Gives numbers from 0 up to 1, the same ones for the same seed. By mulberry32, over an FNV-1a hash. */
export function seededRandom(seed: Seed): () => number {
  let state = 0x811c9dc5;
  for (const character of `${typeof seed} ${seed}`) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is needed of a delivery: whatever `signedDelivery` and `signWebhook` give fits. */
export interface Sendable extends WebhookParts {}

/** How deliveries are disturbed on their way. */
export interface Disturbance {
  /** Equal seeds disturb equally. */
  readonly seed: Seed;
  /** Which share of the deliveries comes a second time, byte for byte: from 0 to 1. Default: 0. */
  readonly duplicate?: number | undefined;
  /** Whether they come in another order. Default: false. */
  readonly reorder?: boolean | undefined;
  /**
   * How late each may be, in milliseconds: every one is sent after a wait of its own, so that later ones
   * overtake. Default: 0.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * Beside which share of the deliveries a forged copy is sent, changed in body, signature or
   * timestamp: from 0 to 1. The delivery itself comes all the same. Default: 0.
   */
  readonly tamper?: number | undefined;
  /** Beside which share a copy is sent that is rightly signed, but ten minutes old. Default: 0. */
  readonly staleTimestamp?: number | undefined;
  /** Beside which share a copy is sent that is signed with another secret. Default: 0. */
  readonly wrongSecret?: number | undefined;
  /** What the deliveries are signed with; only `staleTimestamp` needs it. */
  readonly secret?: string | undefined;
}

/**
 * What was changed in a forged copy: one part of it, or all that is signed. Whatever it was, a receiver has
 * to answer 401.
 */
export type Tampering = "body" | "signature" | "timestamp" | "stale-timestamp" | "wrong-secret";

/** A delivery as it is to be sent. */
export interface DisturbedDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Which of the given deliveries it comes from, counted from 0. */
  readonly index: number;
  /** Whether it is the second of two equal ones. */
  readonly isDuplicate: boolean;
  /** What was changed in it; undefined when it is authentic. */
  readonly tampered: Tampering | undefined;
  /** When it is sent, in milliseconds from the beginning. */
  readonly delayMs: number;
}

const staleByMs = 10 * 60_000;

/**
 * Doubles, forges, shuffles and delays deliveries, the same way for the same seed. Every delivery given
 * is among the result unchanged, so that a receiver has to end up as if nothing had happened.
 *
 * Sends nothing: `sendDeliveries` does. Throws a ConfigurationError for `staleTimestamp` without `secret`.
 */
export function disturbDeliveries(
  deliveries: readonly Sendable[],
  disturbance: Disturbance,
): DisturbedDelivery[] {
  const { seed, duplicate = 0, reorder = false, maxDelayMs = 0 } = disturbance;
  const random = seededRandom(seed);
  const forgers = forgersOf(disturbance, random);
  const disturbed: DisturbedDelivery[] = [];
  for (const [index, { body, headers }] of deliveries.entries()) {
    const add = (change: Partial<DisturbedDelivery>) =>
      disturbed.push({
        body,
        headers,
        index,
        isDuplicate: false,
        tampered: undefined,
        delayMs: Math.round(random() * maxDelayMs),
        ...change,
      });
    for (const { share, forge } of forgers) {
      if (random() < share) add(forge({ body, headers }));
    }
    add({});
    if (random() < duplicate) add({ isDuplicate: true });
  }
  const inOrder = reorder ? shuffled(disturbed, random) : disturbed;
  return inOrder.toSorted((a, b) => a.delayMs - b.delayMs);
}

interface Forger {
  readonly share: number;
  readonly forge: (delivery: WebhookParts) => WebhookParts & { readonly tampered: Tampering };
}

function forgersOf(
  { tamper = 0, staleTimestamp = 0, wrongSecret = 0, secret }: Disturbance,
  random: () => number,
): Forger[] {
  const forgers: Forger[] = [
    { share: tamper, forge: (delivery) => tamperedWebhook(delivery, random) },
    {
      share: wrongSecret,
      forge: (delivery) => ({ ...strangersWebhook(delivery), tampered: "wrong-secret" }),
    },
  ];
  if (staleTimestamp > 0) {
    if (secret === undefined) throw secretMissing();
    forgers.push({
      share: staleTimestamp,
      forge: (delivery) => ({
        ...staleWebhook(delivery, { secret, byMs: staleByMs }),
        tampered: "stale-timestamp",
      }),
    });
  }
  return forgers.filter(({ share }) => share > 0);
}

function secretMissing(): ConfigurationError {
  return new ConfigurationError(
    "staleTimestamp needs the secret, because an old webhook is signed rightly. Pass it as secret.",
    { code: "missing_option", param: "secret" },
  );
}

/** Each order is as likely as any other. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    result.splice(Math.floor(random() * (result.length + 1)), 0, item);
  }
  return result;
}
