import { SettlekitError } from "../../errors.ts";
import type { RefreshStatusInput } from "../../wire/payment.ts";
import { load } from "./load.ts";
import {
  codeOf,
  endedUnpaid,
  type SentTransfer,
  type Shared,
  type WalletFailure,
  type WalletProgress,
} from "./state.ts";
import { claim, onStored, store, withStored } from "./tabs.ts";
import { type RpcUrls, type WalletProvider, Wallets } from "./wallets.ts";

/** How often to report a transfer that the service has not seen: soon at first, for a quarter of an hour in total. */
const hints = { count: 40, soonCount: 12, soonMs: 5_000, laterMs: 30_000 };

interface WalletPaymentOptions extends Shared {
  readonly rpcUrls: () => RpcUrls;
}

/**
 * Pays from a wallet, one attempt at a time in all of the browser's tabs: two could pay twice. An expired quote or
 * another choice cancels the attempt. If the wallet is already showing the transfer, the attempt lasts until the wallet
 * responds, so that it never shows a second one.
 */
export class WalletPayment {
  readonly #options: WalletPaymentOptions;
  readonly #wallets = new Wallets();
  /** Loaded when a wallet announces itself: many browsers have none. */
  #requests: typeof import("./wallet-requests.ts") | undefined;
  /** The latest attempt: aborted once it was given up, or is over. */
  #attempt = new AbortController();
  #provider: WalletProvider | undefined;
  /** How often transfers were reported to the service at the payment's current status, and when they are next. */
  #told = { status: "", count: 0, nextAt: 0 };
  /** Why the last report of a transaction failed. */
  #tellFailure: string | undefined;

  constructor(options: WalletPaymentOptions) {
    this.#options = options;
  }

