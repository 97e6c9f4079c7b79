import { type Context, Hono } from "hono";
import { idempotencyKeyHeader } from "../wire/headers.ts";
import type { Operation, Replay } from "../wire/operations.ts";
import { errorAnswer, jsonAnswer } from "./answer.ts";
import type { Authenticate } from "./authentication.ts";
import { evidenceHeader, operationEvidence } from "./evidence.ts";
import type { IdempotencyStore, Repetition } from "./idempotency.ts";
import { parseObject, parseQuery } from "./parsing.ts";
import { invalidRequest, type Refusal } from "./refusal.ts";
import type { Route } from "./routing.ts";
import { checked } from "./validation.ts";

/** What travels with a request: every body is read before its route is known, to be recorded. */
interface Received {
  /** `undefined` when the body was too large to be read. */
  readonly bodyText: string | undefined;
}

export type App = Hono<{ Bindings: Received }>;

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly idempotency: IdempotencyStore;
  /** What a repeated Idempotency-Key means for an operation; `undefined` where it means nothing. */
  readonly repetitionOf: (replay: Replay) => Repetition | undefined;
}

/** Serves the operations: everything about a route is read from its operation. */
export function createApp(options: AppOptions): App {
  const { routes, authenticate, idempotency, repetitionOf } = options;
  const app: App = new Hono();
  for (const route of routes) {
    const { method, path } = route.operation;
    app.on(method, routerPath(path), (context) => serve(route, context));
  }
  // Reached by the methods that no operation has claimed above.
  for (const { operation } of routes) {
    app.all(routerPath(operation.path), ({ req }) => {
      throw wrongMethod(req.method, operation.path, routes);
    });
  }
  app.notFound(({ req }) => errorAnswer(unknownRoute(req.method, req.path, routes)));
  app.onError(errorAnswer);

  function serve(route: Route, { req, env }: Context<{ Bindings: Received }>): Response {
    const { operation } = route;
    const path = req.param();
    const merchant = authenticate(operation, req.raw.headers, path);
    const { origin, searchParams } = new URL(req.url);
    const call = { origin, merchant, path, query: parseQuery(operation, searchParams) };
    const { body: bodySchema } = operation;
    if (bodySchema === undefined) {
      return success(operation, route.handle({ ...call, body: undefined }));
    }

    const json = parseObject(env.bodyText, bodySchema);
    const handle = () => {
      const body = checked(bodySchema, route.prepareBody(json));
      return route.handle({ ...call, body });
    };
    const { merchantId } = merchant;
    const key = req.header(idempotencyKeyHeader);
    const repetition = repetitionOf(operation.replay);
    const value =
      key && repetition
        ? idempotency.once(
            { merchantId, scope: operation.name, key, body: json, repetition },
            handle,
          )
        : handle();
    return success(operation, value);
  }

  return app;
}

function success({ name, successStatus }: Operation<unknown>, value: unknown): Response {
  return jsonAnswer(successStatus, value, { [evidenceHeader]: operationEvidence(name) });
}

/** `{placeholder}` as the router writes it. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function unknownRoute(method: string, path: string, routes: readonly Route[]): Refusal {
  const served = routes.map(({ operation }) => `${operation.method} ${operation.path}`).join(", ");
  return invalidRequest(404, {
    code: "unknown_route",
    message: `This is the settlekit sandbox. It has no route ${method} ${path}; it serves ${served}.`,
  });
}

function wrongMethod(method: string, path: string, routes: readonly Route[]): Refusal {
  const methods = routes
    .filter(({ operation }) => operation.path === path)
    .map(({ operation }) => operation.method)
    .join(", ");
  return invalidRequest(405, {
    code: "method_not_allowed",
    message: `This is the settlekit sandbox. It serves ${path} with ${methods}, not with ${method}.`,
    headers: { Allow: methods },
  });
}
