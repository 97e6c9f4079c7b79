import { InvalidRequestError, SettlekitError } from "../../errors.ts";
import { realTime, ServiceClock } from "../../http/time.ts";
import { passesByItself } from "../../resources/waiting.ts";
import { timeOf } from "../../values.ts";
import type { Quote } from "../../wire/quote.ts";
import { paymentRequest } from "../payment-request.ts";
import { type Choice, choicesOf, codeOf, type Offer, offerOf, type Shared } from "./state.ts";

/** The wait before a price that could not be loaded is requested again. */
const retryMs = 10_000;

interface PricesOptions extends Shared {
  readonly signal: () => AbortSignal;
}

/** The tokens to choose from, and the price in the chosen one. A new request for a price cancels the one before. */
export class Prices {
  readonly #options: PricesOptions;
  /** The current request for a price. */
  #request: AbortController | undefined;
  #retryAt: number | undefined;
  /** The offer that the customer saw last, which requests may have failed to replace. */
  #seen: Offer | undefined;

  constructor(options: PricesOptions) {
    this.#options = options;
  }

  /** Adds the choices that a payment's quotes offer, and requests a price if there is none. */
  async take(quotes: readonly Quote[]): Promise<void> {
    const { known } = this.#options;
    this.#addChoices(choicesOf(quotes));
    if (known().payment?.type === "deposit") await this.#loadChoices();
    if (known().priceFailure === undefined) void this.askIfNone();
  }

  async askIfNone(): Promise<void> {
    if (this.#options.known().offer === undefined && !this.#request) await this.ask();
  }

  /** Forgets the price, and cancels the current request. */
  drop(): void {
    this.#seen = undefined;
    this.#request?.abort();
    this.#request = undefined;
    this.#retryAt = undefined;
    this.#options.update({ offer: undefined, priceFailure: undefined });
  }

  /** Requests the price in the chosen token, or in the service's default one. An active quote is returned again. */
  async ask(): Promise<void> {
    const { known, update, report, connection, reread } = this.#options;
    const { payment, choice, depositInCents: forceDepositAmount, priceFailure: before } = known();
    const { checkout } = connection() ?? {};
    if (checkout === undefined || payment?.status !== "pending") return;
    const isDeposit = payment.type === "deposit";
    if (isDeposit && forceDepositAmount === undefined) return;
    const seen = this.#seen;
    this.drop();
    this.#seen = seen;
    const request = new AbortController();
    const signal = AbortSignal.any([this.#options.signal(), request.signal]);
    this.#request = request;
    try {
      const { chainId, contractAddress } = choice ?? {};
      const input = { chainId, contractAddress, ...(isDeposit && { forceDepositAmount }) };
      const answer = checkout.quotes.create(input, { signal }).withResponse();
      const { data: quote, headers } = await answer;
      if (signal.aborted) return;
      const clock = clockOf(quote, headers);
      const payable = clock
        ? paymentRequest(payment, quote, () => clock.now())
        : checkout.paymentRequest(payment, quote);
      const offer = offerOf(payable, quote, choice);
      this.#request = undefined;
      const isRenewed =
        seen?.choice.key === offer.choice.key && seen.request.amount !== offer.request.amount;
      this.#seen = offer;
      update({ offer, choice: offer.choice, isRenewed });
    } catch (error) {
      if (signal.aborted) return;
      // The payment may have ended meanwhile: then it accepts no quotes, and reading it drops the price.
      await reread();
      if (signal.aborted) return;
      const code = codeOf(error);
      // Retries that fail for the same reason are not worth an event each.
      if (code !== before?.code) report(error);
      this.#request = undefined;
      if (mayPass(error)) this.#retryAt = performance.now() + retryMs;
      const isOurs = InvalidRequestError.is(error) && error.status === undefined;
      const kind = isOurs ? "unpayable" : "priceFailed";
      update({ priceFailure: { kind, code } });
    }
  }

  /** Requests the price again once its retry is due. */
  tick(now: number): void {
    if (this.#retryAt !== undefined && now > this.#retryAt) void this.ask();
  }

  /** A deposit may have no quotes: then every token of the service can be chosen. */
  async #loadChoices(): Promise<void> {
    const { known, connection, signal } = this.#options;
    if (known().choices.length > 0) return;
    // Without the list, the service chooses the token.
    const listed = connection()?.tokens.list({}, { signal: signal() });
    const page = await listed?.catch(() => undefined);
    const usable = (page?.data ?? []).flatMap((token) => {
      const { status, chain } = token;
      return status === "active" && chain?.isEnabled ? [{ token, chainId: chain.chainId }] : [];
    });
    this.#addChoices(choicesOf(usable));
  }

  /** Adds choices. Selects one if none is selected: the first stablecoin, because its amount is easy to understand. */
  #addChoices(more: readonly Choice[]): void {
    const { choices: known, choice: chosen } = this.#options.known();
    const added = more.filter(({ key }) => !known.some((it) => it.key === key));
    const choices = [...known, ...added];
    const choice = chosen ?? choices.find(({ isStable }) => isStable) ?? choices[0];
    this.#options.update({ choices, choice });
  }
}

/**
 * A clock that starts at the quote's creation, for a device whose own clock is wrong: it contradicts a quote that can
 * be paid. Undefined if the device's clock is plausible, or if the page can read the service's Date header.
 */
export function clockOf({ status, ...quote }: Quote, headers: Headers): ServiceClock | undefined {
  const [createdAt, expiresAt] = [timeOf(quote.createdAt), timeOf(quote.expiresAt)];
  const now = realTime.wallClock();
  const isWrong = now < createdAt || now >= expiresAt;
  if (!isWrong || status !== "active" || headers.has("date")) return undefined;
  const clock = new ServiceClock(realTime);
  clock.set(createdAt);
  return clock;
}

/** Whether a retry may succeed. */
function mayPass(error: unknown): boolean {
  return passesByItself(error) || (SettlekitError.is(error) && error.code === "quote_expired");
}