  /** Finds the browser's wallets, and what they have sent for the payment, until the signal aborts. */
  start(paymentId: string, signal: AbortSignal): void {
    this.#recall(paymentId);
    void this.#recallDoubted(paymentId);
    onStored(paymentId, () => this.#recall(paymentId), signal);
    this.#wallets.discover(() => void this.#offer(), signal);
  }

  /** Pays the displayed offer. No wallet is contacted before this. */
  async pay(uuid: string): Promise<void> {
    const { known, update, report, rpcUrls } = this.#options;
    const { offer, wallets, wallet: running, payment } = known();
    const name = wallets.find((it) => it.uuid === uuid)?.name;
    const provider = this.#wallets.provider(uuid);
    const requests = this.#requests;
    if (!payment || !offer || !name || !provider || !requests) return;
    if (running && running.step !== "failed") return;
    const transfer = { wallet: name, choice: offer.choice };
    const attempt = new AbortController();
    const { signal } = attempt;
    this.#attempt = attempt;
    this.#provider = provider;
    const isCurrent = () =>
      !signal.aborted && known().offer === offer && offer.request.remainingMs() > 0;
    const onStep = (step: WalletProgress["step"]) => {
      const isSending = step === "sending";
      // Meanwhile, another tab may have sent the payment.
      if (signal.aborted || (isSending && this.#recall(payment.id))) return;
      // If the customer leaves before the wallet responds, the next page tells them to check the wallet.
      if (isSending) store(payment.id, known(), transfer);
      update({ wallet: { ...transfer, step } });
    };
    // Before anything asynchronous: a second click does nothing.
    onStep("connecting");
    try {
      if (!(await claim(payment.id, signal))) throw requests.walletBusy();
      // The event that tells what another tab has sent may still be on its way.
      if (signal.aborted || this.#recall(payment.id, true)) return;
      const payer = { provider, name, offer, rpcUrls: rpcUrls(), isCurrent, onStep };
      const hash = await requests.payFromWallet(payer);
      this.#keep(payment.id, { ...transfer, hash });
    } catch (error) {
      if (signal.aborted) return;
      const { withdrawn, step } = known().wallet ?? {};
      const isSending = step === "sending";
      // A wallet's error may itself throw when it is read: then it proves nothing.
      const unexpected = isSending ? "wallet_outcome_unknown" : "wallet_failed";
      const code = SettlekitError.is(error) ? (error.code as WalletFailure) : unexpected;
      if (code === "wallet_outcome_unknown") {
        const { sent, doubted } = known();
        update(withStored(payment.id, { sent, doubted: [...doubted, transfer] }));
      }
      if (isSending) store(payment.id, known());
      // The wallet was asked to withdraw the request.
      const isWithdrawn = withdrawn !== undefined && code === "wallet_rejected";
      if (!isWithdrawn) report(error);
      if (isWithdrawn && withdrawn === "cancelled") return update({ wallet: undefined });
      const failure = isWithdrawn ? "quote_expired" : code;
      update({ wallet: { ...transfer, step: "failed", failure } });
    } finally {
      attempt.abort();
    }
  }

  /** Ends the attempt, unless the wallet is showing the transfer. */
  stop(): void {
    const { step } = this.#options.known().wallet ?? {};
    if (step === "connecting" || step === "switching") this.giveUp();
  }

  /** Gives up the current attempt and withdraws the wallet's request. If it still sends something, that is recorded. */
  giveUp(): void {
    const { known, update } = this.#options;
    if (known().wallet?.step === "sending") {
      this.#withdraw("cancelled");
    } else {
      this.#attempt.abort();
      update({ wallet: undefined });
    }
  }

  /** The quote expired: cancels the attempt. */
  expire(): void {
    const { known, update, report } = this.#options;
    const { wallet } = known();
    if (!wallet || !this.#requests || wallet.step === "failed" || wallet.withdrawn) return;
    const isAsking = wallet.step === "sending";
    report(this.#requests.quoteExpired(wallet.wallet, isAsking));
    if (isAsking) {
      this.#withdraw("expired");
    } else {
      this.#attempt.abort();
      update({ wallet: { ...wallet, step: "failed", failure: "quote_expired" } });
    }
  }

  /** Reports transfers until the service has seen the money, even after the payment's end: late money may pay it. */
  tick(now: number): void {
    const { payment, sent } = this.#options.known();
    const status = payment?.status ?? "";
    if (status !== this.#told.status) this.#told = { status, count: 0, nextAt: 0 };
    if (sent.length === 0 || (status !== "pending" && !endedUnpaid(status))) return;
    if (this.#told.count < hints.count && now >= this.#told.nextAt) this.#tell(now);
  }

  /** Offers wallets once the code that asks them to pay is loaded, so that no click waits for it. */
  async #offer(): Promise<void> {
    this.#requests ??= await load(() => import("./wallet-requests.ts"));
    if (this.#requests) this.#options.update({ wallets: this.#wallets.announced });
  }

  /**
   * Adds what wallets have sent from other tabs and elements, or from this page before it was reloaded. Gives up an
   * attempt to pay the same again.
   *
   * @param isClaimed Whether no other tab or element awaits a wallet's answer: what it was asked for may have been sent.
   * @returns Whether anything was added.
   */
  #recall(paymentId: string, isClaimed = false): boolean {
    const { known, update } = this.#options;
    const before = known();
    const { sent, doubted } = withStored(paymentId, before, isClaimed);
    if (sent.length + doubted.length === before.sent.length + before.doubted.length) return false;
    this.giveUp();
    update({ sent, doubted, payingAgain: undefined });
    return true;
  }

  /** Adds what wallets may have sent, unless another tab or element is still waiting for one of them. */
  async #recallDoubted(paymentId: string): Promise<void> {
    // Even a brief claim turns away a customer who is paying in another tab or element.
    if (withStored(paymentId, this.#options.known(), true).doubted.length === 0) return;
    const claiming = new AbortController();
    if (await claim(paymentId, claiming.signal)) this.#recall(paymentId, true);
    claiming.abort();
  }

  /** Asks the wallet to withdraw its request. If it cannot, the customer has to reject it. */
  #withdraw(withdrawn: "expired" | "cancelled"): void {
    const { known, update } = this.#options;
    const { wallet } = known();
    if (wallet === undefined || this.#provider === undefined) return;
    update({ wallet: { ...wallet, withdrawn } });
    if (!wallet.withdrawn) this.#requests?.withdrawRequest(this.#provider);
  }

  /** Records what the wallet has sent, whatever the customer or the page did meanwhile. */
  #keep(paymentId: string, transfer: SentTransfer): void {
    const { known, update } = this.#options;
    const sent = [...known().sent, transfer];
    update({ sent, wallet: undefined, payingAgain: undefined });
    store(paymentId, known());
    this.#told.count = 0;
    this.#tell(performance.now());
  }

  #tell(now: number): void {
    const { status, count } = this.#told;
    const waitMs = count < hints.soonCount ? hints.soonMs : hints.laterMs;
    this.#told = { status, count: count + 1, nextAt: now + waitMs };
    for (const { hash: transactionHash, choice } of this.#options.known().sent) {
      const { chainId, contractAddress: tokenContractAddress } = choice;
      void this.#tellOf({ transactionHash, chainId, tokenContractAddress });
    }
  }

  /** Reports a transaction to the service. The service also checks the chain by itself, so a failure loses nothing. */
  async #tellOf(input: RefreshStatusInput): Promise<void> {
    const { known, report, connection, reread } = this.#options;
    try {
      // Without a signal: money that was sent is reported even after the element is removed.
      const state = await connection()?.checkout.refreshStatus(input);
      this.#tellFailure = undefined;
      if (state && state.status !== known().payment?.status) await reread();
    } catch (error) {
      const code = codeOf(error);
      if (code !== this.#tellFailure) report(error);
      this.#tellFailure = code;
    }
  }
}
