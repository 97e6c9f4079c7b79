import { SettlekitError } from "../../errors.ts";
import type { RefreshStatusInput } from "../checkout.ts";
import { endedUnpaid, type Known, type SentTransfer, type WalletFailure } from "./state.ts";
import {
  payFromWallet,
  quoteExpired,
  type RpcUrls,
  type WalletProvider,
  Wallets,
  walletBusy,
  withdrawRequest,
} from "./wallets.ts";

/** How often to report a transfer that the service has not seen: soon at first, for a quarter of an hour in total. */
const hints = { count: 40, soonCount: 12, soonMs: 5_000, laterMs: 30_000 };

/** The page's payments that are asking a wallet. A second one for the same payment is refused: it could pay twice. */
const asking = new Set<WalletPayment>();

interface WalletPaymentOptions {
  readonly known: () => Known;
  readonly update: (facts: Partial<Known>) => void;
  readonly report: (error: unknown) => void;
  readonly rpcUrls: () => RpcUrls;
  /** Tells the service which transaction to look for. */
  readonly tell: (input: RefreshStatusInput) => Promise<void>;
}

/**
 * Pays from a wallet, one attempt at a time. An expired quote or another choice cancels the attempt. If the wallet is
 * already showing the transfer, the attempt lasts until the wallet responds, so that it never shows a second one.
 */
export class WalletPayment {
  readonly #options: WalletPaymentOptions;
  readonly #wallets = new Wallets();
  /** Number of the latest attempt; others were given up. */
  #attempt = 0;
  #provider: WalletProvider | undefined;
  /** The transfers already reported to the service at the payment's current status. */
  #told = { status: "", count: 0, nextAt: 0 };

  constructor(options: WalletPaymentOptions) {
    this.#options = options;
  }

  /** Finds the browser's wallets, until the signal aborts. */
  discover(signal: AbortSignal): void {
    this.#wallets.discover((wallets) => this.#options.update({ wallets }), signal);
  }

  /** Recalls what wallets had sent for a payment before its page was reloaded. */
  recall(paymentId: string): void {
    const { known, update } = this.#options;
    if (known().sent.length > 0) return;
    const sent = readSent(paymentId);
    if (sent.length > 0) update({ sent });
  }

