import * as z from "zod/mini";
import {
  createPayment as createPaymentOperation,
  getPayment,
  listPayments,
} from "../../wire/operations.ts";
import type { PageBody } from "../../wire/pagination.ts";
import {
  type CreatedPayment,
  type CreatePaymentBody,
  createPaymentBodySchema,
  type Payment,
  type PaymentListQuery,
} from "../../wire/payment.ts";
import { found, Refusal } from "./answers.ts";
import { listPage } from "./lists.ts";
import { type Call, type Route, route } from "./operations.ts";
import type { Payments } from "./payments.ts";
import { checkAmount, checkMetadata, refuseField } from "./validation.ts";

/** The merchant's operations on payments (interface sections 4.1 and 4.2). */
export function paymentRoutes(payments: Payments): Route[] {
  function create({ body, origin, merchant }: Call<CreatePaymentBody>): CreatedPayment {
    const { type = "payment", amount, ...fields } = body;
    const { orderId, redirectUrl, customMetadata } = fields;
    if (type === "deposit" && !merchant.depositsEnabled) {
      throw new Refusal(403, {
        code: "deposits_disabled",
        message: "Deposits are disabled for this merchant. Enable them, or create a payment.",
      });
    }
    const { minPaymentInCents } = merchant.limits;
    const amountInCents = type === "deposit" ? 0 : checkedAmount(amount, minPaymentInCents);
    checkRedirectUrl(redirectUrl);
    checkMetadata(customMetadata);
    const { payment, secret } = payments.create({
      merchant,
      type,
      amountInCents,
      orderId,
      redirectUrl,
      customMetadata,
      customerRefId: type === "deposit" ? fields.customerRefId : undefined,
    });
    const { id: paymentId } = payment;
    return { payment, paymentUrl: `${origin}/payment/${paymentId}`, paymentId, secret };
  }

  function get({ path: { paymentId = "" }, merchant }: Call): Payment {
    const payment = payments.find(paymentId);
    const isOwn = payment?.merchantId === merchant.merchantId;
    return found("payment", isOwn ? payment : undefined);
  }

  function list({ query, merchant }: Call<unknown, PaymentListQuery>): PageBody<Payment> {
    return listPage(payments.allOf(merchant.merchantId), query);
  }

  return [
    route({ ...createPaymentOperation, body: createBodySchema }, create),
    route(getPayment, get),
    route(listPayments, list),
  ];
}

/** A deposit's amount is ignored, so an invalid one must not be refused. */
const createBodySchema = z.pipe(
  z.transform((body: Record<string, unknown>) =>
    body.type === "deposit" ? { ...body, amount: undefined } : body,
  ),
  createPaymentBodySchema,
);

function checkedAmount(amount: number | undefined, minPaymentInCents: number): number {
  if (amount === undefined) {
    throw refuseField(400, "amount", "is missing. It must be a number of USD cents.");
  }
  checkAmount("amount", amount, minPaymentInCents);
  return amount;
}

function checkRedirectUrl(redirectUrl: string | undefined): void {
  if (redirectUrl === undefined) return;
  const url = URL.parse(redirectUrl);
  if (url !== null && /^https?:$/.test(url.protocol)) return;
  throw refuseField(422, "redirectUrl", "must be an absolute http or https URL.");
}
