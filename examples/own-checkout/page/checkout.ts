// The page where the customer pays. It holds only the payment's secret, which gives access to this payment and
// nothing else. It informs the customer; the shop ships when the webhook arrives.

import { CheckoutClient, isPaid, type Payment, type Quote } from "settlekit/checkout";
import { element, setUpCopying } from "./elements.ts";
import { showRequest } from "./payment-request.ts";

/** The shop server's answer about the order in this page's URL. */
interface OpenOrder {
  readonly product: string;
  /** USD cents. */
  readonly amountInCents: number;
  readonly state: string;
  readonly baseUrl: string;
  /** Null once the order is settled. */
  readonly payment: { readonly paymentId: string; readonly secret: string } | null;
}

const status = element("status");

try {
  await checkOut(await openOrder());
} catch (error) {
  fail(error);
}

async function openOrder(): Promise<OpenOrder> {
  const answer = await fetch(`${location.pathname}/payment`, { method: "POST" });
  if (!answer.ok) throw new Error(`The shop answered with ${answer.status}.`);
  return (await answer.json()) as OpenOrder;
}

async function checkOut({ product, amountInCents, state, baseUrl, payment: opened }: OpenOrder) {
  element("title").textContent = `${product}, $${(amountInCents / 100).toFixed(2)}`;
  if (opened === null) return say(state);
  const checkout = new CheckoutClient({ ...opened, baseUrl });
  const payment = await checkout.payment();
  const showing = new AbortController();
  setUpCopying();
  await letChoose(checkout, payment, showing.signal);

  // Yields the current status first, and ends after a final one.
  for await (const { status: reached } of checkout.watch()) say(reached);
  showing.abort();
}

function say(reached: string): void {
  const texts: Readonly<Record<string, string>> = {
    pending: "Waiting for your payment",
    "awaiting payment": "Waiting for your payment",
    processing: "Your payment is on its way",
    expired: "The time to pay is over. If you have already paid, your payment will still be found.",
    "not paid": "This order was not paid",
  };
  const isDone = isPaid(reached) || reached === "paid";
  status.textContent = isDone ? "Paid. Thank you!" : (texts[reached] ?? `The payment ${reached}`);
  element("request").hidden = reached !== "pending";
}

/** Offers every token that the payment has a quote for, and shows how to pay with the selected one. */
async function letChoose(checkout: CheckoutClient, payment: Payment, signal: AbortSignal) {
  const select = element<HTMLSelectElement>("quotes");
  // Stablecoins first.
  const isStable = ({ token }: Quote) => Number(token.type === "stablecoin");
  const quotes = (await checkout.quotes.list()).sort((a, b) => isStable(b) - isStable(a));
  select.replaceChildren(
    ...quotes.map(({ token, chainId }, index) => {
      const name = `${token.symbol} on ${token.chain?.name ?? `chain ${chainId}`}`;
      return new Option(name, String(index));
    }),
  );
  let other = new AbortController();
  const choose = () => {
    other.abort();
    other = new AbortController();
    const quote = quotes[Number(select.value)];
    if (quote === undefined) throw new Error("The payment has no quote yet.");
    const until = AbortSignal.any([other.signal, signal]);
    void showRequest(checkout, { payment, quote, signal: until }).catch(fail);
  };
  select.addEventListener("change", choose);
  choose();
}

function fail(error: unknown): void {
  console.error(error);
  status.textContent =
    "Something went wrong. This page has not charged you anything; please reload it.";
}
