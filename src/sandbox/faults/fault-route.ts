import { InvalidRequestError } from "../../errors.ts";
import type { Operation } from "../../wire/operations.ts";

/**
 * Which requests a fault is for: a method and the beginning of a path, such as `POST /payments`, or
 * `*` for every request.
 */
export type FaultRoute = "*" | `${"GET" | "POST"} /${string}`;

export type RouteMatcher = (method: string, pathname: string) => boolean;

/**
 * Reads a route. Its path starts after the group of routes (`/v1/external/secretkey-auth`,
 * `/v1/external/payment-secret-auth`, `/v1/merchants/{merchantId}`), or with `/v1` to mean one group
 * only. It stands for every path that begins with the same segments; `{…}` stands for any segment.
 *
 * @throws {InvalidRequestError} code `unknown_route` when no operation can ever match it.
 */
export function faultRoute(
  route: FaultRoute,
  operations: readonly Operation<unknown>[],
): RouteMatcher {
  if (route === "*") return () => true;
  const [, method, path = ""] = /^(GET|POST) (\/\S*)$/.exec(route) ?? [];
  const wanted = segmentsOf(path);
  const matches: RouteMatcher = (otherMethod, pathname) => {
    if (otherMethod !== method) return false;
    const segments = segmentsOf(wanted[0] === "v1" ? pathname : withoutGroup(pathname));
    return wanted.every((segment, index) => isAlike(segment, segments[index]));
  };
  if (!operations.some((operation) => matches(operation.method, operation.path))) {
    throw unknownRoute(route);
  }
  return matches;
}

function withoutGroup(pathname: string): string {
  return pathname.replace(/^\/v1\/(?:external|merchants)\/[^/]+/, "");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/** Either may be a placeholder: a request's path has none, but an operation's has. */
function isAlike(wanted: string, segment: string | undefined): boolean {
  if (segment === undefined) return false;
  return wanted === segment || wanted.startsWith("{") || segment.startsWith("{");
}

function unknownRoute(route: string): InvalidRequestError {
  return new InvalidRequestError(
    `The service has no route that begins with ${JSON.stringify(route)}. Pass a method and a path, such ` +
      'as "POST /payments", "GET /withdrawals/{withdrawalId}" or "POST /payments/{paymentId}/quotes", ' +
      'or "*".',
    { code: "unknown_route", param: "route" },
  );
}