  /** Pays the displayed offer. No wallet is contacted before this. */
  async pay(uuid: string): Promise<void> {
    const { known, update, report, rpcUrls } = this.#options;
    const { offer, wallets, wallet: running, payment, sent } = known();
    const name = wallets.find((it) => it.uuid === uuid)?.name;
    const provider = this.#wallets.provider(uuid);
    if (!offer || !name || !provider || (running && running.step !== "failed")) return;
    // Another element on this page may already have sent the payment.
    const all = merged(sent, payment ? readSent(payment.id) : []);
    if (all.length > sent.length) return update({ sent: all, payingAgain: undefined });
    const others = [...asking].map((it) => it.#options.known());
    const other = others.find((it) => it.payment?.id === payment?.id)?.wallet;
    if (other) {
      report(walletBusy(other.wallet));
      return update({ wallet: { ...other, step: "failed", failure: "wallet_busy" } });
    }
    asking.add(this);
    const { choice } = offer;
    this.#provider = provider;
    const attempt = ++this.#attempt;
    const isMine = () => this.#attempt === attempt;
    const isCurrent = () => isMine() && known().offer === offer && offer.request.remainingMs() > 0;
    try {
      const hash = await payFromWallet({
        provider,
        name,
        offer,
        rpcUrls: rpcUrls(),
        isCurrent,
        onStep: (step) => isMine() && update({ wallet: { wallet: name, choice, step } }),
      });
      this.#keep({ wallet: name, choice, hash });
    } catch (error) {
      if (!isMine()) return;
      const { withdrawn } = known().wallet ?? {};
      const code = SettlekitError.is(error) ? (error.code as WalletFailure) : "wallet_failed";
      // The wallet was asked to withdraw the request.
      const isWithdrawn = withdrawn !== undefined && code === "wallet_rejected";
      if (!isWithdrawn) report(error);
      if (isWithdrawn && withdrawn === "cancelled") return update({ wallet: undefined });
      const failure = isWithdrawn ? "quote_expired" : code;
      update({ wallet: { wallet: name, choice, step: "failed", failure } });
    } finally {
      if (isMine()) asking.delete(this);
    }
  }

  /** Gives up the current attempt and withdraws the wallet's request. If it still sends something, that is recorded. */
  giveUp(): void {
    const { known, update } = this.#options;
    if (known().wallet?.step === "sending") {
      this.#withdraw("cancelled");
    } else {
      this.#abandon();
      update({ wallet: undefined });
    }
  }

  /** The quote expired: cancels the attempt. */
  expire(): void {
    const { known, update, report } = this.#options;
    const { wallet } = known();
    if (wallet === undefined || wallet.step === "failed" || wallet.withdrawn) return;
    const isAsking = wallet.step === "sending";
    report(quoteExpired(wallet.wallet, isAsking));
    if (isAsking) {
      this.#withdraw("expired");
    } else {
      this.#abandon();
      update({ wallet: { ...wallet, step: "failed", failure: "quote_expired" } });
    }
  }

  /** Reports transfers until the service has seen the money, even after the payment's end: late money may pay it. */
  tick(now: number): void {
    const { payment, sent } = this.#options.known();
    const status = payment?.status ?? "";
    if (sent.length === 0 || (status !== "pending" && !endedUnpaid(status))) return;
    if (status !== this.#told.status) this.#told = { status, count: 0, nextAt: 0 };
    if (this.#told.count < hints.count && now >= this.#told.nextAt) this.#tell(now);
  }

  /** Ends an attempt whose wallet was not asked to send. */
  #abandon(): void {
    this.#attempt += 1;
    asking.delete(this);
  }

  /** Asks the wallet to withdraw its request. If it cannot, the customer has to reject it. */
  #withdraw(withdrawn: "expired" | "cancelled"): void {
    const { known, update } = this.#options;
    const { wallet } = known();
    if (wallet === undefined || this.#provider === undefined) return;
    update({ wallet: { ...wallet, withdrawn } });
    if (!wallet.withdrawn) withdrawRequest(this.#provider);
  }

  /** Records what the wallet has sent, whatever the customer or the page did meanwhile. */
  #keep(transfer: SentTransfer): void {
    const { known, update } = this.#options;
    const { payment } = known();
    const sent = [...known().sent, transfer];
    update({ sent, wallet: undefined, payingAgain: undefined });
    // A wallet is only asked after the payment was read.
    if (payment) writeSent(payment.id, sent);
    this.#told = { status: payment?.status ?? "", count: 0, nextAt: 0 };
    this.#tell(performance.now());
  }

  #tell(now: number): void {
    const { known, tell } = this.#options;
    const { status, count } = this.#told;
    const waitMs = count < hints.soonCount ? hints.soonMs : hints.laterMs;
    this.#told = { status, count: count + 1, nextAt: now + waitMs };
    for (const { hash: transactionHash, choice } of known().sent) {
      const { chainId, contractAddress: tokenContractAddress } = choice;
      void tell({ transactionHash, chainId, tokenContractAddress });
    }
  }
}

/** Where a tab stores what wallets have sent for a payment. */
const keyOf = (paymentId: string) => `settlekit:sent:${paymentId}`;

function readSent(paymentId: string): SentTransfer[] {
  try {
    const sent: unknown = JSON.parse(sessionStorage.getItem(keyOf(paymentId)) ?? "[]");
    return Array.isArray(sent) ? sent.filter((it) => it?.hash && it.choice) : [];
  } catch {
    // Storage is unavailable, or holds something else.
    return [];
  }
}

function merged(some: readonly SentTransfer[], more: readonly SentTransfer[]): SentTransfer[] {
  return [...new Map([...some, ...more].map((it) => [it.hash, it])).values()];
}

function writeSent(paymentId: string, sent: readonly SentTransfer[]): void {
  try {
    const all = merged(readSent(paymentId), sent);
    sessionStorage.setItem(keyOf(paymentId), JSON.stringify(all));
  } catch {
    // Storage is unavailable: the transfer is known until the customer leaves the page.
  }
}
