import type { CheckoutClient, Payment, Quote } from "settlekit/checkout";
import { element } from "./elements.ts";

interface Shown {
  readonly payment: Payment;
  readonly quote: Quote;
  /** Aborts when the customer selects another token. */
  readonly signal: AbortSignal;
}

/** Shows what to send and where, counts down, and requests a new quote when one expires. */
export async function showRequest(
  checkout: CheckoutClient,
  { payment, quote, signal }: Shown,
): Promise<void> {
  const { chainId, token } = quote;
  let shown = quote;
  while (!signal.aborted) {
    const request = checkout.paymentRequest(payment, shown);
    // A QR code of the bare address, which every wallet reads. The SVG is safe: settlekit generates it.
    element("qr").innerHTML = request.addressQrSvg();
    element("amount").textContent = request.amount;
    element("symbol").textContent = request.symbol;
    element("chain").textContent = token.chain?.name ?? `chain ${chainId}`;
    element("address").textContent = request.address;

    // By the service's clock, because the customer's may be wrong.
    while (request.remainingMs() > 0 && !signal.aborted) {
      element("countdown").textContent = minutes(request.remainingMs());
      await sleep(1_000);
    }
    if (signal.aborted) return;
    element("countdown").textContent = minutes(0);
    try {
      shown = await checkout.quotes.create({ chainId, contractAddress: token.contractAddress });
    } catch (error) {
      console.error(error);
    }
    // Do not flood the service when it fails or returns an expired quote.
    if (checkout.paymentRequest(payment, shown).remainingMs() === 0) await sleep(5_000);
  }
}

function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
