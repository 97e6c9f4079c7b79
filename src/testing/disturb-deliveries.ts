import { type Seed, seededRandom } from "./random.ts";

/** What is needed of a delivery: whatever `signedDelivery` and `signWebhook` give fits. */
export interface Sendable {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

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
}

/** What was changed in a forged copy. Whatever it was, a receiver has to answer 401. */
export type Tampering = "body" | "signature" | "timestamp";

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

/**
 * Doubles, forges, shuffles and delays deliveries, the same way for the same seed. Every delivery given
 * is among the result unchanged, so that a receiver has to end up as if nothing had happened.
 *
 * Sends nothing: `sendDeliveries` does.
 */
export function disturbDeliveries(
  deliveries: readonly Sendable[],
  { seed, duplicate = 0, reorder = false, maxDelayMs = 0, tamper = 0 }: Disturbance,
): DisturbedDelivery[] {
  const random = seededRandom(seed);
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
    if (random() < tamper) add(forged({ body, headers }, random));
    add({});
    if (random() < duplicate) add({ isDuplicate: true });
  }
  const inOrder = reorder ? shuffled(disturbed, random) : disturbed;
  return inOrder.toSorted((a, b) => a.delayMs - b.delayMs);
}

function forged(
  { body, headers }: Sendable,
  random: () => number,
): Pick<DisturbedDelivery, "body" | "headers" | "tampered"> {
  const [tampered] = shuffled(["body", "signature", "timestamp"] as const, random);
  const header = Object.entries(headers).find(([name]) => {
    return name.toLowerCase().endsWith(`-${tampered}`);
  });
  if (header === undefined) return { tampered: "body", headers, body: altered(body, random) };
  const [name, value] = header;
  return { tampered, body, headers: { ...headers, [name]: altered(value, random) } };
}

/** The text with one character made a digit that it was not, which means something else anywhere. */
function altered(text: string, random: () => number): string {
  const characters = [...text];
  const position = Math.floor(random() * characters.length);
  characters[position] = characters[position] === "0" ? "1" : "0";
  return characters.join("");
}

/** Each order is as likely as any other. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result: Item[] = [];
  for (const item of items) {
    result.splice(Math.floor(random() * (result.length + 1)), 0, item);
  }
  return result;
}
