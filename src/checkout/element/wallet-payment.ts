import { SettlekitError } from "../../errors.ts";
import type { RefreshStatusInput } from "../checkout.ts";
import type { Choice, Known, WalletFailure } from "./state.ts";
import {
  payFromWallet,
  quoteExpired,
  type RpcUrls,
  type WalletProvider,
  Wallets,
  withdrawRequest,
} from "./wallets.ts";

/** How often, and how long apart, the service is told of a transaction that the network may not show yet. */
const hints = { count: 12, everyMs: 5_000 };

interface Hint {
  readonly transactionHash: string;
  readonly choice: Choice;
  left: number;
  nextAt: number;
}

interface WalletPaymentOptions {
  readonly signal: AbortSignal;
  readonly known: () => Known;
  readonly update: (facts: Partial<Known>) => void;
  readonly report: (error: unknown) => void;
  readonly rpcUrls: () => RpcUrls;
  /** Tells the service which transaction to look for. */
  readonly tell: (input: RefreshStatusInput) => Promise<void>;
}

/** Paying from a wallet: one attempt at a time, which an expired quote or another choice cancels. */
export class WalletPayment {
  readonly #options: WalletPaymentOptions;
  readonly #wallets = new Wallets();
  /** Number of the latest attempt; one with another number was given up. */
  #attempt = 0;
  #provider: WalletProvider | undefined;
  #hint: Hint | undefined;

  constructor(options: WalletPaymentOptions) {
    this.#options = options;
    const { signal, update } = options;
    this.#wallets.discover((wallets) => update({ wallets }), signal);
  }

  /** Pays what is shown. Nothing is asked of a wallet before. */
  async pay(uuid: string): Promise<void> {
    const { known, update, report, rpcUrls, signal } = this.#options;
    const { offer, wallets, wallet: running } = known();
    const name = wallets.find((it) => it.uuid === uuid)?.name;
    const provider = this.#wallets.provider(uuid);
    if (!offer || !name || !provider || (running && running.step !== "failed")) return;
    const { choice } = offer;
    this.#provider = provider;
    const attempt = ++this.#attempt;
    const isMine = () => this.#attempt === attempt && !signal.aborted;
    const isCurrent = () => isMine() && known().offer === offer && offer.request.remainingMs() > 0;
    try {
      const transactionHash = await payFromWallet({
        provider,
        name,
        offer,
        rpcUrls: rpcUrls(),
        isCurrent,
        onStep: (step) => isMine() && update({ wallet: { wallet: name, choice, step } }),
      });
      // Also when the customer gave up meanwhile: the money has left.
      update({ wallet: { wallet: name, choice, step: "sent", hash: transactionHash } });
      this.#hint = { transactionHash, choice, left: hints.count, nextAt: 0 };
      await this.#tell(this.#hint);
    } catch (error) {
      if (!isMine()) return;
      const code = SettlekitError.is(error) ? (error.code as WalletFailure) : "wallet_failed";
      // Reported when it expired: the wallet was asked to reject the request.
      const isExpired = known().wallet?.isLate && code === "wallet_rejected";
      if (!isExpired) report(error);
      const failure = isExpired ? "quote_expired" : code;
      update({ wallet: { wallet: name, choice, step: "failed", failure } });
    }
  }

  /** Forgets the attempt that is under way: it sends nothing, unless the wallet keeps asking for it. */
  giveUp(): void {
    this.#attempt += 1;
    this.#withdraw();
    this.#options.update({ wallet: undefined });
  }

  /** The quote expired: cancels the attempt. A wallet that keeps showing the request has to be told by the customer. */
  expire(): void {
    const { known, update, report } = this.#options;
    const { wallet } = known();
    const isOver = wallet?.step === "sent" || wallet?.step === "failed";
    if (wallet === undefined || isOver || wallet.isLate) return;
    const isAsking = wallet.step === "sending";
    report(quoteExpired(wallet.wallet, isAsking));
    if (isAsking) {
      update({ wallet: { ...wallet, isLate: true } });
      this.#withdraw();
    } else {
      this.#attempt += 1;
      update({ wallet: { ...wallet, step: "failed", failure: "quote_expired" } });
    }
  }

  /** Tells the service again, while it has not seen the transaction. */
  tick(now: number): void {
    const hint = this.#hint;
    if (hint === undefined || now < hint.nextAt) return;
    if (this.#options.known().payment?.status === "pending") void this.#tell(hint);
  }

  #withdraw(): void {
    if (this.#provider && this.#options.known().wallet?.step === "sending") {
      withdrawRequest(this.#provider);
    }
  }

  async #tell(hint: Hint): Promise<void> {
    const { transactionHash, choice } = hint;
    const { chainId, contractAddress: tokenContractAddress } = choice;
    hint.left -= 1;
    hint.nextAt = performance.now() + hints.everyMs;
    if (hint.left === 0) this.#hint = undefined;
    await this.#options.tell({ transactionHash, chainId, tokenContractAddress });
  }
}
