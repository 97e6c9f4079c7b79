import { type Evidence, operationProse } from "../../wire/openapi-prose.ts";
import { type OperationId, operationTable } from "../../wire/operation-table.ts";
import { evidenceHeader } from "../serving/evidence.ts";
import type { ReceivedRequest } from "../timeline/request-log.ts";
import { evidenceBadge } from "./beliefs.ts";
import { type Html, html } from "./html.ts";

interface KnownOperation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly evidence: Evidence;
  readonly pattern: RegExp;
}

const known: readonly KnownOperation[] = Object.entries(operationTable).map(
  ([name, { method, path }]) => {
    const prose = operationProse[name as OperationId];
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}(?:\\?|$)`);
    return { method, path, pattern, ...prose };
  },
);

/** What a request asked for, and how sure it is that the service answers so. */
export function evidenceNote({ method, path, answer }: ReceivedRequest): Html {
  const operation = known.find((it) => it.method === method && it.pattern.test(path));
  const evidence = answer?.headers[evidenceHeader.toLowerCase()];
  const answered = evidence && html` The answer is ${evidenceBadge(evidence)}.`;
  if (operation === undefined)
    return html`<p class="quiet">The service has no such route.${answered}</p>`;
  const { summary, description } = operation;
  return html`<p class="quiet">${evidenceBadge(operation.evidence)} <strong>${summary}.</strong> ${description}${evidence !== operation.evidence && answered}</p>`;
}

/** Every operation with its evidence. */
export function operationList(): Html {
  return html`<ul>${known.map(
    ({ method, path, evidence }) =>
      html`<li>${evidenceBadge(evidence)} <code>${method} ${path}</code></li>`,
  )}</ul>`;
}
