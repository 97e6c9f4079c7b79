import { errorFor } from "../../http/call-errors.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import { askForCredential } from "../../http/request.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { objectAt } from "../arguments.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import { list as pagesOf } from "../lists/page.ts";
import type { Withdrawals } from "../withdrawals.ts";
import { type CreateOnceInput, createOnceBody, createOnceKey, type PayoutBody } from "./payout.ts";

export type LedgerClient = ReturnType<typeof ledgerClient>;

interface Sending {
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is about to leave. If it throws, the request cannot take effect. */
  readonly beforeBody: () => void;
}

/** The payout ledger's client: creating sends at most one request, and a lookup reads the whole list. */
export function ledgerClient(withdrawals: Withdrawals) {
  const { http, route } = withdrawals.access();
  const { timeoutMs, wire } = http.settings;
  const { create, get, list } = route;
  const { merchantId } = { ...http.settings.credential.path };
  /** The first withdrawal of the list. */
  const newest = async (signal?: AbortSignal): Promise<Withdrawal | undefined> => {
    const options = { deadlineMs: timeoutMs, signal };
    return (await http.call(list, { query: { limit: 1 } }, options)).data[0];
  };
  return {
    timeoutMs,
    /** Whether repeating a request with its key is known to create nothing twice. */
    isKeyed: wire.withdrawalIdempotency === "honoured",
    /** @throws {InvalidRequestError} when the input can never be valid, as `withdrawals.create` does. */
    checked: (input: CreateOnceInput): PayoutBody => createOnceBody(input, wire),
    /** The same key that `createOnce` sends for the order. */
    keyOf: (orderId: string): string => createOnceKey(http.settings, orderId),

    /**
     * A digest of the credential, without revealing it, or of the merchant that it is for: a bearer token changes every
     * hour, but its merchant does not.
     */
    sender: async (signal?: AbortSignal): Promise<string> => {
      const { credential, baseUrl } = http.settings;
      if (merchantId !== undefined) return idempotencyKeyFrom("merchant", baseUrl, merchantId);
      const late = { kind: "timeout", limit: "timeoutMs", ms: timeoutMs } as const;
      const given = await askForCredential(credential, http.time, timeoutMs, signal, late);
      if (typeof given === "string") return idempotencyKeyFrom("sender", baseUrl, given);
      const operation = create.name;
      const facts = { operation, idempotencyKey: undefined, attempts: 0, service: http.settings };
      throw errorFor(given, "not_sent", { ...facts, replay: "unsafe" });
    },

    serviceNow: () => http.serviceNow(),
    pages: (signal?: AbortSignal) => pagesOf(http, list, { limit: 1000 }, { signal }).pages(),
    newest,
    /** The merchant's id, if the client or a withdrawal in the list shows it. */
    merchantId: async (signal?: AbortSignal): Promise<string | undefined> =>
      merchantId ?? (await newest(signal))?.merchantId,

    /** Sends at most one request. The withdrawal may differ from it: the ledger compares them. */
    create: async (body: PayoutBody, { beforeBody, ...sending }: Sending): Promise<Withdrawal> => {
      const options = { ...sending, deadlineMs: timeoutMs, maxRetries: 0 };
      return http.call(create, { body, beforeBody }, options);
    },

    /** Every withdrawal of the order. An empty result is proof, because the whole list was read. */
    find: async (orderId: string, options: FindOptions): Promise<Withdrawal[]> =>
      (await findByOrderId(http, list, orderId, options)).data,

    get: async (withdrawalId: string, signal?: AbortSignal): Promise<Withdrawal> =>
      http.call(get, objectAt({ withdrawalId }), { deadlineMs: timeoutMs, signal }),
  };
}
