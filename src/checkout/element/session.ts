import { InvalidRequestError, SettlekitError } from "../../errors.ts";
import type { ClientEvent } from "../../http/events.ts";
import { passesByItself } from "../../resources/waiting.ts";
import { isFinal } from "../../wire/payment-status.ts";
import type { RefreshStatusInput } from "../checkout.ts";
import type { Connection } from "./connect.ts";
import {
  type Choice,
  checkPayment,
  choicesOf,
  codeOf,
  firstChoice,
  type Known,
  nothingKnown,
  offerOf,
  problemOf,
} from "./state.ts";
import { WalletPayment } from "./wallet-payment.ts";
import type { RpcUrls } from "./wallets.ts";

/** How often the countdown is looked at. */
const tickMs = 250;
/** Between readings of a payment whose confirmations rise, or that could not be read. */
const rereadMs = 3_000;
/** After a price could not be loaded. */
const retryPriceMs = 10_000;

interface SessionOptions {
  readonly rpcUrls: () => RpcUrls;
  readonly onChange: (known: Known) => void;
  /** Told of every error that a developer may want to know, once. */
  readonly onError: (error: SettlekitError) => void;
}

/** Follows one payment, asks for its prices, and lets wallets pay it. Everything it learns is one `Known`. */
export class Session {
  readonly #options: SessionOptions;
  readonly #stopping = new AbortController();
  #connection: Connection | undefined;
  #known: Known = nothingKnown;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Number of the latest reading of the payment; answers to earlier ones are outdated. */
  #looked = 0;
  #looking = 0;
  #lookedAt = 0;
  /** Whether the payment is known to have changed since it was read. */
  #isStale = false;
  /** Number of the latest request for a quote, likewise. */
  #asked = 0;
  /** The request that is under way. */
  #asking: number | undefined;
  #retryPriceAt: number | undefined;
  #walletPayment: WalletPayment | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** @param connect What it throws becomes the problem that is shown. */
  start(connect: (onEvent: (event: ClientEvent) => void) => Connection): void {
    try {
      this.#connection = connect((event) => this.#observe(event));
      this.#known = { ...nothingKnown, returnUrl: this.#connection.returnUrl };
    } catch (error) {
      this.#fail(error);
      return;
    }
    const { signal } = this.#stopping;
    addEventListener("online", () => void this.refresh(), { signal });
    addEventListener("offline", () => this.#update({ isOffline: true }), { signal });
    this.#walletPayment = new WalletPayment({
      signal,
      known: () => this.#known,
      update: (facts) => this.#update(facts),
      report: (error) => this.#report(error),
      rpcUrls: this.#options.rpcUrls,
      tell: (input) => this.#tell(input),
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
    void this.#follow(this.#connection);
  }

  stop(): void {
    this.#stopping.abort();
    clearInterval(this.#timer);
  }

  /** Reads the payment again now. */
  async refresh(): Promise<void> {
    await this.#look();
    if (this.#known.offer === undefined && this.#asking !== this.#asked) await this.#ask();
  }

  choose(choice: Choice): void {
    if (choice.key === this.#known.choice?.key) return;
    this.giveUpWallet();
    this.#update({ choice, offer: undefined, isRenewed: false });
    void this.#ask();
  }

  /** @param depositInCents Undefined to choose again. */
  chooseDeposit(depositInCents: number | undefined): void {
    this.giveUpWallet();
    this.#asked += 1;
    this.#update({ depositInCents, offer: undefined, isRenewed: false, priceFailure: undefined });
    void this.#ask();
  }

  /** Asks for the price again, after it could not be loaded. */
  retryPrice(): void {
    void this.#ask();
  }

  /** Stops waiting for a wallet. What it still sends is found all the same. */
  giveUpWallet(): void {
    this.#walletPayment?.giveUp();
  }

  /** Pays what is shown from a wallet. */
  pay(uuid: string): void {
    void this.#walletPayment?.pay(uuid);
  }

  async #follow({ checkout }: Connection): Promise<void> {
    const { signal } = this.#stopping;
    await this.#look();
    if (this.#known.problem && this.#known.problem.kind !== "unavailable") return;
    void this.#ask();
    try {
      for await (const { status } of checkout.watch({ signal })) {
        if (status !== this.#known.payment?.status) await this.#look();
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    const looked = ++this.#looked;
    this.#lookedAt = performance.now();
    const { paymentId, checkout } = this.#connection ?? {};
    if (checkout === undefined) return;
    this.#looking += 1;
    try {
      const payment = await checkout.payment({ signal });
      if (looked !== this.#looked || signal.aborted) return;
      checkPayment(payment, paymentId);
      this.#isStale = false;
      const wasUnread = this.#known.payment === undefined;
      this.#update({ payment, problem: undefined, ...this.#offering(choicesOf(payment.quotes)) });
      const { status, type } = payment;
      if (status !== "pending") this.#close();
      else if (wasUnread && type === "deposit") await this.#loadChoices();
    } catch (error) {
      if (signal.aborted || looked !== this.#looked) return;
      this.#isStale = true;
      const { payment } = this.#known;
      // What was read last stays; it is read again.
      if (payment && (passesByItself(error) || isFinal(payment.status))) return;
      this.#fail(error);
    } finally {
      this.#looking -= 1;
    }
  }

  /** Nothing is left to pay. */
  #close(): void {
    this.giveUpWallet();
    this.#asked += 1;
    this.#update({ offer: undefined, priceFailure: undefined });
  }

  /** A deposit may come without quotes: every token of the service is a choice then. */
  async #loadChoices(): Promise<void> {
    if (this.#known.choices.length > 0) return;
    const { signal } = this.#stopping;
    // Without the list, the service chooses the token.
    const page = await this.#connection?.tokens.list({}, { signal }).catch(() => undefined);
    const usable = (page?.data ?? []).flatMap((token) => {
      const { status, chain } = token;
      return status === "active" && chain?.isEnabled ? [{ token, chainId: chain.chainId }] : [];
    });
    this.#update(this.#offering(choicesOf(usable)));
  }

  /** With more choices, of which one is chosen. */
  #offering(more: readonly Choice[]): Pick<Known, "choices" | "choice"> {
    const { choices: known, choice } = this.#known;
    const added = more.filter(({ key }) => !known.some((it) => it.key === key));
    const choices = [...known, ...added];
    return { choices, choice: choice ?? firstChoice(choices) };
  }

  /** Asks for the price in the chosen token. An active quote is returned again. */
  async #ask(): Promise<void> {
    const { payment, choice, depositInCents: forceDepositAmount, offer: before } = this.#known;
    const { checkout } = this.#connection ?? {};
    if (checkout === undefined || payment?.status !== "pending") return;
    const isDeposit = payment.type === "deposit";
    if (isDeposit && forceDepositAmount === undefined) return;
    if (choice === undefined && !isDeposit) {
      this.#update({ priceFailure: { kind: "noChoice", code: "no_choice" } });
      return;
    }
    const asked = ++this.#asked;
    const { signal } = this.#stopping;
    this.#asking = asked;
    this.#retryPriceAt = undefined;
    this.#update({ offer: undefined, priceFailure: undefined });
    try {
      const { chainId, contractAddress } = choice ?? {};
      const input = { chainId, contractAddress, ...(isDeposit && { forceDepositAmount }) };
      const quote = await checkout.quotes.create(input, { signal });
      if (asked !== this.#asked) return;
      const offer = offerOf(checkout.paymentRequest(payment, quote), quote, choice);
      this.#asking = undefined;
      const isRenewed = before !== undefined && before.request.amount !== offer.request.amount;
      this.#update({ offer, choice: offer.choice, isRenewed });
    } catch (error) {
      if (asked !== this.#asked || signal.aborted) return;
      // The payment may have ended meanwhile, and takes no quote then.
      await this.#look();
      if (asked !== this.#asked || this.#known.payment?.status !== "pending") return;
      this.#report(error);
      this.#asking = undefined;
      if (mayPass(error)) this.#retryPriceAt = performance.now() + retryPriceMs;
      const isOurs = InvalidRequestError.is(error) && error.status === undefined;
      const kind = isOurs ? "unpayable" : "priceFailed";
      this.#update({ priceFailure: { kind, code: codeOf(error) } });
    }
  }

  #tick(): void {
    const { payment, offer, wallet } = this.#known;
    const now = performance.now();
    const isDue = this.#looking === 0 && now - this.#lookedAt > rereadMs;
    if (isDue && (this.#isStale || payment?.status === "processing")) void this.#look();
    this.#walletPayment?.tick(now);
    if (payment?.status !== "pending") return;
    if (offer && offer.request.remainingMs() === 0) {
      this.#walletPayment?.expire();
      if (wallet?.step !== "sent") void this.#ask();
    } else if (this.#retryPriceAt !== undefined && now > this.#retryPriceAt) {
      void this.#ask();
    } else if (offer) {
      this.#options.onChange(this.#known);
    }
  }

  /** Tells the service of a transaction. It looks at the chain by itself, so a failure loses nothing. */
  async #tell(input: RefreshStatusInput): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const state = await this.#connection?.checkout.refreshStatus(input, { signal });
      if (state && state.status !== this.#known.payment?.status) await this.#look();
    } catch (error) {
      if (!signal.aborted) this.#report(error);
    }
  }

  /** Whether the service can be reached, as every request shows it. */
  #observe(event: ClientEvent): void {
    if (event.type !== "attempt") return;
    const isOffline = event.status === undefined && event.failure !== undefined;
    if (this.#stopping.signal.aborted || isOffline === this.#known.isOffline) return;
    if (event.failure !== "aborted") this.#update({ isOffline });
  }

  /** Shows that nothing of the payment can be shown. */
  #fail(error: unknown): void {
    this.#report(error);
    this.giveUpWallet();
    this.#update({ problem: problemOf(error), offer: undefined });
  }

  #report(error: unknown): void {
    const known = SettlekitError.is(error)
      ? error
      : new SettlekitError("The checkout failed unexpectedly.", {
          code: "unexpected_error",
          cause: error,
        });
    this.#options.onError(known);
  }

  #update(facts: Partial<Known>): void {
    if (this.#stopping.signal.aborted) return;
    this.#known = { ...this.#known, ...facts };
    this.#options.onChange(this.#known);
  }
}

/** Whether asking again may give a price. */
function mayPass(error: unknown): boolean {
  return passesByItself(error) || (SettlekitError.is(error) && error.code === "quote_expired");
}
