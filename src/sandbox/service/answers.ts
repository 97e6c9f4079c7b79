import type { Context } from "hono";
import type { ContentfulStatusCode, StatusCode } from "hono/utils/http-status";
import { SettlekitError } from "../../errors.ts";
import { type Evidence, operationProse } from "../../wire/openapi-prose.ts";
import { type OperationId, operationTable } from "../../wire/operations.ts";
import type { Connection } from "../connection.ts";

/** The environment of the sandbox's hono apps: the connection, and variables that middleware sets. */
export interface ServiceEnv {
  readonly Bindings: Connection;
  readonly Variables: {
    requestId: string;
    /** The request's body; undefined when it was too large to be read. */
    body: string | undefined;
    /** The answer's body, for the log. */
    answer: string;
  };
}

/** The content of an error answer (interface section 7). */
export interface RefusalFacts {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The field at fault; left out when the error is about no field. */
  readonly param?: string;
  readonly type?: "invalid_request_error" | "authentication_error" | "api_error";
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown to refuse a request; answered with the error envelope. */
export class Refusal extends Error {
  readonly facts: RefusalFacts;

  constructor(facts: RefusalFacts) {
    super(facts.message);
    this.name = "Refusal";
    this.facts = facts;
  }
}

export function invalidRequest(
  status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 422,
  facts: Pick<RefusalFacts, "code" | "message" | "param" | "headers">,
): Refusal {
  return new Refusal({ ...facts, status, type: "invalid_request_error" });
}

export function notFound(kind: "payment" | "withdrawal" | "chain" | "token"): Refusal {
  return invalidRequest(404, {
    code: "not_found",
    message: `There is no ${kind} with this id. It may belong to another merchant or environment.`,
  });
}

export function answerJson(
  c: Context<ServiceEnv>,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return answerText(c, status, JSON.stringify(value), {
    "Content-Type": "application/json",
    ...headers,
  });
}

/** Answers with text, which is dropped where the status allows no body. */
export function answerText(
  c: Context<ServiceEnv>,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const hasBody = ![204, 205, 304].includes(status);
  c.set("answer", hasBody ? text : "");
  if (hasBody) return c.body(text, status as ContentfulStatusCode, headers);
  const { "Content-Type": _, ...others } = headers;
  return c.body(null, status as StatusCode, others);
}

/** Answers with the documented envelope: `{ error: { type, message, code, param? } }`. */
export function answerRefusal(c: Context<ServiceEnv>, facts: RefusalFacts): Response {
  const { status, type = "invalid_request_error", message, code, param, headers } = facts;
  const error = { type, message, code, ...(param === undefined ? {} : { param }) };
  const evidence = { [evidenceHeader]: errorEvidence(status, code) };
  return answerJson(c, status, { error }, { ...evidence, ...headers });
}

export function answerError(error: unknown, c: Context<ServiceEnv>): Response {
  if (error instanceof Refusal) return answerRefusal(c, error.facts);
  const reason = error instanceof Error ? error.message : String(error);
  const blame = SettlekitError.is(error) ? "" : ", which is a bug in settlekit";
  return answerRefusal(c, {
    status: 500,
    type: "api_error",
    code: "server_error",
    message: `The settlekit sandbox failed${blame}: ${reason}`,
  });
}

/** The evidence that the service answers so: see docs/wire.md. */
export const evidenceHeader = "X-Sandbox-Evidence";

const byOperation: ReadonlyMap<string, Evidence> = new Map(
  Object.entries(operationTable).map(([id, { name }]) => {
    return [name, operationProse[id as OperationId].evidence];
  }),
);

/** The evidence for an operation. The ledger has it for each field of its answer. */
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

export function errorEvidence(status: number, code: string): Evidence {
  return byError.get(`${status} ${code}`) ?? "assumed";
}
