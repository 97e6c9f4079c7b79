import * as z from "zod/mini";
import type { ApiResponse } from "../../http/answer.ts";
import { errorFor } from "../../http/call-errors.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { Failure } from "../../http/policy.ts";
import { askForCredential } from "../../http/request.ts";
import { within } from "../../http/time.ts";
import { processWide } from "../../runtime.ts";
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
import { unsent } from "./payout-errors.ts";
import { type OrderNames, recall } from "./recent-payouts.ts";
import { SingleFlight } from "./single-flight.ts";

// Shared by all clients in this process.
const flights = () => processWide("flights.1", () => new SingleFlight<ApiResponse<Withdrawal>>());
const providers = () => processWide("providers.1", () => new WeakMap<object, string>());

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
  const checked = checkOptions(onceSchema, options);
  const { signal, deadlineMs = settings.deadlineMs } = checked;
  // Getting the credential counts toward the call's deadline.
  const deadlineAt = time.now() + deadlineMs;
  const idempotencyKey = createOnceKey(settings, body.orderId);
  const late = { kind: "timeout", limit: "deadlineMs", ms: deadlineMs } as const;
  const { credential, baseUrl, idempotencyNamespace } = settings;
  const named = (...account: readonly string[]) =>
    idempotencyKeyFrom(baseUrl, idempotencyNamespace, ...account, body.orderId);
  const shared = credential.provider ? named("provider", idOf(credential.provider)) : "";
  // `own` is derived from the credential, which is not known yet.
  let order: OrderNames = { own: "", shared };
  const operation = `${route.name}.createOnce`;
  /** The error if the call ends before it looks for the order's withdrawal. */
  const early = (failure: Failure) => {
    const facts = { name: route.name, orderId: body.orderId, idempotencyKey, sends: 0 };
    const call = { operation, replay: "unsafe", service: settings, attempts: 0 } as const;
    const [earlier] = recall(order, time);
    return unsent(errorFor(failure, "not_sent", { ...call, idempotencyKey }), facts, earlier);
  };
  const aborted = () => early({ kind: "aborted", reason: signal?.reason });
  const inTime = async (other: Promise<unknown>) => {
    const isOver = await within(other, deadlineAt - time.now(), time, signal);
    if (signal?.aborted) throw aborted();
    if (!isOver) throw early({ ...late, spentOn: otherParameters });
  };
  // A bearer token changes every hour, but its merchant does not.
  const account =
    credential.path?.merchantId ??
    (await askForCredential(credential, time, deadlineMs, signal, late));
  if (typeof account !== "string") throw early(account);
  const own = named(account);
  order = { own, shared: shared || own };
  const start = (signal: AbortSignal) =>
    createOnce(http, route, body, order, { ...checked, deadlineMs, signal }, deadlineAt);
  const caller = { operation, idempotencyKey, signal, inTime, aborted };
  return flights().run(Object.values(order), JSON.stringify([own, body]), start, caller);
}

const otherParameters =
  "waiting for another call with the same orderId, but other parameters or another key. Call again when it is over.";

function idOf(provider: object): string {
  const id = providers().get(provider) ?? crypto.randomUUID();
  providers().set(provider, id);
  return id;
}
