import { toChecksumAddress } from "../../evm/address.ts";
import {
  createQuote,
  getCheckoutPayment,
  getCheckoutStatus,
  listQuotes,
  refreshCheckoutStatus,
} from "../../wire/operations.ts";
import type { Payment, PaymentState } from "../../wire/payment.ts";
import type { CreateQuoteBody, Quote } from "../../wire/quote.ts";
import type { Core } from "../core.ts";
import { found, Refusal } from "./answers.ts";
import { type Call, type Route, route } from "./operations.ts";
import type { Payments } from "./payments.ts";
import { isActive, latestQuote, quoteFor } from "./quotes.ts";
import { defaultToken, type PricedToken, supportedChainIds, tokenOn } from "./tokens.ts";
import { checkAmount, checkBy, checkOneOf, refuseField } from "./validation.ts";

/** The operations that the payment secret opens (interface section 4.3). */
export function checkoutRoutes({ clock, random }: Core, payments: Payments): Route[] {
  function paymentIn({ path: { paymentId = "" } }: Call): Payment {
    return found("payment", payments.find(paymentId));
  }

  function state(call: Call): PaymentState {
    const { id, status } = paymentIn(call);
    return { id, status };
  }

  /** Creates or updates a quote. The same request returns the same quote as long as it is active. */
  function quote(call: Call<CreateQuoteBody>): Quote {
    const payment = paymentIn(call);
    if (payment.status !== "pending") {
      throw new Refusal(400, {
        code: "payment_not_pending",
        message: `The payment is ${payment.status} and takes no more quotes. Create another payment.`,
      });
    }
    const priced = chosenToken(call.body);
    const amountInCents = amountToQuote(payment, call.body.forceDepositAmount);

    const latest = latestQuote(payment.quotes, priced);
    const active = latest && isActive(latest) ? latest : undefined;
    const request = { paymentId: payment.id, amountInCents, nowMs: clock.nowMs() };
    const id = active?.id ?? random.stream("quotes").uuid();
    const fresh = quoteFor(priced, request, id);
    if (active?.expectedAmountAsset === fresh.expectedAmountAsset) return active;
    const offered = { ...fresh, createdAt: active?.createdAt ?? fresh.createdAt };
    payments.offer(payment, offered, amountInCents);
    return offered;
  }

  return [
    route(getCheckoutPayment, paymentIn),
    route(getCheckoutStatus, state),
    route(listQuotes, (call) => paymentIn(call).quotes.filter(isActive)),
    route(createQuote, quote),
    // There is no chain to look at: the test simulates what arrives.
    route(refreshCheckoutStatus, state),
  ];
}

function chosenToken({ chainId, contractAddress }: CreateQuoteBody): PricedToken {
  if (chainId === undefined && contractAddress === undefined) return defaultToken;
  if (chainId === undefined) throw incomplete("chainId", "contractAddress");
  checkOneOf("chainId", supportedChainIds, chainId);
  if (contractAddress === undefined) throw incomplete("contractAddress", "chainId");
  checkBy(() => toChecksumAddress(contractAddress, "contractAddress"));
  const priced = tokenOn(chainId, contractAddress);
  if (priced !== undefined) return priced;
  throw new Refusal(422, {
    code: "unsupported_token",
    param: "contractAddress",
    message: "contractAddress is not a token that is accepted on this chain.",
  });
}

function incomplete(missing: string, given: string) {
  return refuseField(400, missing, `is missing. It belongs with ${given}; leave out both or none.`);
}

/** The customer chooses a deposit's amount; until then it is 0. */
function amountToQuote(payment: Payment, forcedInCents: number | undefined): number {
  if (forcedInCents === undefined) return payment.amountInCents;
  if (payment.type !== "deposit") {
    throw refuseField(422, "forceDepositAmount", "applies to deposits only. Leave it out.");
  }
  checkAmount("forceDepositAmount", forcedInCents, 1);
  return forcedInCents;
}
