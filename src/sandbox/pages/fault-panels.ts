import { html } from "hono/html";
import { webhookEventNames } from "../../wire/webhook-event.ts";
import type { Fault } from "../faults/fault.ts";
import type { SandboxFaults } from "../faults/faults.ts";
import { type DisorderKind, disorderKinds, type WaitingDisorder } from "../webhooks/disorder.ts";
import {
  badge,
  commandButton,
  frequencies,
  frequencyText,
  type Html,
  jsonChoice,
} from "./components.ts";

/** The faults in the form; the control API takes any other fault, too. */
const offeredFaults: readonly (readonly [name: string, fault: Fault])[] = [
  ["503, before any effect", { status: 503, when: "before" }],
  ["503, but it took effect", { status: 503, when: "after" }],
  ["429, retry after 2 s", { status: 429, when: "before", retryAfter: 2 }],
  ["connection reset, before any effect", { connection: "reset", when: "before" }],
  ["connection reset, but it took effect", { connection: "reset", when: "after" }],
  ["half an answer", { connection: "truncated" }],
  ["2 seconds late", { latencyMs: 2_000, when: "after" }],
];

const offeredRoutes = [
  ["any", "*"],
  ...["POST /payments", "GET /payments", "POST /withdrawals", "GET /withdrawals"].map(
    (route) => [route, route] as const,
  ),
] as const;

export function faultPanel(faults: Pick<SandboxFaults, "waiting" | "limit">): Html {
  const limit = faults.limit();
  const limitCard =
    limit &&
    card(
      "rate-limit",
      "*",
      badge("bad", "always"),
      `answers 429 above ${limit.requestsPerSecond} requests a second, retry after ${limit.retryAfterSeconds} s`,
    );
  const cards = faults
    .waiting()
    .map(({ route, fault, ...often }, index) =>
      card(`fault-${index}`, route, badge("bad", frequencyText(often)), faultText(fault)),
    );
  return html`<section class="panel" aria-labelledby="faults-title"><h2 id="faults-title">Faults</h2>
<ul class="cards" data-live="faults" aria-label="Waiting faults">${limitCard}${cards}</ul>
<details class="form"><summary>Add a fault</summary>
<form data-post="faults">
${jsonChoice("Requests", "route", offeredRoutes)}
${jsonChoice("What goes wrong", "fault", offeredFaults)}
${jsonChoice("How often", "...often", frequencies)}
<div class="buttons"><button class="primary">Add fault</button>${commandButton({ name: "Clear all", about: "faults", path: "faults/clear" })}</div>
</form></details></section>`;
}

function faultText(fault: Fault): string {
  if ("status" in fault) return `answers ${fault.status} ${fault.when} the effect`;
  if ("latencyMs" in fault) return `${fault.latencyMs} ms late, ${fault.when} the effect`;
  if (fault.connection === "truncated") return "half an answer";
  return fault.when === "mid-answer" ? "reset during the answer" : `reset ${fault.when} the effect`;
}

const disorderTexts: Readonly<Record<DisorderKind, string>> = {
  duplicate: "twice",
  reorder: "after the next one",
  delay: "a minute late",
  tamper: "tampered with",
  "stale-timestamp": "with an old timestamp",
  "wrong-secret": "with another secret",
};

export function disorderPanel(waiting: readonly WaitingDisorder[]): Html {
  const cards = waiting.map(({ kind, event, ...often }, index) =>
    card(
      `disorder-${index}`,
      event ?? "any event",
      badge("warn", frequencyText(often)),
      `arrives ${disorderTexts[kind]}`,
    ),
  );
  const kinds = disorderKinds.map((kind) => [disorderTexts[kind], kind] as const);
  const events = webhookEventNames.map((event) => [event, event] as const);
  return html`<section class="panel" aria-labelledby="disorder-title"><h2 id="disorder-title">Webhook disorder</h2>
<ul class="cards" data-live="disorders" aria-label="Waiting disorder">${cards}</ul>
<details class="form"><summary>Add disorder</summary>
<form data-post="disorders">
${jsonChoice("The next webhook arrives", "kind", kinds)}
${jsonChoice("Event", "event", [["any", undefined], ...events])}
${jsonChoice("How often", "...often", frequencies)}
<div class="buttons"><button class="primary">Add disorder</button>${commandButton({ name: "Clear all", about: "disorder", path: "disorders/clear" })}</div>
</form></details></section>`;
}

function card(id: string, subject: string, often: Html, text: string): Html {
  return html`<li id="${id}" class="small-card"><p class="head"><code>${subject}</code>${often}</p><p class="quiet">${text}</p></li>`;
}

/** Sends a webhook again, unchanged or with disorder. */
export function redeliveryButtons(deliveryId: string): Html {
  const path = `deliveries/${deliveryId}/replay`;
  return html`<div class="buttons" role="group" aria-label="Send again">${commandButton({ name: "Send again", path, tone: "primary" })}${disorderKinds.map(
    (disorder) =>
      commandButton({ name: disorderTexts[disorder], about: "again", path, body: { disorder } }),
  )}</div>`;
}
