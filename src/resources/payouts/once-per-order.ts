import * as z from "zod/mini";
import type { ApiResponse } from "../../http/answer.ts";
import { errorFor } from "../../http/call-errors.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import { askForCredential } from "../../http/request.ts";
import { checkOptions } from "../../wire/fields.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { findSchema } from "../lists/find-by-order-id.ts";
import { type CreateOnceOptions, createOnce } from "./create-once.ts";
import {
  type CreateOnceInput,
  createOnceBody,
  createOnceKey,
  type WithdrawalRoute,
} from "./payout.ts";
import type { OrderNames } from "./recent-payouts.ts";
import { type Caller, SingleFlight } from "./single-flight.ts";

// Shared by all clients in this process.
const flights = /* @__PURE__ */ new SingleFlight<ApiResponse<Withdrawal>>();

// The key is derived from the order.
const { idempotencyKey: _, ...onceFields } = findSchema.shape;
const onceSchema = z.strictObject(onceFields);

/** `createOnce`, shared with other calls in this process for the same order. */
export async function oncePerOrder(
  http: Http,
  route: WithdrawalRoute,
  input: CreateOnceInput,
  options: CreateOnceOptions,
): Promise<ApiResponse<Withdrawal>> {
  const { settings, time } = http;
  const body = createOnceBody(input, settings.wire);
  const { signal, deadlineMs = settings.deadlineMs } = checkOptions(onceSchema, options);
  // Getting the credential counts toward the call's deadline.
  const deadlineAt = time.now() + deadlineMs;
  const idempotencyKey = createOnceKey(settings, body.orderId);
  const caller = { operation: `${route.name}.createOnce`, idempotencyKey, signal };
  const order = await namesOf(http, body.orderId, { ...caller, deadlineMs });
  const start = (signal: AbortSignal) =>
    createOnce(http, route, body, order, { ...options, deadlineMs, signal }, deadlineAt);
  const { own, shared = own } = order;
  return flights.run([own, shared], JSON.stringify([own, body]), start, caller);
}

/** @throws {TimeoutError | AbortError | ConfigurationError} when the credential does not arrive. */
async function namesOf(
  { settings, time }: Http,
  orderId: string,
  { operation, idempotencyKey, deadlineMs, signal }: Caller & { readonly deadlineMs: number },
): Promise<OrderNames> {
  const { credential, baseUrl, idempotencyNamespace } = settings;
  const name = (...account: readonly string[]) =>
    idempotencyKeyFrom(baseUrl, idempotencyNamespace, ...account, orderId);
  // A bearer token changes every hour, but its merchant does not.
  const { merchantId } = { ...credential.path };
  if (merchantId !== undefined) return { own: name(merchantId) };
  const late = { kind: "timeout", limit: "deadlineMs", ms: deadlineMs } as const;
  const value = await askForCredential(credential, time, deadlineMs, signal, late);
  if (typeof value !== "string") {
    const call = { operation, idempotencyKey, attempts: 0, replay: "unsafe" } as const;
    throw errorFor(value, "not_sent", { ...call, service: settings });
  }
  const { provider } = credential;
  return { own: name(value), ...(provider && { shared: name("provider", numberOf(provider)) }) };
}

const numbers = /* @__PURE__ */ new WeakMap<object, string>();
let seen = 0;

function numberOf(provider: object): string {
  const number = numbers.get(provider) ?? String(++seen);
  numbers.set(provider, number);
  return number;
}
