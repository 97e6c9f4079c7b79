import * as z from "zod/mini";
import { ApiPromise } from "../http/answer.ts";
import type { Http } from "../http/http.ts";
import type { CallInput } from "../http/request.ts";
import type { RequestOptions } from "../http/settings.ts";
import { invalidArgument, isPlainObject, show } from "../values.ts";
import type { Credential, Operation, Replay } from "../wire/operation.ts";
import {
  type AccessToken,
  bearerToken,
  checkParameters,
  ifGiven,
  type Names,
  paymentSecret,
  refused,
} from "./arguments.ts";

/** A request that no other method covers. */
export interface RawRequest {
  method: Method;
  /** Relative to the base URL, with a leading slash and without a query; encode ids yourself. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** A plain object or an array, sent as JSON. */
  body?: object | undefined;
  /** Default: the client's merchant secret key. `none` sends no credential. */
  auth?: RequestAuth | "none" | undefined;
  /**
   * Whether repeating the request is harmless, if need be with its `idempotencyKey`. By default, anything but a GET is
   * repeated only if it cannot have taken effect.
   */
  safe?: boolean | undefined;
}

type Method = (typeof methods)[number];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const parameters: Names<RawRequest> = {
  method: true,
  path: true,
  query: true,
  body: true,
  auth: true,
  safe: true,
};

/** A credential other than the client's merchant secret key. */
export type RequestAuth =
  | { readonly paymentSecret: string }
  | { readonly accessToken: AccessToken };

/**
 * Sends a request through the same core as every method: credential, retries, deadline and errors. Unless the caller
 * says otherwise, anything but a GET counts as unsafe and is not repeated once it may have arrived.
 */
export function rawRequest<T>(
  http: Http,
  request: RawRequest,
  options: RequestOptions = {},
): ApiPromise<T> {
  const { method, path, auth } = { ...request };
  try {
    const [credential, caller] = authenticated(http, auth);
    const operation: Operation<T> = {
      name: "request",
      method,
      path,
      credential,
      replay: replayOf({ ...request }, { ...options }),
      // Only the caller knows the shape of the response.
      response: z.custom<T>(),
      essential: "anything",
    };
    return caller.call(operation, () => filled(request, { ...options }), options);
  } catch (error) {
    return new ApiPromise<T>(Promise.reject(error), "request");
  }
}

function replayOf({ method, safe }: RawRequest, options: RequestOptions): Replay {
  if (method === "GET") return "safe";
  if (safe !== true) return "unsafe";
  return options.idempotencyKey === undefined ? "safe" : "keyed";
}

function authenticated(http: Http, auth: RawRequest["auth"]): [Credential | "none", Http] {
  if (auth === undefined) return ["secretKey", http];
  if (auth === "none") return ["none", http];
  // Of two credentials, one would be ignored.
  if (isPlainObject(auth) && Object.keys(auth).length === 1) {
    if ("paymentSecret" in auth)
      return ["paymentSecret", http.withCredential(paymentSecret(auth.paymentSecret))];
    if ("accessToken" in auth)
      return ["accessToken", http.withCredential(bearerToken(auth.accessToken))];
  }
  // It may be a credential, so it is not shown.
  throw invalidArgument(
    "auth",
    'auth must be "none", { paymentSecret } or { accessToken }. Leave it out for the client\'s secret key.',
  );
}

function filled(request: RawRequest, options: RequestOptions): Pick<CallInput, "query" | "body"> {
  const { method, path, query, body } = checkParameters(request, parameters);
  if (!methods.includes(method)) {
    throw refused("method", `must be one of ${methods.join(", ")}`, method);
  }
  if (!isPlainPath(path)) {
    throw refused(
      "path",
      "must be a path below the base URL, such as /v1/external/secretkey-auth/payments, without query, " +
        "dot segments, braces or another origin",
      path,
    );
  }
  if (method === "GET" && options.idempotencyKey !== undefined) {
    throw invalidArgument(
      "idempotencyKey",
      "A GET request takes no idempotencyKey. Leave it out: repeating a GET is harmless.",
    );
  }
  return { query: ifGiven(query, checkQuery), body: ifGiven(body, checkBody) };
}

function checkQuery(query: NonNullable<RawRequest["query"]>) {
  if (!isPlainObject(query)) {
    throw refused("query", "must be a plain object of names and values", query);
  }
  for (const [name, value] of Object.entries(query)) {
    const isText = ["string", "boolean", "undefined"].includes(typeof value);
    if (isText || Number.isFinite(value)) continue;
    throw invalidArgument(
      "query",
      `query: ${show(name)} must be a string, a finite number or a boolean, got ${show(value)}.`,
    );
  }
  return query;
}

/** JSON.stringify would turn a FormData or a Map into an empty object. */
function checkBody(body: object): object {
  if (isPlainObject(body) || Array.isArray(body)) return body;
  throw refused("body", "must be a plain object or an array, which is sent as JSON", body);
}

/** Whether a path is literal: URL parsing keeps it, even behind a proxy that decodes its slashes. */
function isPlainPath(path: unknown): boolean {
  if (typeof path !== "string" || !/^\/(?!\/)[^?#\\{}\s]+$/.test(path)) return false;
  const url = `https://base.invalid${path.replace(/%2f|%5c/gi, "/")}`;
  return URL.canParse(url) && new URL(url).href === url;
}
