import { toChecksumAddress } from "../../evm/address.ts";
import {
  type CreatedPayment,
  type CreatePaymentBody,
  isRedirectUrl,
  type Payment,
  type PaymentListQuery,
  type PaymentState,
  redirectUrlRule,
} from "../../wire/payment.ts";
import type { CreateQuoteInput, Quote } from "../../wire/quote.ts";
import type { Core } from "../core.ts";
import { found, pageOf, Refusal } from "./answers.ts";
import type { Call } from "./operations.ts";
import type { Payments } from "./payments.ts";
import { isActive, latestQuote, quoteFor } from "./quotes.ts";
import { defaultToken, type SettlementToken, supportedChainIds, tokenOn } from "./tokens.ts";
import { checkedAmount, checkMetadata, checkOneOf, refuseField } from "./validation.ts";

/** The operations on payments: the merchant's (interface sections 4.1 and 4.2) and the customer's (section 4.3). */
export function paymentHandlers({ clock, dialect, random }: Core, payments: Payments) {
  function create({ body, origin, merchant }: Call<CreatePaymentBody>): CreatedPayment {
    const { type, amount, redirectUrl, customMetadata } = body;
    if (type === "deposit" && !merchant.depositsEnabled) {
      const message = "Deposits are disabled for this merchant. Enable them, or create a payment.";
      throw new Refusal(403, { code: "deposits_disabled", message });
    }
    const { minPaymentInCents } = merchant.limits;
    const amountInCents =
      type === "deposit" ? 0 : checkedAmount("amount", amount, minPaymentInCents);
    if (redirectUrl !== undefined && !isRedirectUrl(redirectUrl)) {
      throw refuseField(422, "redirectUrl", `${redirectUrlRule}.`);
    }
    // The newest description takes any text.
    if (dialect === "documented") checkMetadata(customMetadata);
    const { payment, secret } = payments.create(merchant, body, amountInCents);
    const { id: paymentId } = payment;
    return { payment, paymentUrl: `${origin}/payment/${paymentId}`, paymentId, secret };
  }

  /** The merchant's payment, or the one that the payment secret belongs to. */
  function get({ path: { paymentId = "" }, merchant }: Call): Payment {
    const payment = payments.find(paymentId);
    const isOwn = payment?.merchantId === merchant.merchantId;
    return found("payment", isOwn ? payment : undefined);
  }

  function list({ query, merchant }: Call<unknown, PaymentListQuery>) {
    const { merchantId } = merchant;
    const matching = payments.all().filter((it) => it.merchantId === merchantId && fits(it, query));
    // Sorting is stable: payments of equal amounts stay in order of creation.
    if (query.sortBy === "amountInCents")
      matching.sort((a, b) => a.amountInCents - b.amountInCents);
    return pageOf(query.sortOrder === "ASC" ? matching : matching.reverse(), query);
  }

  function state(call: Call): PaymentState {
    const { id, status } = get(call);
    return { id, status };
  }

  /** Creates or updates a quote. Repeating the request returns the same quote while it is active. */
  function quote(call: Call<CreateQuoteInput>): Quote {
    const payment = get(call);
    if (payment.status !== "pending") {
      const message = `The payment is ${payment.status} and accepts no more quotes. Create another payment.`;
      throw new Refusal(400, { code: "payment_not_pending", message });
    }
    const token = chosenToken(call.body);
    const amountInCents = amountToQuote(payment, call.body.forceDepositAmount);

    const active = latestQuote(payment.quotes.filter(isActive), token);
    const request = { paymentId: payment.id, amountInCents, nowMs: clock.nowMs() };
    const id = active?.id ?? random.stream("quotes").uuid();
    const fresh = quoteFor(token, request, id);
    if (active?.expectedAmountAsset === fresh.expectedAmountAsset) return active;
    const offered = { ...fresh, createdAt: active?.createdAt ?? fresh.createdAt };
    payments.offer(payment, offered, amountInCents);
    return offered;
  }

  return {
    createPayment: create,
    getPayment: get,
    listPayments: list,
    getCheckoutPayment: get,
    getCheckoutStatus: state,
    listQuotes: (call: Call) => get(call).quotes.filter(isActive),
    createQuote: quote,
    // There is no chain to check: scenarios simulate incoming money.
    refreshCheckoutStatus: state,
  };
}

function fits(payment: Payment, { status, type, search }: PaymentListQuery): boolean {
  if (payment.status !== (status ?? payment.status)) return false;
  if (payment.type !== (type ?? payment.type)) return false;
  if (!search) return true;
  const { id, depositAddress, merchantShortName, receipt } = payment;
  const { txHash, txSenderAddress } = receipt ?? {};
  const texts = [id, depositAddress?.address, merchantShortName, txHash, txSenderAddress];
  return texts.some((text) => text?.toLowerCase().includes(search.toLowerCase()));
}

function chosenToken({ chainId, contractAddress }: CreateQuoteInput): SettlementToken {
  if (chainId === undefined && contractAddress === undefined) return defaultToken;
  if (chainId === undefined) throw incomplete("chainId", "contractAddress");
  checkOneOf("chainId", supportedChainIds, chainId);
  if (contractAddress === undefined) throw incomplete("contractAddress", "chainId");
  toChecksumAddress(contractAddress, "contractAddress");
  const token = tokenOn(chainId, contractAddress);
  if (token !== undefined) return token;
  const message = "contractAddress is not a supported token on this chain.";
  throw new Refusal(422, { code: "unsupported_token", param: "contractAddress", message });
}

function incomplete(missing: string, given: string) {
  return refuseField(400, missing, `is missing. Send it with ${given}, or leave out both.`);
}

/** A deposit's amount is 0 until the customer chooses it. */
function amountToQuote(payment: Payment, forcedInCents: number | undefined): number {
  if (forcedInCents === undefined) return payment.amountInCents;
  if (payment.type !== "deposit") {
    throw refuseField(422, "forceDepositAmount", "applies to deposits only. Leave it out.");
  }
  return checkedAmount("forceDepositAmount", forcedInCents, 1);
}
