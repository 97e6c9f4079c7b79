import type { Sandbox } from "settlekit/sandbox";
import type { PageBody } from "../../src/wire/pagination.ts";
import type { CreatedPayment, Payment } from "../../src/wire/payment.ts";
import type { Withdrawal } from "../../src/wire/withdrawal.ts";

export const paymentsPath = "/v1/external/secretkey-auth/payments";
export const withdrawalsPath = "/v1/external/secretkey-auth/withdrawals";
/** Any origin reaches a sandbox in process. */
export const origin = "http://sandbox.test";
/** The start time of frozen sandboxes, a Thursday. */
export const newYear = new Date("2026-01-01T00:00:00.000Z");

export const order = { amount: 2500, currency: "USD", orderId: "order_1" };

export const payout = {
  amountInCents: 12_500,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** A request with the sandbox's secret key. */
function request(sandbox: Sandbox, path: string, { method, headers, body }: Sent = {}) {
  return new Request(origin + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      "X-Service-Secret-Key": sandbox.secretKey,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

export function send(sandbox: Sandbox, path: string, sent?: Sent): Promise<Response> {
  return sandbox.fetch(request(sandbox, path, sent));
}

export async function create(
  sandbox: Sandbox,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<CreatedPayment> {
  const response = await send(sandbox, paymentsPath, { body: { ...order, ...fields }, headers });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as CreatedPayment;
}

export async function withdraw(
  sandbox: Sandbox,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Withdrawal> {
  const response = await send(sandbox, withdrawalsPath, {
    body: { ...payout, ...fields },
    headers,
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Withdrawal;
}

export async function read(sandbox: Sandbox, paymentId: string): Promise<Payment> {
  return (await (await send(sandbox, `${paymentsPath}/${paymentId}`)).json()) as Payment;
}

export async function readWithdrawal(sandbox: Sandbox, id: string): Promise<Withdrawal> {
  return (await (await send(sandbox, `${withdrawalsPath}/${id}`)).json()) as Withdrawal;
}

export async function list(sandbox: Sandbox, query = ""): Promise<PageBody<Payment>> {
  return (await (await send(sandbox, paymentsPath + query)).json()) as PageBody<Payment>;
}

export interface ErrorBody {
  readonly error: Record<string, string>;
}

export async function errorOf(response: Response): Promise<ErrorBody["error"]> {
  return ((await response.json()) as ErrorBody).error;
}

/** The event and status of each webhook, oldest first. */
export const told = (sandbox: Sandbox) =>
  sandbox.webhooks.deliveries().map(({ event, data }) => `${event} ${data.status}`);
