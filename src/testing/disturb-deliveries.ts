import { randomStream, type Seed } from "../sandbox/random.ts";
import { anotherSecret, headerName, tamperedWebhook } from "../sandbox/webhooks/disorder.ts";
import { checkOptionNames, invalidOption } from "../values.ts";
import { signWebhook } from "../webhooks/index.ts";
import { checkOption } from "../webhooks/options.ts";
import { parseTimestamp } from "../webhooks/timestamp.ts";

/** The part of a delivery that is sent: results of `signedDelivery` and `signWebhook` fit. */
export interface Sendable {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The options of `disturbDeliveries`. Each share is from 0 to 1. */
export interface Disturbance {
  /** Equal seeds give equal results. */
  readonly seed: Seed;
  /** The share of deliveries that are sent a second time, byte for byte. Default: 0. */
  readonly duplicate?: number | undefined;
  /** Whether to send them in another order. Default: false. */
  readonly reorder?: boolean | undefined;
  /** The longest delay, in milliseconds. Each delivery has its own, so later ones may overtake it. Default: 0. */
  readonly maxDelayMs?: number | undefined;
  /** The share for which a copy with a changed body, signature or timestamp is also sent. Default: 0. */
  readonly tamper?: number | undefined;
  /** The share for which a copy with a valid signature that is ten minutes old is also sent. Default: 0. */
  readonly staleTimestamp?: number | undefined;
  /** The share for which a copy signed with another secret is also sent. Default: 0. */
  readonly wrongSecret?: number | undefined;
  /** The secret that signs the deliveries. Only needed for `staleTimestamp`. */
  readonly secret?: string | undefined;
}

/** The part of a copy that was changed. A receiver must respond to each with 401. */
export type Tampering = "body" | "signature" | "timestamp" | "stale-timestamp" | "wrong-secret";

/** A delivery to send. */
export interface DisturbedDelivery extends Sendable {
  /** The index of the given delivery that it is based on. */
  readonly index: number;
  /** Whether it repeats an earlier delivery byte for byte. */
  readonly isDuplicate: boolean;
  /** The part that was changed; undefined if it is authentic. */
  readonly tampered: Tampering | undefined;
  /** When it is sent, in milliseconds from the start. */
  readonly delayMs: number;
}

export const disturbanceNames = [
  "seed",
  "duplicate",
  "reorder",
  "maxDelayMs",
  "tamper",
  "staleTimestamp",
  "wrongSecret",
  "secret",
] as const satisfies readonly (keyof Disturbance)[];

/**
 * Duplicates, forges, reorders and delays deliveries, in the same way for the same seed. The results include every
 * given delivery unchanged, so a receiver must reach the same state as without the disturbance.
 *
 * It only prepares them: `sendDeliveries` sends them.
 *
 * @throws {ConfigurationError} when an option is unknown or out of range, or `staleTimestamp` has no `secret`.
 */
export function disturbDeliveries(
  deliveries: readonly Sendable[],
  disturbance: Disturbance,
): DisturbedDelivery[] {
  const isSigned = (it?: Sendable) => typeof it?.body === "string";
  const areSigned = Array.isArray(deliveries) && deliveries.every(isSigned);
  checkOption("deliveries", areSigned, "an array of results of signedDelivery");
  checkOptionNames(disturbance, disturbanceNames);
  const { seed, duplicate = 0, reorder = false, maxDelayMs = 0 } = disturbance;
  const { tamper = 0, staleTimestamp = 0, wrongSecret = 0, secret = "" } = disturbance;
  checkOption("seed", ["string", "number"].includes(typeof seed), "a string or a number");
  checkOption("reorder", typeof reorder === "boolean", "true or false");
  const isDelay = maxDelayMs >= 0 && maxDelayMs < Infinity;
  checkOption("maxDelayMs", isDelay, "0 milliseconds or more");
  for (const [name, share] of Object.entries({ duplicate, tamper, staleTimestamp, wrongSecret })) {
    checkOption(name, share >= 0 && share <= 1, "a share from 0 to 1");
  }
  checkOption("secret", typeof secret === "string", "a string");
  if (staleTimestamp > 0 && disturbance.secret === undefined) {
    const message =
      "staleTimestamp needs the secret, because a stale copy has a valid signature. Pass it as secret.";
    throw invalidOption("secret", message, "missing_option");
  }
  const { fraction: random } = randomStream(`${typeof seed} ${seed}`, "disturbance");
  const disturbed: Omit<DisturbedDelivery, "isDuplicate">[] = [];
  for (const [index, { body, headers }] of deliveries.entries()) {
    const sent = { body, headers };
    const add = (share: number, copy: () => Sendable, tampered?: Tampering) => {
      // Draws nothing for a share of 0 or 1, so that it does not affect other copies.
      if (share === 0 || (share < 1 && random() >= share)) return;
      disturbed.push({ tampered, ...copy(), index, delayMs: Math.round(random() * maxDelayMs) });
    };
    add(tamper, () => tamperedWebhook(sent, random));
    add(wrongSecret, () => signedAnew(sent, anotherSecret, 0), "wrong-secret");
    add(staleTimestamp, () => signedAnew(sent, secret, 10 * 60_000), "stale-timestamp");
    add(1, () => sent);
    add(duplicate, () => sent);
  }
  const sent = new Set<number>();
  return disturbed
    .map((delivery) => ({ delivery, place: reorder ? random() : 0 }))
    .toSorted((a, b) => a.delivery.delayMs - b.delivery.delayMs || a.place - b.place)
    .map(({ delivery }) => {
      const isDuplicate = delivery.tampered === undefined && sent.has(delivery.index);
      if (delivery.tampered === undefined) sent.add(delivery.index);
      return { ...delivery, isDuplicate };
    });
}

/** The delivery signed with another secret, or at an earlier time. */
function signedAnew({ body, headers }: Sendable, secret: string, byMs: number): Sendable {
  const headerPrefix = headerName({ headers }, "signature")?.replace(/-signature$/i, "");
  const signedAt = headers[headerName({ headers }, "timestamp") ?? ""] ?? "";
  const timestamp = new Date(Math.max((parseTimestamp(signedAt) ?? Date.now()) - byMs, 0));
  const { headers: signed } = signWebhook({ body, secret, headerPrefix, timestamp });
  const isSigned = new Headers(signed);
  const others = Object.entries(headers).filter(([name]) => !isSigned.has(name));
  return { body, headers: { ...signed, ...Object.fromEntries(others) } };
}
