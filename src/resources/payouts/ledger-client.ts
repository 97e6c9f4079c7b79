import type { Http } from "../../http/http.ts";
import { idempotencyKeyFrom } from "../../http/idempotency.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { findByOrderId } from "../lists/find-by-order-id.ts";
import {
  type CreateOnceInput,
  confirmed,
  createOnceBody,
  type SentWithdrawal,
  type WithdrawalRoute,
} from "./payout.ts";

/** The body of a withdrawal that is found again by its `orderId`. */
export type PayoutBody = SentWithdrawal & { orderId: string };

interface Sending {
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is about to leave. When it throws, nothing leaves. */
  readonly beforeSend: () => void;
}

/** The payout ledger's client: a call to create sends one request at most, and a look reads the whole list. */
export class LedgerClient {
  readonly #http: Http;
  readonly #route: WithdrawalRoute;

  constructor(http: Http, route: WithdrawalRoute) {
    this.#http = http;
    this.#route = route;
  }

  get timeoutMs(): number {
    return this.#http.settings.timeoutMs;
  }

  /** Whether repeating a request with its key creates nothing twice. */
  get isKeyed(): boolean {
    return this.#http.settings.wire.withdrawalIdempotency === "honoured";
  }

  /** @throws {InvalidRequestError} for what can never be right, as `withdrawals.create` does. */
  checked(input: CreateOnceInput): PayoutBody {
    return createOnceBody(input, {}, this.#http.settings.wire);
  }

  /** The key that `createOnce` would send for the order, too. */
  keyOf(orderId: string): string {
    const { baseUrl, idempotencyNamespace } = this.#http.settings;
    return idempotencyKeyFrom("createOnce", baseUrl, idempotencyNamespace, orderId);
  }

  /** Sends one request, or none. */
  async create(body: PayoutBody, sending: Sending): Promise<Withdrawal> {
    const { create, path } = this.#route;
    const { idempotencyKey, signal, beforeSend } = sending;
    const input = { path, body, beforeSend: async () => beforeSend() };
    const limits = { deadlineMs: this.timeoutMs, maxRetries: 0 };
    const call = { ...limits, idempotencyKey, signal };
    const answer = await this.#http.call(create, input, call).withResponse();
    return confirmed(create.name, body, answer).data;
  }

  /** Every withdrawal of the order. An empty result is proof: the whole list was read. */
  async find(
    orderId: string,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Withdrawal[]> {
    const { list: operation, path } = this.#route;
    return (await findByOrderId(this.#http, { operation, path }, orderId, options)).data;
  }

  async get(withdrawalId: string, signal?: AbortSignal): Promise<Withdrawal> {
    const path = { ...this.#route.path, withdrawalId };
    return this.#http.call(this.#route.get, { path }, { deadlineMs: this.timeoutMs, signal });
  }
}
