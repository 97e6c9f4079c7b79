import type { Context, Hono, HonoRequest, MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import type { ContentfulStatusCode, StatusCode } from "hono/utils/http-status";
import { NotFoundError, SettlekitError } from "../../errors.ts";
import type { Evidence, Operation } from "../../wire/operation.ts";
import { documentedOperations } from "../../wire/operations.ts";
import type { PageBody, PageQuery } from "../../wire/pagination.ts";
import type { Connection } from "../connection.ts";
import type { SandboxMerchant } from "./merchants.ts";

/** The environment of the sandbox's hono apps: the connection, and variables that middleware sets. */
export interface ServiceEnv {
  readonly Bindings: Connection;
  readonly Variables: {
    requestId: string;
    /** The request's body; undefined if it was too large to read. */
    body: string | undefined;
    /** The merchant that the request is about. */
    merchant: SandboxMerchant;
    /** The query as its schema returns it. */
    query: unknown;
    /** The body as sent; empty if the operation takes none. */
    json: Record<string, unknown>;
    /** The response body, for the log. */
    answer: string;
  };
}

export type Middleware = MiddlewareHandler<ServiceEnv>;

/** The content of an error response (interface section 7). */
interface RefusalFacts {
  readonly code: string;
  readonly message: string;
  /** The field at fault, if any. */
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Thrown to reject a request; sent as a response with the error envelope. */
export class Refusal extends Error {
  readonly status: number;
  readonly facts: RefusalFacts;

  constructor(status: number, facts: RefusalFacts) {
    super(facts.message);
    this.name = "Refusal";
    this.status = status;
    this.facts = facts;
  }
}

/** @throws {Refusal} 404 when there is no value. */
export function found<Value>(
  kind: "payment" | "withdrawal" | "chain" | "token",
  value: Value | undefined,
): Value {
  if (value !== undefined) return value;
  const message = `There is no ${kind} with this id.`;
  throw new Refusal(404, { code: "not_found", message });
}

export function pageOf<Value>(
  values: readonly Value[],
  { limit = 100, offset = 0 }: PageQuery,
): PageBody<Value> {
  const total = values.length;
  return {
    data: values.slice(offset, offset + limit),
    pagination: {
      total,
      limit,
      offset,
      hasMore: offset + limit < total,
      totalPages: Math.ceil(total / limit),
      currentPage: Math.floor(offset / limit) + 1,
    },
  };
}

/** Responds with text as it is, or with a value as JSON; without a body if the status allows none. */
export function respond(
  c: Context<ServiceEnv>,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const [type, text] =
    typeof value === "string" ? ["text/plain", value] : [jsonType, JSON.stringify(value)];
  const hasBody = ![204, 205, 304].includes(status);
  c.set("answer", hasBody ? text : "");
  if (!hasBody) return c.body(null, status as StatusCode, headers);
  return c.body(text, status as ContentfulStatusCode, { "Content-Type": type, ...headers });
}

const jsonType = "application/json";

/** @param json The response body, which the idempotency store keeps as text. */
export function answerOperation(
  c: Context<ServiceEnv>,
  { name, successStatus = 200 }: Operation<unknown>,
  json: string,
): Response {
  const evidence = { [evidenceHeader]: operationEvidence(name) };
  return respond(c, successStatus, json, { "Content-Type": jsonType, ...evidence });
}

/** Responds with the documented envelope: `{ error: { type, message, code, param? } }`. */
export function answerRefusal(
  c: Context<ServiceEnv>,
  status: number,
  { code, message, param, headers }: RefusalFacts,
): Response {
  const refusal = status === 401 ? "authentication_error" : "invalid_request_error";
  const error = { type: status >= 500 ? "api_error" : refusal, message, code, param };
  const evidence = { [evidenceHeader]: errorEvidence(status, code) };
  return respond(c, status, { error }, { ...evidence, ...headers });
}

/** Whether a browser is opening the address. */
export function wantsPage(req: HonoRequest): boolean {
  return req.header("Accept")?.includes("text/html") === true;
}

/**
 * Rejects requests that no route serves: with 405 if the path has other methods, else with 404 and a hint, or the page
 * for browsers.
 */
export function refuseOthers(
  app: Hono<ServiceEnv>,
  hint: string,
  page?: () => Promise<Response>,
): void {
  const onMethodNotAllowed = (c: Context<ServiceEnv>, methods: string[]) => {
    const { method, path } = c.req;
    const allowed = methods.join(", ");
    const message = `This is the settlekit sandbox. It serves ${path} with ${allowed}, not with ${method}.`;
    const headers = { Allow: allowed };
    return answerRefusal(c, 405, { code: "method_not_allowed", message, headers });
  };
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.notFound((c) => {
    if (page && wantsPage(c.req)) return page();
    const { method, path } = c.req;
    const message = `This is the settlekit sandbox. It has no route ${method} ${path}; ${hint}.`;
    return answerRefusal(c, 404, { code: "unknown_route", message });
  });
}

export function answerError(error: Error, c: Context<ServiceEnv>): Response {
  if (error instanceof Refusal) return answerRefusal(c, error.status, error.facts);
  const isOurs = SettlekitError.is(error);
  // settlekit's own checks rejected a value, such as an address with a wrong checksum.
  if (isOurs && error.code !== "cannot_write_data") {
    return answerRefusal(c, NotFoundError.is(error) ? 404 : 422, error);
  }
  const blame = isOurs ? "" : " because of a bug in settlekit";
  return answerRefusal(c, 500, {
    code: "server_error",
    message: `The settlekit sandbox failed${blame}: ${error.message}`,
  });
}

/** The evidence that the service responds this way: see docs/wire.md. */
export const evidenceHeader = "X-Sandbox-Evidence";

const documented = new Set(documentedOperations.map(({ name }) => name));

/** The evidence for an operation. docs/wire.md has it for each field of the response. */
export function operationEvidence(name: string): Evidence {
  return documented.has(name) ? "documented" : "published";
}

/** By status and code (interface section 7); docs/sandbox-reference.md lists them all. */
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
