import { InvalidRequestError } from "../../errors.ts";
import { type WebhookEvents, webhookEventNames } from "../../wire/webhook-event.ts";
import type { Frequency } from "../faults/waiting-list.ts";
import { type Duration, durationInMs } from "../time/duration.ts";

/**
 * What goes wrong with a webhook on its way:
 *
 * - `duplicate`: it comes twice, byte for byte.
 * - `reorder`: it is held back until the next webhook of its payment or withdrawal was sent.
 * - `delay`: it is sent late; others overtake it.
 * - `tamper`: one character of its body, signature or timestamp is another one.
 * - `stale-timestamp`: it is rightly signed, but with a timestamp that is too old.
 * - `wrong-secret`: it is signed with another secret.
 *
 * A receiver must take the first three as if nothing had happened, and answer 401 to the others.
 */
export type DisorderKind =
  | "duplicate"
  | "reorder"
  | "delay"
  | "tamper"
  | "stale-timestamp"
  | "wrong-secret";

export const disorderKinds: readonly DisorderKind[] = [
  "duplicate",
  "reorder",
  "delay",
  "tamper",
  "stale-timestamp",
  "wrong-secret",
];

export interface DisorderOptions extends Frequency {
  /** Such as `payment.updated`. Default: every event. */
  readonly event?: keyof WebhookEvents | undefined;
  /**
   * How late a `delay` is (default 1 minute), how long a `reorder` holds back at most where no other
   * webhook comes (1 minute), how old a `stale-timestamp` is (10 minutes).
   */
  readonly by?: Duration | undefined;
}

/** A disorder and the webhooks that it waits for. */
export interface WaitingDisorder extends Required<Frequency> {
  readonly kind: DisorderKind;
  /** Null for every event. */
  readonly event: keyof WebhookEvents | null;
  /** In milliseconds; 0 where nothing is late or old. */
  readonly byMs: number;
}

/** A disorder as a delivery meets it. */
export interface Disorder extends Pick<WaitingDisorder, "kind" | "byMs"> {}

const usualByMs: Readonly<Record<DisorderKind, number>> = {
  duplicate: 0,
  reorder: 60_000,
  delay: 60_000,
  tamper: 0,
  "stale-timestamp": 600_000,
  "wrong-secret": 0,
};

/** @throws {InvalidRequestError} code `unknown_disorder`, `invalid_disorder` or `invalid_duration`. */
export function disorderOf(kind: DisorderKind, by?: Duration): Disorder {
  if (!disorderKinds.includes(kind)) {
    const kinds = disorderKinds.map((known) => JSON.stringify(known)).join(", ");
    throw new InvalidRequestError(`There is no such disorder. Pass one of ${kinds}.`, {
      code: "unknown_disorder",
      param: "kind",
    });
  }
  if (by === undefined) return { kind, byMs: usualByMs[kind] };
  if (usualByMs[kind] === 0) throw invalidDisorder("by", `does not go with ${kind}. Leave it out`);
  return { kind, byMs: durationInMs(by) };
}

/** @throws {InvalidRequestError} code `invalid_disorder`. */
export function checkedEvent<Event extends keyof WebhookEvents | null>(event: Event): Event {
  if (event === null || webhookEventNames.includes(event)) return event;
  throw invalidDisorder("event", `must be one of ${webhookEventNames.join(", ")}`);
}

export function invalidDisorder(param: string, problem: string): InvalidRequestError {
  return new InvalidRequestError(`${param} ${problem}.`, { code: "invalid_disorder", param });
}
