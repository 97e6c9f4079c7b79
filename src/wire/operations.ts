import { type PageBody, pageSchema } from "./pagination.ts";
import { type Payment, paymentSchema } from "./payment.ts";
import {
  type CreatedPayment,
  createdPaymentSchema,
  createPaymentBodySchema,
} from "./payment-creation.ts";
import { paymentListQuerySchema } from "./payment-list.ts";
import type { Schema } from "./schema.ts";

/** Which credential an operation is called with (interface section 5). */
export type Credential = "secretKey" | "paymentSecret" | "accessToken";

/**
 * Whether a request may be repeated when nobody knows what became of it.
 *
 * - `safe`: repeating is harmless.
 * - `keyed`: harmless with the same Idempotency-Key, within the service's window.
 * - `unsafe`: not known to be harmless.
 */
export type Replay = "safe" | "keyed" | "unsafe";

/** One operation of the service: everything that the client, the sandbox and the docs need of it. */
export interface Operation<Response> {
  /** The method that calls it, such as `payments.create`. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** Relative to the base URL, with `{placeholders}`. */
  readonly path: string;
  readonly credential: Credential;
  readonly replay: Replay;
  readonly body?: Schema<unknown>;
  readonly query?: Schema<unknown>;
  readonly successStatus: 200 | 201;
  readonly response: Schema<Response>;
  /** Fields of the answer that a caller cannot do without. */
  readonly essential: readonly string[];
}

/** Interface section 4.1. */
export const createPayment: Operation<CreatedPayment> = {
  name: "payments.create",
  method: "POST",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  replay: "keyed",
  body: createPaymentBodySchema,
  successStatus: 201,
  response: createdPaymentSchema,
  essential: ["paymentId", "paymentUrl", "secret"],
};

/** Interface section 4; the answer is the Payment itself. */
export const getPayment: Operation<Payment> = {
  name: "payments.get",
  method: "GET",
  path: "/v1/external/secretkey-auth/payments/{paymentId}",
  credential: "secretKey",
  replay: "safe",
  successStatus: 200,
  response: paymentSchema,
  essential: ["id"],
};

/** Interface section 4.2. */
export const listPayments: Operation<PageBody<Payment>> = {
  name: "payments.list",
  method: "GET",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  replay: "safe",
  query: paymentListQuerySchema,
  successStatus: 200,
  response: pageSchema(paymentSchema),
  essential: ["data"],
};
