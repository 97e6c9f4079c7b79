import { webhookEventNames } from "../../../wire/webhook-event.ts";
import { type DisorderKind, disorderKinds, type WaitingDisorder } from "../../webhooks/disorder.ts";
import { commandButton } from "../command-button.ts";
import { jsonChoice, often, oftenOptions } from "../form-parts.ts";
import { type Html, html } from "../html.ts";
import { badge } from "../status-badge.ts";

const words: Readonly<Record<DisorderKind, string>> = {
  duplicate: "twice",
  reorder: "after the next one",
  delay: "a minute late",
  tamper: "tampered with",
  "stale-timestamp": "with an old timestamp",
  "wrong-secret": "with another secret",
};

/** What goes wrong with webhooks. */
export function disorderPanel(waiting: readonly WaitingDisorder[]): Html {
  return html`<section class="panel" aria-labelledby="disorder-title"><h2 id="disorder-title">Webhooks going wrong</h2>
<ul class="cards" data-live="disorders" aria-label="Disorder that waits for webhooks">${waiting.map(disorderCard)}</ul>
<details class="form"><summary>Add disorder</summary>
<form data-post="disorders">
${jsonChoice(
  "The next webhook comes",
  "kind",
  disorderKinds.map((kind) => [words[kind], kind]),
)}
${jsonChoice("Event", "event", [["any", undefined], ...webhookEventNames.map((event) => [event, event] as const)])}
${jsonChoice("How often", "...often", oftenOptions)}
<div class="buttons"><button class="primary">Add disorder</button>${commandButton({ name: "Clear all", about: "disorder", path: "disorders/clear" })}</div>
</form></details></section>`;
}

function disorderCard({ kind, event, ...occasions }: WaitingDisorder, index: number): Html {
  return html`<li id="disorder-${index}" class="small-card"><p class="head"><code>${event ?? "any event"}</code>${badge("warn", often(occasions))}</p><p class="quiet">comes ${words[kind]}</p></li>`;
}

/** Sends a webhook again, as it should be or with something wrong. */
export function redeliveryButtons(deliveryId: string): Html {
  const path = `deliveries/${deliveryId}/replay`;
  return html`<div class="buttons" role="group" aria-label="Send again">${commandButton({ name: "Send again", path, tone: "primary" })}${disorderKinds.map(
    (disorder) =>
      commandButton({ name: words[disorder], about: "again", path, body: { disorder } }),
  )}</div>`;
}
