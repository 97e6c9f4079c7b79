import { operationProse } from "../../../wire/openapi-prose.ts";
import { type OperationId, operationTable } from "../../../wire/operations.ts";
import { evidenceHeader } from "../../serving/evidence.ts";
import { operationPaths } from "../../serving/operation-paths.ts";
import type { ReceivedRequest } from "../../timeline/request-log.ts";
import { evidenceBadge } from "../beliefs.ts";
import { type Html, html } from "../html.ts";

const known = Object.entries(operationTable).map(([id, operation]) => {
  return { operation, prose: operationProse[id as OperationId] };
});
const paths = operationPaths(known);

/** What a request asked for, and how sure it is that the service answers so. */
export function evidenceNote({ method, path, answer }: ReceivedRequest): Html {
  const [pathname = ""] = path.split("?");
  const found = paths.find(method, pathname);
  const evidence = answer?.headers[evidenceHeader.toLowerCase()];
  const answered = evidence && html` The answer is ${evidenceBadge(evidence)}.`;
  if (found === undefined)
    return html`<p class="quiet">The service has no such route.${answered}</p>`;
  const { summary, description, evidence: expected } = found.item.prose;
  return html`<p class="quiet">${evidenceBadge(expected)} <strong>${summary}.</strong> ${description}${evidence !== expected && answered}</p>`;
}

/** Every operation with its evidence. */
export function operationList(): Html {
  return html`<ul>${known.map(
    ({ operation: { method, path }, prose }) =>
      html`<li>${evidenceBadge(prose.evidence)} <code>${method} ${path}</code></li>`,
  )}</ul>`;
}
