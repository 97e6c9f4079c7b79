import type { ApiResponse } from "../../http/answer.ts";
import { checkCallOptions } from "../../http/checks.ts";
import type { Http } from "../../http/http.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { type CreateOnceOptions, createOnce } from "./create-once.ts";
import { namesOf } from "./order-names.ts";
import {
  type CreateOnceInput,
  createOnceBody,
  createOnceKey,
  type WithdrawalRoute,
} from "./payout.ts";
import { SingleFlight } from "./single-flight.ts";

// Shared by all clients in this process.
const flights = /* @__PURE__ */ new SingleFlight<ApiResponse<Withdrawal>>();

/** `createOnce`, shared with other calls in this process for the same order. */
export async function oncePerOrder(
  http: Http,
  route: WithdrawalRoute,
  input: CreateOnceInput,
  options: CreateOnceOptions,
): Promise<ApiResponse<Withdrawal>> {
  const { settings, time } = http;
  const body = createOnceBody(input, options, settings.wire);
  const { createdAfter: _, ...callOptions } = options;
  checkCallOptions(callOptions);
  const { signal, deadlineMs = settings.deadlineMs } = options;
  const startedAt = time.now();
  const caller = {
    operation: `${route.name}.createOnce`,
    idempotencyKey: createOnceKey(settings, body.orderId),
    signal,
  };
  const asking = { ...caller, deadlineMs };
  const order = await namesOf(http, body.orderId, route.path.merchantId, asking);
  // Getting the credential counts toward the call's deadline.
  const leftMs = Math.max(1, deadlineMs - Math.round(time.now() - startedAt));
  const start = (signal: AbortSignal) =>
    createOnce(http, route, body, order, { ...options, deadlineMs: leftMs, signal });
  const { own, shared = own } = order;
  return flights.run([own, shared], JSON.stringify([own, body]), start, caller);
}
