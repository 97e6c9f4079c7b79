import type { Operation } from "../../wire/operations.ts";
import type { Merchant } from "../service/merchants.ts";
import type { PathValues } from "./operation-paths.ts";

/** A request that passed its operation's checks. */
export interface Call<Body = unknown, Query = unknown> {
  /** Where the sandbox was reached, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Whose credential it came with, or whose payment the secret is of. */
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
   * Gives the answer's body, or throws a `Refusal`. Synchronous, so that a request takes effect as a
   * whole before another one is looked at.
   */
  readonly handle: (call: Call) => unknown;
  readonly prepareBody: PrepareBody;
}

/** Takes from a body what its operation ignores, before the body is checked. */
type PrepareBody = (body: Record<string, unknown>) => Record<string, unknown>;

/**
 * Serves an operation. `Body` and `Query` are what the operation's schemas give: its type does not
 * tell them, so they are named here, where the operation is.
 */
export function route<Response, Body = unknown, Query = unknown>(
  operation: Operation<Response>,
  handle: (call: Call<Body, Query>) => Response,
  prepareBody: PrepareBody = (body) => body,
): Route {
  return { operation, handle: (call) => handle(call as Call<Body, Query>), prepareBody };
}
