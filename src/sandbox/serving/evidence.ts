import { type Evidence, operationProse } from "../../wire/openapi-prose.ts";
import { type OperationId, operationTable } from "../../wire/operations.ts";

/** Says of each answer how sure it is that the service gives it: see docs/wire.md. */
export const evidenceHeader = "X-Sandbox-Evidence";

const byOperation: ReadonlyMap<string, Evidence> = new Map(
  Object.entries(operationTable).map(([id, { name }]) => {
    return [name, operationProse[id as OperationId].evidence];
  }),
);

/** Of an operation's success: that there is the operation. What its answer is made of, the ledger says. */
export function operationEvidence(name: string): Evidence {
  return byOperation.get(name) ?? "assumed";
}

/** By status and code (interface section 7); docs/sandbox.md lists them all. */
const byError: ReadonlyMap<string, Evidence> = new Map([
  ["400 invalid_request", "documented"],
  ["400 invalid_amount", "documented"],
  ["400 payment_not_pending", "published"],
  ["401 invalid_api_key", "documented"],
  ["409 idempotency_conflict", "documented"],
  ["422 invalid_amount", "documented"],
  ["429 rate_limited", "documented"],
  ["500 server_error", "documented"],
]);

/** Of an error: that the service refuses such a request with this status and code. */
export function errorEvidence(status: number, code: string): Evidence {
  return byError.get(`${status} ${code}`) ?? "assumed";
}
