import type { Evidence } from "../../wire/openapi-prose.ts";
import type { Occasions } from "../faults/waiting-list.ts";

/** HTML that was made by `html`, so that everything from elsewhere in it is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: `false`, `null` and `undefined` leave nothing behind. */
type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Writes HTML. Whatever is put into it is escaped, for text and for attributes in double quotes, unless it
 * was made by `html` itself.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = literals.map((literal, index) => literal + textOf(parts[index]));
  return new Html(text.join(""));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === null || part === false) return "";
  if (typeof part === "object") return part.map(textOf).join("");
  return String(part).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Cents as people write them: `$1,234.50`. */
export function dollars(cents: number): string {
  return (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });
}

/** The status of a payment, a withdrawal or a webhook, in the colour of what it means. */
export function statusBadge(status: string): Html {
  const isGood = ["completed", "confirmed", "delivered"].includes(status);
  const isBad = ["failed", "expired", "cancelled"].includes(status);
  return badge(isGood ? "good" : isBad ? "bad" : "open", status);
}

export function badge(tone: "good" | "bad" | "open" | "warn", text: string | number): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

interface CommandButton {
  readonly name: string;
  /** What it is about, for those who hear the button without what stands around it. */
  readonly about?: string;
  /** Of the control API, after `/_sandbox/`. */
  readonly path: string;
  readonly body?: object;
  /** Whether the page adds the chosen pace as `steps`. */
  readonly isPlayed?: boolean;
  /** Asked before anything is done. */
  readonly question?: string;
  readonly tone?: "primary" | "danger";
}

/** A button that has the sandbox do something. Its id lets the focus stay on it when the page is renewed. */
export function commandButton(button: CommandButton): Html {
  const { name, about, path, body = {}, isPlayed = false, question, tone } = button;
  const json = JSON.stringify(body);
  const id = `${path} ${json}`.replace(/[^\w-]+/g, "-");
  return html`<button type="button" id="${id}" data-post="${path}" data-body="${json}" ${isPlayed && html`data-played`} ${question && html`data-confirm="${question}"`} ${tone && html`class="${tone}"`}>${name}${about && html`<span class="visually-hidden"> ${about}</span>`}</button>`;
}

interface StepButton {
  readonly path: string;
  readonly about: string;
  /** What the step leads to. */
  readonly next: string;
}

/** Takes the next step of a scenario that goes step by step. */
export function stepButton({ path, about, next }: StepButton): Html {
  const name = "Next step";
  return html`<div class="buttons">${commandButton({ name, about, path, tone: "primary" })}<span class="quiet">${next}</span></div>`;
}

/** A choice whose values are JSON, so that they can be of any type. */
export function jsonChoice(
  title: string,
  name: string,
  options: readonly (readonly [text: string, value: unknown])[],
): Html {
  return html`<label>${title}<select name="${name}" data-as="json" autocomplete="off">${options.map(([text, value]) => html`<option value="${JSON.stringify(value ?? null)}">${text}</option>`)}</select></label>`;
}

/** How often something is to happen; its fields become fields of what is sent. */
export const oftenOptions: readonly (readonly [string, object])[] = [
  ["once", { times: 1 }],
  ["3 times", { times: 3 }],
  ["always", { times: "always" }],
  ["half of the time", { probability: 0.5 }],
  ["one time in ten", { probability: 0.1 }],
];

/** `oftenOptions` of something that waits, in words. */
export function often({ times = 1, probability = 1 }: Occasions): string {
  const count = Number.isFinite(times) ? `${times} more` : "always";
  if (probability === 1) return count;
  const share = `${Math.round(probability * 1000) / 10} %`;
  return Number.isFinite(times) ? `${count}, ${share}` : share;
}

const paces = [
  ["at-once", "At once"],
  ["by-hand", "In steps"],
  ["on-clock", "By clock"],
] as const;

/** How what is played comes about; the page sends it along as `steps`. */
export function paceChoice(): Html {
  return html`<fieldset class="pace"><legend class="visually-hidden">How it comes about</legend><div class="segments">${paces.map(
    ([steps, name], index) =>
      html`<label><input type="radio" name="steps" value="${steps}" autocomplete="off" ${index === 0 && html`checked`}><span>${name}</span></label>`,
  )}</div></fieldset>`;
}

/** Something that a page shows, and how sure it is that the service does the same. */
export interface Belief {
  readonly text: string;
  readonly evidence: Evidence;
}

/** What the payment page rests on; docs/sandbox.md says the same. */
export const paymentPageBeliefs: readonly Belief[] = [
  { text: "A payment has a page at /payment/{paymentId}.", evidence: "documented" },
  { text: "Too little fails, too much completes, nothing expires.", evidence: "published" },
  { text: "A price holds for ten minutes.", evidence: "published" },
  { text: "Base Sepolia takes 10 confirmations.", evidence: "published" },
  { text: "A payment expires 15 minutes after its creation.", evidence: "assumed" },
  { text: "Money that comes late still completes the payment.", evidence: "assumed" },
  { text: "How the page looks, and that it returns to the shop by itself.", evidence: "assumed" },
];

/** @param evidence One of the three words, as the header has it. */
export function evidenceBadge(evidence: string): Html {
  return html`<span class="evidence ${evidence}">${evidence}</span>`;
}

/** Beliefs with their evidence, behind a title that opens them. */
export function beliefsList(title: string, beliefs: readonly Belief[]): Html {
  return html`<details class="beliefs"><summary>${title}</summary>
<ul>${beliefs.map(({ text, evidence }) => html`<li>${evidenceBadge(evidence)} ${text}</li>`)}</ul></details>`;
}
