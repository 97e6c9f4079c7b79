import { webhookEventNames } from "../../wire/webhook-event.ts";
import type { Fault } from "../faults/fault.ts";
import type { SandboxFaults, WaitingFault } from "../faults/faults.ts";
import type { RateLimit } from "../faults/rate-limit.ts";
import { type DisorderKind, disorderKinds, type WaitingDisorder } from "../webhooks/disorder.ts";
import {
  badge,
  commandButton,
  type Html,
  html,
  jsonChoice,
  often,
  oftenOptions,
} from "./components.ts";

/** What the form offers; the control API takes any other fault too. */
const offered: readonly (readonly [name: string, fault: Fault])[] = [
  ["503, before any effect", { status: 503, when: "before" }],
  ["503, but it took effect", { status: 503, when: "after" }],
  ["429, come back in 2 s", { status: 429, when: "before", retryAfter: 2 }],
  ["connection reset, before any effect", { connection: "reset", when: "before" }],
  ["connection reset, but it took effect", { connection: "reset", when: "after" }],
  ["half an answer", { connection: "truncated" }],
  ["2 seconds late", { latencyMs: 2_000, when: "after" }],
];

const offeredRoutes = [
  ["any", "*"],
  ["POST /payments", "POST /payments"],
  ["GET /payments", "GET /payments"],
  ["POST /withdrawals", "POST /withdrawals"],
  ["GET /withdrawals", "GET /withdrawals"],
] as const;

/** What goes wrong with requests. */
export function faultPanel(faults: Pick<SandboxFaults, "waiting" | "limit">): Html {
  const limit = faults.limit();
  return html`<section class="panel" aria-labelledby="faults-title"><h2 id="faults-title">Faults</h2>
<ul class="cards" data-live="faults" aria-label="Waiting faults">${limit && limitCard(limit)}${faults.waiting().map(faultCard)}</ul>
<details class="form"><summary>Add a fault</summary>
<form data-post="faults">
${jsonChoice("Requests", "route", offeredRoutes)}
${jsonChoice("What goes wrong", "fault", offered)}
${jsonChoice("How often", "...often", oftenOptions)}
<div class="buttons"><button class="primary">Add fault</button>${commandButton({ name: "Clear all", about: "faults", path: "faults/clear" })}</div>
</form></details></section>`;
}

function limitCard({ requestsPerSecond, retryAfterSeconds }: Required<RateLimit>): Html {
  return html`<li id="rate-limit" class="small-card"><p class="head"><code>*</code>${badge("bad", "always")}</p><p class="quiet">answers 429 to what is over ${requestsPerSecond} a second, come back in ${retryAfterSeconds} s</p></li>`;
}

function faultCard({ route, fault, ...occasions }: WaitingFault, index: number): Html {
  return html`<li id="fault-${index}" class="small-card"><p class="head"><code>${route}</code>${badge("bad", often(occasions))}</p><p class="quiet">${faultText(fault)}</p></li>`;
}

function faultText(fault: Fault): string {
  if ("status" in fault) return `answers ${fault.status} ${fault.when} the effect`;
  if ("latencyMs" in fault) return `${fault.latencyMs} ms late, ${fault.when} the effect`;
  if (fault.connection === "truncated") return "half an answer";
  return fault.when === "mid-answer" ? "reset in the answer" : `reset ${fault.when} the effect`;
}

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
