import {
  CheckoutClient,
  isFinal,
  type Payment,
  type PaymentRequestWithQr,
  SettlekitError,
} from "../../../checkout/index.ts";
import { type CopyButton, centsOf, part } from "./elements.ts";
import { say, showState, statusText, timeText } from "./payment-view.ts";

/** Dispatched on the document when something happened to the payment. */
export const changedEvent = "sandbox:changed";

interface TokenChoice {
  readonly token: string;
  readonly network: string;
  readonly chainId: number;
  readonly contractAddress: string;
}

const quoteLifetimeMs = 600_000;
const pollMs = 1_500;

/** What the customer sees of a payment: what to send where, and the outcome. */
export class PaymentElement extends HTMLElement {
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #checkout!: CheckoutClient;
  #payment: Payment | undefined;
  #request: PaymentRequestWithQr | undefined;
  #choices: readonly TokenChoice[] = [];
  /** For a deposit: the customer's choice, in USD cents. */
  #depositInCents: number | undefined;
  /** Number of the latest request for a quote; answers to earlier ones are outdated. */
  #asked = 0;
  /** Number of the latest reading of the payment, likewise. */
  #looked = 0;

  connectedCallback(): void {
    const attribute = (name: string) => this.getAttribute(name) ?? "";
    this.#choices = JSON.parse(attribute("tokens"));
    this.#checkout = checkoutHere(
      attribute("payment-id"),
      attribute("secret"),
      attribute("header-prefix"),
    );
    this.addEventListener("change", () => void this.#quote());
    part(this, "deposit").addEventListener("submit", (event) => this.#chooseDeposit(event));
    document.addEventListener(changedEvent, this.#poll);
    this.#timers.push(
      setInterval(() => this.#countDown(), 250),
      setInterval(this.#poll, pollMs),
    );
    void this.#open();
  }

  disconnectedCallback(): void {
    document.removeEventListener(changedEvent, this.#poll);
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #open(): Promise<void> {
    try {
      await this.#look();
      await this.#quote();
    } catch (error) {
      say(this, "failed", messageOf(error));
    }
    this.removeAttribute("aria-busy");
  }

  /** Reads an open payment again, and an expired one when money arrives late. A failed read is repeated. */
  readonly #poll = (event?: Event): void => {
    const { status } = this.dataset;
    if (event || (status && !isFinal(status))) void this.#look().catch(() => {});
  };

  /** Reads the payment and shows its state. */
  async #look(): Promise<void> {
    const looked = ++this.#looked;
    const payment = await this.#checkout.payment();
    if (looked !== this.#looked) return;
    this.#payment = payment;
    showState(this, payment);
  }

  #chooseDeposit(event: Event): void {
    event.preventDefault();
    this.#depositInCents = centsOf(this.querySelector("input")?.value ?? "");
    void this.#quote();
  }

  /** Asks for the price in the chosen token. An active quote is returned again. */
  async #quote(): Promise<void> {
    const payment = this.#payment;
    const forceDepositAmount = this.#depositInCents;
    if (payment?.status !== "pending") return;
    if (payment.type === "deposit" && !forceDepositAmount) return;
    const choice = this.#choice();
    const { chainId, contractAddress } = choice;
    const asked = ++this.#asked;
    try {
      const input = { chainId, contractAddress, forceDepositAmount };
      const quote = await this.#checkout.quotes.create(input);
      if (asked !== this.#asked || this.dataset.status !== "pending") return;
      this.#request = this.#checkout.paymentRequest(payment, quote);
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
    // Drawn from nothing but the address, which has been validated.
    part(this, "qr").innerHTML = request.addressQrSvg();
    part(this, "pay").hidden = false;
    say(this, "pending", statusText("pending"));
    this.#countDown();
  }

  #countDown(): void {
    if (this.#request === undefined || this.dataset.status !== "pending") return;
    // The Date header has whole seconds, so a fresh quote may seem to last a little longer.
    const remainingMs = Math.min(this.#request.remainingMs(), quoteLifetimeMs);
    part(this, "remaining").textContent = timeText(remainingMs);
    part(this, "track").style.setProperty("--share", String(remainingMs / quoteLifetimeMs));
    if (remainingMs > 0) return;
    this.#request = undefined;
    void this.#quote();
  }
}

/** A checkout client for the origin of this page. */
function checkoutHere(paymentId: string, secret: string, headerPrefix: string): CheckoutClient {
  // The client accepts plain http on localhost only, but the sandbox may have the name of a container.
  const baseUrl = "http://localhost";
  return new CheckoutClient({
    paymentId,
    secret,
    headerPrefix,
    baseUrl,
    fetch: (url, init) => fetch(String(url).slice(baseUrl.length), init),
  });
}

function messageOf(error: unknown): string {
  return SettlekitError.is(error) ? error.message : "Something went wrong. Reload the page.";
}
