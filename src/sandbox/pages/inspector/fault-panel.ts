import type { Fault } from "../../faults/fault.ts";
import type { SandboxFaults, WaitingFault } from "../../faults/faults.ts";
import type { RateLimit } from "../../faults/rate-limit.ts";
import { commandButton } from "../command-button.ts";
import { jsonChoice, often, oftenOptions } from "../form-parts.ts";
import { type Html, html } from "../html.ts";
import { badge } from "../status-badge.ts";

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
