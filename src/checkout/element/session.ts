import { SettlekitError } from "../../errors.ts";
import type { ClientEvent } from "../../http/events.ts";
import { passesByItself } from "../../resources/waiting.ts";
import { isFinal } from "../../wire/payment-status.ts";
import type { Connection } from "./connect.ts";
import type { Actions } from "./pay-panel.ts";
import { Prices } from "./prices.ts";
import { ReturnToShop } from "./return-to-shop.ts";
import {
  awaitsTransfer,
  checkPayment,
  type Known,
  nothingKnown,
  type PayingAgain,
  problemOf,
  rereadMs,
  type Shared,
} from "./state.ts";
import { WalletPayment } from "./wallet-payment.ts";
import type { RpcUrls } from "./wallets.ts";

/** How often the countdown is updated. */
const tickMs = 250;

/** Creates the payment's client. */
export type Connect = (onEvent: (event: ClientEvent) => void) => Connection;

interface SessionOptions {
  readonly rpcUrls: () => RpcUrls;
  readonly onChange: (known: Known) => void;
  /** Receives every error that may interest a developer, once. */
  readonly onError: (error: SettlekitError) => void;
}

/**
 * Follows one payment, requests its prices, and lets wallets pay it. Everything it learns is in one `Known`, which
 * lasts as long as the session. The session may stop and start again, for example with other attributes. Another
 * payment gets another session.
 */
export class Session implements Actions {
  readonly #options: SessionOptions;
  readonly #prices: Prices;
  readonly #walletPayment: WalletPayment;
  readonly #return: ReturnToShop;
  #stopping = new AbortController();
  /** The last valid connection: even a stopped session reports a wallet's transfers to the service. */
  #connection: Connection | undefined;
  #known: Known = nothingKnown;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The signal of the start whose status is being watched. */
  #watching: AbortSignal | undefined;
  /** Number of the latest read of the payment. */
  #reads = 0;
  /** Number of the read whose result is shown; results of earlier ones are outdated. */
  #shown = 0;
  #reading = 0;
  #readAt = 0;
  /** When the status was first read, or last changed. */
  #changedAt = 0;
  /** Whether the payment is known to have changed since the last read. */
  #isStale = false;
  /** The newest status, which a copy of the payment may lag behind. */
  #status = "pending";

