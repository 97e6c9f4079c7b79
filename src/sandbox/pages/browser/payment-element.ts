import {
  CheckoutClient,
  type Payment,
  type PaymentRequestWithQr,
  SettlekitError,
} from "../../../checkout/index.ts";
import { type CopyButton, centsOf, part } from "./elements.ts";
import { say, showState, statusText, timeText } from "./payment-view.ts";
import { playedEvent, stateEvent } from "./sandbox-strip.ts";

/** A checkout client for the service that this page came from. */
export function checkoutHere(paymentId: string, secret: string): CheckoutClient {
  // The client takes plain http to this machine only; what the page came by may be the name of a container.
  const baseUrl = "http://localhost";
  return new CheckoutClient({
    paymentId,
    secret,
    baseUrl,
    fetch: (url, init) => fetch(String(url).slice(baseUrl.length), init),
  });
}

interface TokenChoice {
  readonly token: string;
  readonly network: string;
  readonly chainId: number;
  readonly contractAddress: string;
}

const quoteLifetimeMs = 600_000;

/** What the customer sees of a payment: what to send and where to, and what became of it. */
export class PaymentElement extends HTMLElement {
  readonly #leaving = new AbortController();
  #checkout: CheckoutClient | undefined;
  #payment: Payment | undefined;
  #request: PaymentRequestWithQr | undefined;
  #choices: readonly TokenChoice[] = [];
  /** For a deposit: what the customer chose, in USD cents. */
  #depositInCents: number | undefined;
  /** Of the latest question for a quote: answers to earlier ones come too late. */
  #asked = 0;
  /** Of the latest look, likewise. */
  #looked = 0;
  #nextLook: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    const { signal } = this.#leaving;
    this.#choices = JSON.parse(this.getAttribute("tokens") ?? "[]");
    this.#checkout = checkoutHere(this.#attribute("payment-id"), this.#attribute("secret"));
    this.addEventListener("change", () => void this.#quote(), { signal });
    part(this, "deposit").addEventListener("submit", (event) => this.#chooseDeposit(event));
    // What cannot be read now is read by the next look.
    document.addEventListener(playedEvent, () => void this.#look().catch(() => {}), { signal });
    const timer = setInterval(() => this.#countDown(), 250);
    signal.addEventListener("abort", () => {
      clearInterval(timer);
      clearTimeout(this.#nextLook);
    });
    void this.#open(this.#checkout);
  }

  disconnectedCallback(): void {
    this.#leaving.abort();
  }

  async #open(checkout: CheckoutClient): Promise<void> {
    const { signal } = this.#leaving;
    try {
      await this.#look();
      await this.#quote();
      this.removeAttribute("aria-busy");
      for await (const { status } of checkout.watch({ signal, intervalMs: 1_500 })) {
        if (status !== this.dataset.status) await this.#look();
      }
    } catch (error) {
      this.removeAttribute("aria-busy");
      if (!signal.aborted) say(this, "failed", messageOf(error));
    }
  }

  /** Reads the payment and shows how it stands. */
  async #look(): Promise<void> {
    const looked = ++this.#looked;
    const payment = await this.#checkout?.payment();
    // What was asked for later tells more.
    if (payment === undefined || looked !== this.#looked || this.#leaving.signal.aborted) return;
    this.#payment = payment;
    showState(this, payment);
    document.dispatchEvent(new CustomEvent(stateEvent, { detail: payment.status }));
    clearTimeout(this.#nextLook);
    // While it is confirmed the status stays, and the number of confirmations rises.
    if (payment.status === "processing") this.#lookLater();
  }

  #lookLater(): void {
    this.#nextLook = setTimeout(() => this.#look().catch(() => this.#lookLater()), 1_500);
  }

  #chooseDeposit(event: Event): void {
    event.preventDefault();
    const input = this.querySelector("input");
    this.#depositInCents = centsOf(input?.value ?? "");
    void this.#quote();
  }

  /** What the chosen token costs. The same quote comes again as long as it holds. */
  async #quote(): Promise<void> {
    const checkout = this.#checkout;
    const payment = this.#payment;
    const forceDepositAmount = this.#depositInCents;
    // Nothing else is asked a price for.
    if (!checkout || payment?.status !== "pending") return;
    if (payment.type === "deposit" && !forceDepositAmount) return;
    const choice = this.#choice();
    const { chainId, contractAddress } = choice;
    const asked = ++this.#asked;
    try {
      const input = { chainId, contractAddress, forceDepositAmount };
      const quote = await checkout.quotes.create(input);
      if (asked !== this.#asked || this.dataset.status !== "pending") return;
      this.#request = checkout.paymentRequest(payment, quote);
      this.#showRequest(this.#request, choice);
    } catch (error) {
      await this.#look().catch(() => {});
      if (this.dataset.status === "pending") say(this, "failed", messageOf(error));
    }
  }

  #choice(): TokenChoice {
    const chosen = (name: string) =>
      this.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)?.value;
    const [token, network] = [chosen("token"), chosen("network")];
    const found = this.#choices.find((it) => it.token === token && it.network === network);
    if (found === undefined) throw new Error("The page offers a token that it does not know.");
    return found;
  }

  #showRequest(request: PaymentRequestWithQr, { network }: TokenChoice): void {
    part(this, "amount").textContent = `${request.amount} ${request.symbol}`;
    part<CopyButton>(this, "copy-amount").value = request.amount;
    part(this, "address").textContent = request.address;
    part<CopyButton>(this, "copy-address").value = request.address;
    part(this, "network").textContent = network;
    // Drawn from the address alone, which has been checked to be one.
    part(this, "qr").innerHTML = request.addressQrSvg();
    part(this, "pay").hidden = false;
    say(this, "pending", statusText("pending"));
    this.#countDown();
  }

  #countDown(): void {
    if (this.#request === undefined || this.dataset.status !== "pending") return;
    // The service tells its time in whole seconds, so a fresh quote may seem to last a little longer.
    const remainingMs = Math.min(this.#request.remainingMs(), quoteLifetimeMs);
    part(this, "remaining").textContent = timeText(remainingMs);
    const share = remainingMs / quoteLifetimeMs;
    part(this, "track").style.setProperty("--share", String(share));
    if (remainingMs > 0) return;
    this.#request = undefined;
    void this.#quote();
  }

  #attribute(name: string): string {
    return this.getAttribute(name) ?? "";
  }
}

function messageOf(error: unknown): string {
  return SettlekitError.is(error) ? error.message : "Something went wrong. Load the page again.";
}
