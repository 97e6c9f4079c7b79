import type { Context, Hono } from "hono";
import { idempotencyKeyHeader } from "../../wire/credential.ts";
import type { Operation, Replay } from "../../wire/operation.ts";
import {
  answerJson,
  evidenceHeader,
  invalidRequest,
  operationEvidence,
  type ServiceEnv,
} from "./answers.ts";
import type { Authenticate, PathValues } from "./authentication.ts";
import type { IdempotencyStore, Repetition } from "./idempotency.ts";
import type { Merchant } from "./merchants.ts";
import { checked, parseObject, parseQuery } from "./validation.ts";

/** A request that passed its operation's checks. */
export interface Call<Body = unknown, Query = unknown> {
  /** Where the sandbox was reached, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** The holder of the credential, or of the payment whose secret it is. */
  readonly merchant: Merchant;
  /** The values of the path's placeholders, decoded. */
  readonly path: PathValues;
  readonly query: Query;
  readonly body: Body;
}

/** An operation and what the sandbox does for it. */
export interface Route {
  readonly operation: Operation<unknown>;
  /**
   * Gives the answer's body, or throws a `Refusal`. Synchronous, so that a request takes effect as a whole before
   * another one is looked at.
   */
  readonly handle: (call: Call) => unknown;
  readonly prepareBody: PrepareBody;
}

/** Removes the fields that the operation ignores from a body that is still to be checked. */
type PrepareBody = (body: Record<string, unknown>) => Record<string, unknown>;

/**
 * Serves an operation. `Body` and `Query` are what the operation's schemas give: its type does not tell them, so they
 * are named here, where the operation is.
 */
export function route<Response, Body = unknown, Query = unknown>(
  operation: Operation<Response>,
  handle: (call: Call<Body, Query>) => Response,
  prepareBody: PrepareBody = (body) => body,
): Route {
  return { operation, handle: (call) => handle(call as Call<Body, Query>), prepareBody };
}

export interface ServiceOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly idempotency: IdempotencyStore;
  /** What a repeated Idempotency-Key means for an operation; `undefined` when it means nothing. */
  readonly repetitionOf: (replay: Replay) => Repetition | undefined;
  /** Wraps what changes the sandbox's state. */
  readonly during: <Result>(requestId: string, work: () => Result) => Result;
}

/** Adds every operation to the app, and the refusals of what is none. */
export function serveOperations(app: Hono<ServiceEnv>, options: ServiceOptions): void {
  const { routes } = options;
  for (const served of routes) {
    const { method, path } = served.operation;
    app.on(method, honoPath(path), (c) => answer(c, served, options));
  }
  const methods = Map.groupBy(routes, ({ operation }) => operation.path);
  for (const [path, same] of methods) {
    const allowed = same.map(({ operation }) => operation.method).join(", ");
    app.all(honoPath(path), ({ req }) => {
      throw invalidRequest(405, {
        code: "method_not_allowed",
        message: `This is the settlekit sandbox. It serves ${path} with ${allowed}, not with ${req.method}.`,
        headers: { Allow: allowed },
      });
    });
  }
  app.all("*", ({ req }) => {
    const served = routes.map(({ operation: { method, path } }) => `${method} ${path}`).join(", ");
    throw invalidRequest(404, {
      code: "unknown_route",
      message: `This is the settlekit sandbox. It has no route ${req.method} ${req.path}; it serves ${served}.`,
    });
  });
}

/** Hono's form of an operation's path: `:paymentId` for `{paymentId}`. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function answer(
  c: Context<ServiceEnv>,
  { operation, handle, prepareBody }: Route,
  { authenticate, idempotency, repetitionOf, during }: ServiceOptions,
): Response {
  const { req } = c;
  const path: PathValues = req.param();
  const url = new URL(req.url);
  const merchant = authenticate(operation, req.raw.headers, path);
  const query = parseQuery(operation, url);
  const call = { origin: url.origin, merchant, path, query };
  const value = during(c.var.requestId, () => {
    const { body: schema, name: scope, replay } = operation;
    if (schema === undefined) return handle({ ...call, body: undefined });
    const isOptional = schema.safeParse({}).success;
    const json = parseObject(c.var.body, { isOptional });
    const perform = () => handle({ ...call, body: checked(schema, prepareBody(json)) });
    const key = req.header(idempotencyKeyHeader);
    const repetition = repetitionOf(replay);
    if (!key || !repetition) return perform();
    const { merchantId } = merchant;
    return idempotency.once({ merchantId, scope, key, body: json, repetition }, perform);
  });
  const { name, successStatus = 200 } = operation;
  return answerJson(c, successStatus, value, { [evidenceHeader]: operationEvidence(name) });
}
