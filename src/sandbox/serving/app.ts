import { idempotencyKeyHeader } from "../../wire/credential.ts";
import type { Operation, Replay } from "../../wire/operations.ts";
import type { Authenticate } from "./authentication.ts";
import { evidenceHeader, operationEvidence } from "./evidence.ts";
import type { IdempotencyStore, Repetition } from "./idempotency.ts";
import { operationPaths } from "./operation-paths.ts";
import { parseObject, parseQuery } from "./parsing.ts";
import { type PlainAnswer, plainError, plainJson } from "./plain-answer.ts";
import type { Received } from "./received.ts";
import { invalidRequest, type Refusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import { checked } from "./validation.ts";

/** Answers what is asked of the service. */
export interface App {
  /** Synchronous, so that a request takes effect as a whole before another one is looked at. */
  answer(received: Received): PlainAnswer;
}

interface AppOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly idempotency: IdempotencyStore;
  /** What a repeated Idempotency-Key means for an operation; `undefined` where it means nothing. */
  readonly repetitionOf: (replay: Replay) => Repetition | undefined;
}

/** Serves the operations: everything about a route is read from its operation. */
export function createApp(options: AppOptions): App {
  const { routes, authenticate, idempotency, repetitionOf } = options;
  const paths = operationPaths(routes);

  function serve(received: Received): PlainAnswer {
    const { method, url, headers } = received;
    // A HEAD request is a GET request whose answer's body stays behind.
    const found = paths.find(method === "HEAD" ? "GET" : method, url.pathname);
    if (found === undefined) throw notServed(method, url.pathname);
    const { item: route, path } = found;
    const { operation } = route;
    const merchant = authenticate(operation, headers, path);
    const query = parseQuery(operation, url);
    const call = { origin: url.origin, merchant, path, query };
    const { body: bodySchema } = operation;
    if (bodySchema === undefined) {
      return success(operation, route.handle({ ...call, body: undefined }));
    }

    const json = parseObject(received.bodyText, bodySchema);
    const handle = () => {
      const body = checked(bodySchema, route.prepareBody(json));
      return route.handle({ ...call, body });
    };
    const { merchantId } = merchant;
    const key = headers.get(idempotencyKeyHeader);
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

  function notServed(method: string, pathname: string): Refusal {
    const operation = paths.withOtherMethod(pathname);
    if (operation === undefined) return unknownRoute(method, pathname, routes);
    return wrongMethod(method, operation.path, routes);
  }

  return {
    answer(received) {
      try {
        return serve(received);
      } catch (error) {
        return plainError(error);
      }
    },
  };
}

function success({ name, successStatus }: Operation<unknown>, value: unknown): PlainAnswer {
  return plainJson(successStatus, value, { [evidenceHeader]: operationEvidence(name) });
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
