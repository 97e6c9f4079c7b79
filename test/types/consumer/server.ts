// A merchant's server, with the types that the compiler infers.

import * as settlekit from "settlekit";
import {
  ApiError,
  type ApiResponse,
  type ClientEvent,
  type CreatedPayment,
  type CreatePaymentInput,
  formatUnits,
  isPaid,
  MerchantClient,
  NotFoundError,
  type OpenEnum,
  OutcomeUnknownError,
  type Page,
  type Payment,
  type PaymentState,
  type PaymentStatus,
  RateLimitError,
  type RequestOptions,
  SettlekitError,
  usdToCents,
  type Withdrawal,
} from "settlekit";
import { type Equal, sameType } from "./equal.ts";

declare function use(...values: readonly unknown[]): void;

const hooks = { beforeRequest: [({ request }: { request: Request }) => use(request.url)] } as const;
const client = new MerchantClient({
  environment: "testnet",
  hooks,
  secretKey: async () => "sk_test_1",
  timeoutMs: 1000,
  fetch: (url, init) => fetch(url, init),
  onEvent(event) {
    sameType<Equal<typeof event, ClientEvent>>();
    if (event.type === "retry") use(event.waitMs.toFixed());
  },
});

// @ts-expect-error there is no such environment
new MerchantClient({ environment: "staging" });
// @ts-expect-error options are spelt exactly
new MerchantClient({ timeout: 1000 });

export async function pay(): Promise<string> {
  const created = await client.payments.create({ amount: usdToCents("25.00"), orderId: "order_1" });
  sameType<Equal<typeof created, CreatedPayment>>();

  const response = await client.payments.get(created.paymentId).withResponse();
  sameType<Equal<typeof response, ApiResponse<Payment>>>();
  const { data, requestId, attempts } = response;
  sameType<Equal<typeof requestId, string | undefined>>();
  sameType<Equal<typeof attempts, number>>();

  // Known statuses complete, and others stay possible.
  sameType<Equal<typeof data.status, PaymentStatus>>();
  const status: OpenEnum<"completed"> = data.status;
  if (status === "completed" || isPaid(data.status)) return data.id;
  const fromTheFuture: PaymentStatus = "settling";
  if (data.status === fromTheFuture) return "";

  // @ts-expect-error a payment needs an amount
  await client.payments.create({ orderId: "order_1" });
  // @ts-expect-error amounts are numbers of cents
  await client.payments.create({ amount: "25.00", orderId: "order_1" });
  // @ts-expect-error a payment needs an order
  await client.payments.create({ amount: 2500 });
  // @ts-expect-error a deposit needs an order
  await client.payments.create({ type: "deposit" });
  // @ts-expect-error a deposit's amount is the customer's choice
  await client.payments.create({ type: "deposit", orderId: "order_1", amount: 1 });
  // @ts-expect-error ids are strings
  await client.payments.get(7);
  // @ts-expect-error reads carry no idempotency key
  await client.payments.get("1", { idempotencyKey: "k" });
  const options: RequestOptions = { timeoutMs: 1000 };
  await client.payments.get("1", options);
  // @ts-expect-error a typo
  await client.payments.list({ order: "ASC" });

  // Metadata may have the type of an interface.
  interface Cart {
    cartId: string;
  }
  const customMetadata: Cart = { cartId: "1" };
  await client.payments.create({ amount: 2500, orderId: "order_1", customMetadata });
  // @ts-expect-error a Map is no JSON object
  await client.payments.create({ amount: 2500, orderId: "order_1", customMetadata: new Map() });

  // `undefined` may be passed for an optional field under any compiler option.
  const redirectUrl: string | undefined = undefined;
  const input: CreatePaymentInput = { amount: 2500, orderId: "order_1", redirectUrl };
  await client.payments.create(input, { idempotencyKey: undefined, signal: undefined });

  // Fields that lists leave out are typed as absent.
  const [quote] = data.quotes;
  if (quote === undefined) return "";
  return formatUnits(quote.expectedAmountAsset, quote.token.decimals);
}

export async function readAll(): Promise<Payment[]> {
  const page = await client.payments.list({ status: "completed", limit: 10 });
  sameType<Equal<typeof page, Page<Payment>>>();
  for await (const payment of client.payments.list({}, { prefetch: 2 })) {
    sameType<Equal<typeof payment, Payment>>();
  }
  for await (const next of client.payments.list().pages())
    sameType<Equal<typeof next, Page<Payment>>>();
  return client.payments.list().toArray({ limit: 100 });
}

/** Otherwise, an import without `type` would compile, and the program would not start. */
export const exportedAsTypes = [
  // @ts-expect-error there is no such export at run time
  settlekit.Page,
  // @ts-expect-error nor this one
  settlekit.ApiPromise,
];

export async function payOut(): Promise<Withdrawal> {
  const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  // @ts-expect-error only an orderId makes a payout that can be found again
  await client.withdrawals.createOnce({ amountInCents: 100, chainId: 8453, recipientAddress });
  // @ts-expect-error chain ids are numbers here
  await client.withdrawals.create({ amountInCents: 100, chainId: "eip155:8453", recipientAddress });
  const payout = { amountInCents: 100, chainId: 8453, recipientAddress, orderId: "payout_1" };
  const { id } = await client.withdrawals.createOnce(payout);
  const found = await client.withdrawals.findByOrderId("payout_1");
  sameType<Equal<typeof found, Withdrawal[]>>();
  return client.withdrawals.waitUntilFinal(id, { deadlineMs: 1000 });
}

export const refusedByTheCompiler = [
  // @ts-expect-error the customer chooses the amount of a deposit
  () => client.payments.create({ type: "deposit", amount: 2500, orderId: "order_1" }),
  // @ts-expect-error only deposits have a customer's reference
  () => client.payments.create({ amount: 2500, orderId: "order_1", customerRefId: "c_1" }),
];

export function explain(error: unknown): string {
  if (ApiError.is(error)) {
    if (NotFoundError.is(error)) return error.name;
    // Not `never`, although the two classes have the same members.
    sameType<Equal<typeof error, ApiError>>();
  }
  if (OutcomeUnknownError.is(error)) {
    sameType<Equal<typeof error, OutcomeUnknownError>>();
    return String(error.idempotencyKey);
  }
  if (error instanceof RateLimitError) {
    sameType<Equal<typeof error.retryAfterMs, number | undefined>>();
    return String(error.retryAfterMs ?? 0);
  }
  if (SettlekitError.is(error)) return `${error.code} ${error.outcome}`;
  // @ts-expect-error other errors are unknown
  return error.message;
}

export async function asCustomer({ paymentId, secret }: CreatedPayment): Promise<void> {
  const checkout = client.checkout({ paymentId, secret });
  for await (const state of checkout.watch({ intervalMs: 1000 })) {
    sameType<Equal<typeof state, PaymentState>>();
  }
  const dashboard = client.dashboard({ merchantId: "m", accessToken: () => "token" });
  const { limits } = await dashboard.withdrawalConfig();
  sameType<Equal<typeof limits.minAmountInCents, number>>();
  const body = await client.request<{ ok: boolean }>({ method: "GET", path: "/v1/other" });
  sameType<Equal<typeof body, { ok: boolean }>>();
}
