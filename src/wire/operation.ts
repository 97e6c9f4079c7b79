import type * as z from "zod/mini";
import type { Schema } from "./fields.ts";
import type { PageBody } from "./pagination.ts";

/** The kind of credential that an operation takes (interface section 5). */
export type Credential = "secretKey" | "paymentSecret" | "accessToken";

/**
 * Whether a request may be repeated when its outcome is unknown.
 *
 * - `safe`: repeating is harmless.
 * - `keyed`: harmless with the same Idempotency-Key, within the service's window.
 * - `unsafe`: not known to be harmless.
 */
export type Replay = "safe" | "keyed" | "unsafe";

/** The source of an assumption about the service: see docs/wire.md. */
export type Evidence = "documented" | "published" | "assumed";

/** One operation of the service: everything that the client, the sandbox and the docs need to know about it. */
export interface Operation<Response> {
  /** The method that calls it, such as `payments.create`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base URL, with `{placeholders}`. */
  readonly path: string;
  /** `none` for public operations. */
  readonly credential: Credential | "none";
  readonly replay: Replay;
  readonly body?: Schema<unknown>;
  /** Strict: a client refuses an unknown filter. */
  readonly query?: z.ZodMiniObject;
  /** Status of a success; 200 by default. */
  readonly successStatus?: 200 | 201;
  readonly response: Schema<Response>;
  /** The response's fields that a caller cannot do without; `a list` or `anything` describes the whole response. */
  readonly essential: readonly string[] | "a list" | "anything";
}

/** An operation that returns a page of a list. */
export interface ListOperation<Item> extends Operation<PageBody<Item>> {
  readonly query: z.ZodMiniObject;
}
