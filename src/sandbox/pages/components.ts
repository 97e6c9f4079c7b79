import { html } from "hono/html";
import type { Core } from "../core.ts";
import type { Fault } from "../faults/fault.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Payments } from "../service/payments.ts";
import type { UpcomingStep } from "../service/scenarios.ts";
import type { Withdrawals } from "../service/withdrawals.ts";

/** Escaped HTML from hono's `html`. */
export type Html = ReturnType<typeof html>;

/** The parts of a sandbox that its pages show. */
export interface PagesOptions extends Pick<Core, "events"> {
  readonly sandbox: Sandbox;
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;
}

/** @param asset The name of the page's script and style sheet. */
export async function pageAnswer(
  asset: "payment" | "inspector",
  title: string,
  body: Html,
  status = 200,
): Promise<Response> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/_sandbox/assets/${asset}.css">
<script type="module" src="/_sandbox/assets/${asset}.js"></script>
</head>
<body>
<form id="commands"></form>
${body}
</body>
</html>
`;
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  return new Response(String(page), { status, headers });
}

const missing = html`<main class="entry-page">
<h1>Page not found</h1>
<p>There is no such page, or its event was dropped to save memory. <a href="/_sandbox">Open the inspector</a></p>
</main>`;

export function missingPage(): Promise<Response> {
  return pageAnswer("inspector", "Page not found", missing, 404);
}

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

export function evidenceBadge(evidence: string): Html {
  return html`<span class="evidence ${evidence}">${evidence}</span>`;
}

export const primary = html` class="primary"`;

/**
 * A button of the page's form `commands`.
 *
 * @param path In the control API, after `/_sandbox/`.
 * @param options `about` completes the name for screen readers; `attributes` are more of them, such as ` disabled`.
 */
export function commandButton(
  name: string,
  path: string,
  options: { readonly about?: string; readonly body?: object; readonly attributes?: Html },
): Html {
  const { about, body = {}, attributes } = options;
  const json = JSON.stringify(body);
  // A stable id keeps the focus on the button when the page refreshes.
  const id = `${path} ${json}`.replace(/[^\w-]+/g, "-");
  return html`<button form="commands" id="${id}" data-post="${path}" data-body="${json}"${attributes}>${name}${about && html`<span class="visually-hidden"> ${about}</span>`}</button>`;
}

/** A scenario's next step in words: `processing, 1 confirmation, at 00:00:02`. */
export function stepText({ status, confirmations, dueAt }: UpcomingStep<string>): string {
  const count = confirmations === 1 ? "1 confirmation" : `${confirmations} confirmations`;
  const what = confirmations === null ? status : `${status}, ${count}`;
  return dueAt === null ? what : `${what}, at ${dueAt.slice(11, 19)}`;
}

/** A fault in words, such as `503, but it took effect`. */
export function faultText(fault: Fault): string {
  if (fault.connection === "truncated") return "response cut off halfway";
  if (fault.when === "mid-answer") return "connection reset during the response";
  const isBefore = fault.when === "before";
  const effect = isBefore ? "before any effect" : "but it took effect";
  if (fault.connection === "reset") return `connection reset, ${effect}`;
  const late = fault.latencyMs ? ` ${fault.latencyMs / 1_000} s late` : "";
  if (!("status" in fault)) return `${isBefore ? "effect" : "response"}${late}`;
  const retry = fault.retryAfter === undefined ? "" : `, Retry-After: ${fault.retryAfter}`;
  return `${fault.status}${late}, ${effect}${retry}`;
}

const paces = { "at-once": "At once", "by-hand": "In steps", "on-clock": "On a timer" };

/** Selects the `steps` option for scenarios played on the page. */
export function paceChoice(legend: string): Html {
  const choices = Object.entries(paces).map(
    ([value, text]) =>
      html`<label><input type="radio" name="steps" value="${value}" autocomplete="off"${value === "at-once" && html` checked`}><span>${text}</span></label>`,
  );
  return html`<fieldset class="pace"><legend>${legend}</legend><div class="segments">${choices}</div></fieldset>`;
}

/** A customer's scenarios, in the order in which pages show them, with their names and effects. */
export const customerScenarios = [
  ["success", "Pay in full", "The payment completes."],
  ["underpayment", "Pay too little", "90% of the amount arrives; the payment fails."],
  ["overpayment", "Pay too much", "110% of the amount arrives; the payment completes."],
  ["late", "Pay late", "The payment expires, then the money arrives."],
  ["timeout", "Let it expire", "No money arrives; the payment expires."],
] as const;

/** The name of any scenario, such as `Partial refund`. */
export function nameOf(scenario: string): string {
  const [, name] = customerScenarios.find(([known]) => known === scenario) ?? [];
  return name ?? (scenario[0] ?? "").toUpperCase() + scenario.slice(1).replace("-", " ");
}

/** An option of a `jsonChoice`: a text that is also the value, or a text with a separate value. */
export type Choice = string | readonly [text: string, value: unknown];

/** A `<select>` whose values are JSON, so that they can have any type. */
export function jsonChoice(title: string, name: string, choices: readonly Choice[]): Html {
  const options = choices.map((choice) => {
    const [text, value] = typeof choice === "string" ? [choice, choice] : choice;
    return html`<option value="${JSON.stringify(value ?? null)}">${text}</option>`;
  });
  return html`<label>${title}<select name="${name}" data-as="json" autocomplete="off">${options}</select></label>`;
}
