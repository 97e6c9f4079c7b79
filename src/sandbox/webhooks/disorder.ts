import { type Duration, durationInMs } from "../../duration.ts";
import { invalidArgument } from "../../values.ts";
import type { WebhookEvents } from "../../wire/webhook-event.ts";
import { checkName, endOfTimeMs } from "../checks.ts";
import type { Frequency } from "../faults/fault.ts";
import type { WebhookMessage } from "./endpoint.ts";

/**
 * A way to disturb the delivery of a webhook:
 *
 * - `duplicate`: it arrives twice, byte for byte.
 * - `reorder`: it is held back until the next webhook of its payment or withdrawal has been sent.
 * - `delay`: it is sent late; others overtake it.
 * - `tamper`: one character of its body, signature or timestamp is changed.
 * - `stale-timestamp`: its signature is valid, but its timestamp is too old.
 * - `wrong-secret`: it is signed with another secret.
 *
 * A receiver must end up in the same state after the first three, and respond with 401 to the others.
 */
export type DisorderKind =
  | "duplicate"
  | "reorder"
  | "delay"
  | "tamper"
  | "stale-timestamp"
  | "wrong-secret";

/** Each kind with its default of `by`, in milliseconds; 0 if it has none. */
const defaultByMs: Readonly<Record<DisorderKind, number>> = {
  duplicate: 0,
  reorder: 60_000,
  delay: 60_000,
  tamper: 0,
  "stale-timestamp": 600_000,
  "wrong-secret": 0,
};

export const disorderKinds = Object.keys(defaultByMs) as readonly DisorderKind[];

/** Which of the sandbox's webhooks a disorder affects, and by how much. */
export interface DisorderOptions extends Frequency {
  /** Such as `payment.updated`. @defaultValue every event */
  readonly event?: keyof WebhookEvents | undefined;
  /**
   * How late a `delay` is (default 1 minute), how long a `reorder` waits at most for another webhook (1 minute), or how
   * old a `stale-timestamp` is (10 minutes).
   */
  readonly by?: Duration | undefined;
}

/** Disorder that is waiting for webhooks. */
export interface WaitingDisorder extends Required<Frequency> {
  readonly kind: DisorderKind;
  /** Null for every event. */
  readonly event: keyof WebhookEvents | null;
  /** `by` in milliseconds; 0 for kinds without it. */
  readonly byMs: number;
}

/** Disorder of one delivery. */
export interface Disorder extends Pick<WaitingDisorder, "kind" | "byMs"> {}

/** @throws {InvalidRequestError} code `unknown_disorder`, `invalid_disorder` or `invalid_duration`. */
export function disorderOf(kind: DisorderKind, by?: Duration): Disorder {
  checkName("kind", kind, disorderKinds, "unknown_disorder", "disorder");
  if (by === undefined) return { kind, byMs: defaultByMs[kind] };
  const invalid = (problem: string) => invalidArgument("by", `by ${problem}`, "invalid_disorder");
  if (defaultByMs[kind] === 0) throw invalid(`does not apply to ${kind}. Leave it out.`);
  const byMs = durationInMs(by);
  if (byMs > endOfTimeMs) throw invalid("goes beyond the year 5138. Pass a shorter time.");
  return { kind, byMs };
}

/** The secret that signs `wrong-secret` webhooks. */
export const anotherSecret = "whsec_of_another_merchant";

export type WebhookParts = Pick<WebhookMessage, "body" | "headers">;

/** A webhook with one character changed, in a part chosen at random. */
export function tamperedWebhook(webhook: WebhookParts, random: () => number) {
  const { body, headers } = webhook;
  const parts = ["body", "signature", "timestamp"] as const;
  const tampered = parts[Math.floor(random() * parts.length)] ?? "body";
  const name = tampered === "body" ? undefined : headerName(webhook, tampered);
  if (name === undefined) {
    return { body: altered(body, random), headers, tampered: "body" } as const;
  }
  return { body, headers: { ...headers, [name]: altered(headers[name] ?? "", random) }, tampered };
}

/** With any prefix, in any case. */
export function headerName(
  { headers }: Pick<WebhookParts, "headers">,
  end: string,
): string | undefined {
  return Object.keys(headers).find((name) => name.toLowerCase().endsWith(`-${end}`));
}

/** The text with one character replaced by a different digit, which changes the meaning anywhere. */
function altered(text: string, random: () => number): string {
  const characters = [...text];
  const position = Math.floor(random() * characters.length);
  characters[position] = characters[position] === "0" ? "1" : "0";
  return characters.join("");
}