  constructor(options: SessionOptions) {
    this.#options = options;
    const shared: Shared = {
      known: () => this.#known,
      update: (facts) => this.#update(facts),
      report: (error) => this.#report(error),
      connection: () => this.#connection,
      reread: () => this.refresh(),
    };
    this.#prices = new Prices({ ...shared, signal: () => this.#stopping.signal });
    this.#walletPayment = new WalletPayment({ ...shared, rpcUrls: options.rpcUrls });
    this.#return = new ReturnToShop(shared);
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Starts the session, which must be stopped.
   *
   * @param connect If it throws, its error becomes the displayed problem.
   */
  start(connect: Connect): void {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    this.#update({ problem: undefined });
    try {
      this.#connection = connect((event) => this.#observe(event, signal));
    } catch (error) {
      // No other connection replaces the last one: what a wallet still sends is reported through it.
      this.#fail(error);
      return;
    }
    const { paymentId, returnUrl } = this.#connection;
    this.#update({ returnUrl });
    addEventListener("online", () => void this.refresh(), { signal });
    // Timers may have paused while the page was hidden, or the device asleep.
    const onVisible = () => document.hidden || void this.refresh();
    document.addEventListener("visibilitychange", onVisible, { signal });
    addEventListener("offline", () => this.#update({ isOffline: true }), { signal });
    // A browser may restore the page just as it was left.
    addEventListener("pagehide", () => this.stay(), { signal });
    this.#walletPayment.start(paymentId, signal);
    this.#timer = setInterval(() => this.#tick(), tickMs);
    void this.#read();
  }

  /** Ends everything except a transfer that a wallet is showing. Discards the price, so that no wallet sends later. */
  stop(): void {
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#walletPayment.stop();
    this.#prices.drop();
    this.#return.stop();
  }

  /** Takes over another connection's return URL, and nothing else. */
  setReturnUrl(connect: Connect): void {
    try {
      this.#update({ returnUrl: connect(() => {}).returnUrl });
    } catch (error) {
      this.#report(error);
    }
  }

  /** Reads the payment again now, unless the session is stopped. */
  async refresh(): Promise<void> {
    if (!this.isRunning) return;
    await this.#read();
    await this.#prices.askIfNone();
  }

  choose(key: string): void {
    this.giveUpWallet();
    const choice = this.#known.choices.find((it) => it.key === key);
    this.#update({ choice, offer: undefined });
    void this.#prices.ask();
  }

  /** @param depositInCents Undefined to choose again. */
  chooseDeposit(depositInCents: number | undefined): void {
    this.#withdraw();
    this.#update({ depositInCents });
    void this.#prices.ask();
  }

  /** Requests the price again, after it could not be loaded. */
  retryPrice(): void {
    void this.#prices.ask();
  }

  /** Stops waiting for a wallet. If it still sends something, that is recorded. */
  giveUpWallet(): void {
    this.#walletPayment.giveUp();
  }

  /** Pays the displayed offer from a wallet. */
  pay(uuid: string): void {
    void this.#walletPayment.pay(uuid);
  }

  /** @param payingAgain Undefined to keep waiting for a transfer that a wallet has sent. */
  payAgain(payingAgain: PayingAgain | undefined): void {
    this.#update({ payingAgain });
    // The price may have expired meanwhile.
    this.#tick();
  }

  /** Cancels the automatic return to the shop. */
  stay(): void {
    this.#return.stay();
  }

  /** Watches the status, once per start. If the watch ended, the next read restarts it. */
  async #watch({ checkout }: Connection, signal: AbortSignal): Promise<void> {
    if (this.#watching === signal) return;
    this.#watching = signal;
    try {
      // Every read counts, not only changes: the payment may come from a copy that lags behind its status.
      for await (const { status } of checkout.everyStatus({ signal })) {
        // What has ended never waits for money again: the status may lag behind, too.
        if (!isFinal(this.#status)) this.#status = status;
        // Reading the payment may take long.
        if (this.#isBehind(this.#known.payment?.status)) this.#withdraw();
        if (status !== this.#known.payment?.status) await this.#read();
        // It cannot be read yet.
        if (this.#isBehind(this.#known.payment?.status)) this.#update({ payment: undefined });
      }
    } catch {
      // Reading the payment will show whether this is a problem.
    }
    if (this.#watching !== signal) return;
    this.#watching = undefined;
    // The status may be final, but the payment come from a copy that lags behind.
    this.#isStale = !isFinal(this.#known.payment?.status ?? "");
  }

  async #read(): Promise<void> {
    const { signal } = this.#stopping;
    const thisRead = ++this.#reads;
    this.#readAt = performance.now();
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#reading += 1;
    try {
      const payment = await connection.checkout.payment({ signal });
      if (thisRead < this.#shown || signal.aborted) return;
      this.#shown = thisRead;
      checkPayment(payment, connection.paymentId);
      if (this.#isBehind(payment.status)) return;
      this.#isStale = false;
      this.#status = payment.status;
      if (payment.status !== this.#known.payment?.status) this.#changedAt = performance.now();
      this.#update({ payment, problem: undefined });
      if (!isFinal(payment.status)) void this.#watch(connection, signal);
      if (payment.status === "pending") return await this.#prices.take(payment.quotes);
      this.#withdraw();
    } catch (error) {
      if (thisRead < this.#shown || signal.aborted) return;
      // Keep showing the outcome: the service may refuse to return it again.
      if (isFinal(this.#known.payment?.status ?? "")) return;
      this.#isStale = true;
      // Keep showing the last result; the payment is read again.
      if (this.#known.payment && passesByItself(error)) return;
      this.#fail(error);
    } finally {
      this.#reading -= 1;
    }
  }

  /** Whether a copy of the payment lags behind its status. An unknown status does not tell. */
  #isBehind(copied: string | undefined): boolean {
    return copied === "pending" && (this.#status === "processing" || isFinal(this.#status));
  }

  /** Nobody may pay what the page has shown. */
  #withdraw(): void {
    this.giveUpWallet();
    this.#prices.drop();
  }

  #tick(): void {
    const { payment, offer, problem } = this.#known;
    const now = performance.now();
    const waitMs = rereadMs(this.#known, this.#isStale, now - this.#changedAt);
    if (this.#reading === 0 && now - this.#readAt > waitMs) void this.#read();
    this.#walletPayment.tick(now);
    this.#return.tick(now);
    if (payment?.status !== "pending" || problem) return;
    if (offer && offer.request.remainingMs() === 0) {
      this.#walletPayment.expire();
      if (!awaitsTransfer(this.#known)) void this.#prices.ask();
    } else if (offer) {
      this.#options.onChange(this.#known);
    } else {
      this.#prices.tick(now);
    }
  }

  /** Tracks whether the service responds, if only with a refusal. Failures of calls other than status do not count. */
  #observe(event: ClientEvent, { aborted }: AbortSignal): void {
    if (aborted || event.type !== "end") return;
    const { status = 500, operation } = event;
    const isOffline = status >= 500 && operation === "checkout.status";
    if ((status < 500 || isOffline) && isOffline !== this.#known.isOffline)
      this.#update({ isOffline });
  }

  /** Shows that the payment cannot be displayed. The same problem is reported only once. */
  #fail(error: unknown): void {
    // The page no longer shows a price, so no wallet may pay it.
    this.giveUpWallet();
    const problem = problemOf(error);
    const { kind, code } = this.#known.problem ?? {};
    if (problem.kind !== kind || problem.code !== code) this.#report(error);
    this.#update({ problem, offer: undefined });
  }

  #report(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    const known = SettlekitError.is(error)
      ? error
      : new SettlekitError("The checkout failed unexpectedly.", {
          code: "unexpected_error",
          cause: error,
        });
    this.#options.onError(known);
  }

  #update(facts: Partial<Known>): void {
    this.#known = { ...this.#known, ...facts };
    if (!this.#stopping.signal.aborted) this.#options.onChange(this.#known);
  }
}
