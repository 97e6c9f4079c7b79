import { errorFor } from "../../http/call-errors.ts";
import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import { askForCredential, waitingFor } from "../../http/request.ts";

/** Names that identify an account's order within this process, without revealing what they are made from. */
export interface OrderNames {
  /** Equal for the same merchant id or the same credential, so for one merchant only. */
  readonly own: string;
  /** Equal for credentials from one function: they may be one merchant's, whose key rotates, or several merchants'. */
  readonly shared?: string;
}

/** The `createOnce` call that asks. */
export interface Asking {
  readonly operation: string;
  readonly idempotencyKey: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws {TimeoutError | AbortError} when the credential does not arrive in time. */
export async function namesOf(
  { settings, time }: Http,
  orderId: string,
  merchantId: string | undefined,
  { operation, idempotencyKey, deadlineMs, signal }: Asking,
): Promise<OrderNames> {
  const { credential, baseUrl, idempotencyNamespace } = settings;
  const name = (...account: readonly string[]) =>
    idempotencyKeyFrom(baseUrl, idempotencyNamespace, ...account, orderId);
  // A bearer token changes every hour, but its merchant does not.
  if (merchantId !== undefined) return { own: name(merchantId) };
  const call = { operation, attempts: 0 };
  const value = await askForCredential(credential, time, deadlineMs, signal, call);
  if (value === undefined) {
    const spentOn = waitingFor(credential);
    const late = { kind: "timeout", limit: "deadlineMs", ms: deadlineMs, spentOn } as const;
    const failure = signal?.aborted ? ({ kind: "aborted", reason: signal.reason } as const) : late;
    const origin = new URL(baseUrl).origin;
    throw errorFor(failure, "not_sent", { ...call, replay: "unsafe", origin, idempotencyKey });
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
