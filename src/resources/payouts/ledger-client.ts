import type { Http } from "../../http/http.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { type FindOptions, findByOrderId } from "../lists/find-by-order-id.ts";
import {
  type CreateOnceInput,
  createOnceBody,
  createOnceKey,
  creationOf,
  ofWithdrawal,
  type PayoutBody,
  type WithdrawalRoute,
} from "./payout.ts";

export type LedgerClient = ReturnType<typeof ledgerClient>;

interface Sending {
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is about to leave. If it throws, the request cannot take effect. */
  readonly beforeBody: () => void;
}

/** The payout ledger's client: creating sends at most one request, and a lookup reads the whole list. */
export function ledgerClient(http: Http, route: WithdrawalRoute) {
  const { timeoutMs, wire } = http.settings;
  const { create, get, list } = route;
  return {
    timeoutMs,
    /** Whether repeating a request with its key is known to create nothing twice. */
    isKeyed: wire.withdrawalIdempotency === "honoured",
    /** @throws {InvalidRequestError} when the input can never be valid, as `withdrawals.create` does. */
    checked: (input: CreateOnceInput): PayoutBody => createOnceBody(input, wire),
    /** The same key that `createOnce` sends for the order. */
    keyOf: (orderId: string): string => createOnceKey(http.settings, orderId),

    /** Sends at most one request. */
    async create(body: PayoutBody, { beforeBody, ...sending }: Sending): Promise<Withdrawal> {
      const input = { ...creationOf(body), beforeBody };
      const options = { ...sending, deadlineMs: timeoutMs, maxRetries: 0 };
      return http.call(create, input, options);
    },

    /** Every withdrawal of the order. An empty result is proof, because the whole list was read. */
    async find(orderId: string, options: FindOptions): Promise<Withdrawal[]> {
      return (await findByOrderId(http, list, orderId, options)).data;
    },

    async get(withdrawalId: string, signal?: AbortSignal): Promise<Withdrawal> {
      return http.call(get, ofWithdrawal(withdrawalId), { deadlineMs: timeoutMs, signal });
    },
  };
}
