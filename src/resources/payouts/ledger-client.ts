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
  /** Called when the request is about to leave. When it throws, nothing leaves. */
  readonly beforeSend: () => void;
}

/** The payout ledger's client: a call to create sends one request at most, and a look reads the whole list. */
export function ledgerClient(http: Http, route: WithdrawalRoute) {
  const { timeoutMs, wire } = http.settings;
  const { create, get, list } = route;
  return {
    timeoutMs,
    /** Whether repeating a request with its key creates nothing twice. */
    isKeyed: wire.withdrawalIdempotency === "honoured",
    /** @throws {InvalidRequestError} for what can never be right, as `withdrawals.create` does. */
    checked: (input: CreateOnceInput): PayoutBody => createOnceBody(input, {}, wire),
    /** The key that `createOnce` would send for the order, too. */
    keyOf: (orderId: string): string => createOnceKey(http.settings, orderId),

    /** Sends one request, or none. */
    async create(body: PayoutBody, { beforeSend, ...sending }: Sending): Promise<Withdrawal> {
      const input = { ...creationOf(route, body), beforeSend: async () => beforeSend() };
      const options = { ...sending, deadlineMs: timeoutMs, maxRetries: 0 };
      return http.call(create, input, options);
    },

    /** Every withdrawal of the order. An empty result is proof: the whole list was read. */
    async find(orderId: string, options: FindOptions): Promise<Withdrawal[]> {
      return (await findByOrderId(http, list, orderId, options)).data;
    },

    async get(withdrawalId: string, signal?: AbortSignal): Promise<Withdrawal> {
      const options = { deadlineMs: timeoutMs, signal };
      return http.call(get, ofWithdrawal(route, withdrawalId), options);
    },
  };
}
