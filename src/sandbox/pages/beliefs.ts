import type { Evidence } from "../../wire/openapi-prose.ts";
import { type Html, html } from "./html.ts";

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
