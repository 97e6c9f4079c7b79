import { html } from "hono/html";
import type { Evidence } from "../../wire/openapi-prose.ts";
import type { Frequency } from "../faults/fault.ts";
import type { UpcomingPaymentStep } from "../service/payment-scenarios.ts";
import type { UpcomingWithdrawalStep } from "../service/withdrawal-scenarios.ts";

/** Escaped HTML, written by `html` of hono. */
export type Html = ReturnType<typeof html>;

/** Cents as `$1,234.50`. */
export function dollars(cents: number): string {
  return (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });
}

/** The status of a payment, a withdrawal or a webhook. */
export function statusBadge(status: string): Html {
  const isGood = ["completed", "confirmed", "delivered"].includes(status);
  const isBad = ["failed", "expired", "cancelled"].includes(status);
  return badge(isGood ? "good" : isBad ? "bad" : "open", status);
}

export function badge(tone: "good" | "bad" | "open" | "warn", text: string | number): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** @param evidence `documented`, `published` or `assumed`. */
export function evidenceBadge(evidence: Evidence | string): Html {
  return html`<span class="evidence ${evidence}">${evidence}</span>`;
}

interface CommandButton {
  readonly name: string;
  /** The object of the command, for screen readers. */
  readonly about?: string;
  /** Path in the control API, after `/_sandbox/`. */
  readonly path: string;
  readonly body?: object;
  /** Whether the page adds the chosen pace as `steps`. */
  readonly isPlayed?: boolean;
  /** Asks for confirmation first. */
  readonly question?: string;
  readonly tone?: "primary" | "danger";
  readonly isDisabled?: boolean;
  /** Id of a description. */
  readonly describedBy?: string;
}

export function commandButton(button: CommandButton): Html {
  const { name, about, path, body = {}, question, tone, describedBy } = button;
  const json = JSON.stringify(body);
  // Lets the focus stay on it when the page is refreshed.
  const id = `${path} ${json}`.replace(/[^\w-]+/g, "-");
  return html`<button type="button" id="${id}" data-post="${path}" data-body="${json}"${button.isPlayed && html` data-played`}${question && html` data-confirm="${question}"`}${tone && html` class="${tone}"`}${describedBy && html` aria-describedby="${describedBy}"`}${button.isDisabled && html` disabled`}>${name}${about && html`<span class="visually-hidden"> ${about}</span>`}</button>`;
}

/** The next step of a scenario in words: `processing, 1 confirmation, at 00:00:02`. */
export function stepText(step: UpcomingPaymentStep | UpcomingWithdrawalStep): string {
  const { status, confirmations, dueAt } = { confirmations: null, ...step };
  const count = confirmations === 1 ? "1 confirmation" : `${confirmations} confirmations`;
  const what = confirmations === null ? status : `${status}, ${count}`;
  return dueAt === null ? what : `${what}, at ${dueAt.slice(11, 19)}`;
}

const paces = [
  ["at-once", "At once"],
  ["by-hand", "In steps"],
  ["on-clock", "By clock"],
] as const;

/** Chooses the `steps` of scenarios that are played on the page. */
export function paceChoice(): Html {
  return html`<fieldset class="pace"><legend class="visually-hidden">Pace</legend><div class="segments">${paces.map(
    ([value, text]) =>
      html`<label><input type="radio" name="steps" value="${value}" autocomplete="off"${value === "at-once" && html` checked`}><span>${text}</span></label>`,
  )}</div></fieldset>`;
}

/** A choice whose values are JSON, so that they can have any type. */
export function jsonChoice(
  title: string,
  name: string,
  options: readonly (readonly [text: string, value: unknown])[],
): Html {
  return html`<label>${title}<select name="${name}" data-as="json" autocomplete="off">${options.map(([text, value]) => html`<option value="${JSON.stringify(value ?? null)}">${text}</option>`)}</select></label>`;
}

/** Chooses how often something happens; the fields of a value become fields of the request. */
export const frequencies: readonly (readonly [string, object])[] = [
  ["once", { times: 1 }],
  ["3 times", { times: 3 }],
  ["always", { times: "always" }],
  ["half of the time", { probability: 0.5 }],
  ["one time in ten", { probability: 0.1 }],
];

/** How often something will still happen, in words. */
export function frequencyText({ times = 1, probability = 1 }: Frequency): string {
  const count = Number.isFinite(times) ? `${times} more` : "always";
  if (probability === 1) return count;
  const share = `${Math.round(probability * 1000) / 10} %`;
  return Number.isFinite(times) ? `${count}, ${share}` : share;
}
