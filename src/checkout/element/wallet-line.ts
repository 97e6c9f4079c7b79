import type { MessageName } from "./messages.ts";
import type { Known, WalletFailure } from "./state.ts";
import type { Texts } from "./texts.ts";

/** The customer's actions on a wallet payment. */
export type WalletAction = "cancel" | "payAnotherWay" | "payAgain" | "keepWaiting";

/** The progress of a wallet payment, and what to do about it. */
export interface WalletLine {
  readonly text: string;
  readonly isBad: boolean;
  readonly actions: readonly WalletAction[];
}

const failureNames: { readonly [Failure in WalletFailure]: MessageName } = {
  wallet_rejected: "walletRejected",
  wallet_busy: "walletBusy",
  wallet_unknown_chain: "walletUnknownChain",
  wallet_wrong_chain: "walletWrongChain",
  wallet_insufficient_funds: "walletNoFunds",
  quote_expired: "walletQuoteExpired",
  wallet_unsupported: "walletUnsupported",
  wallet_failed: "walletFailed",
  wallet_outcome_unknown: "walletUncertain",
};

const stepNames = {
  connecting: "walletConnecting",
  switching: "walletSwitching",
  sending: "walletSending",
} as const satisfies { readonly [step: string]: MessageName };

/** For an attempt that has sent nothing yet. */
export function walletLine({ wallet: progress }: Known, texts: Texts): WalletLine | undefined {
  if (progress === undefined) return undefined;
  const { wallet, choice, step, failure, withdrawn } = progress;
  const values = { wallet, network: choice.network, token: choice.symbol };
  if (step === "failed") {
    const text = texts.say(failureNames[failure ?? "wallet_failed"], values);
    return { text, isBad: true, actions: [] };
  }
  if (withdrawn === undefined)
    return { text: texts.say(stepNames[step], values), isBad: false, actions: ["cancel"] };
  const name = withdrawn === "expired" ? "walletSendingLate" : "walletSendingCancelled";
  return { text: texts.say(name, values), isBad: true, actions: [] };
}

/** The line about a transaction that a wallet has sent. Customers who want to pay another way first see the risk. */
export function sentLine(known: Known, texts: Texts): WalletLine {
  if (known.payingAgain === "warned") {
    return { text: sentBefore(known, texts), isBad: true, actions: ["keepWaiting", "payAgain"] };
  }
  const wallet = known.sent.at(-1)?.wallet ?? "";
  return { text: texts.say("walletSent", { wallet }), isBad: false, actions: ["payAnotherWay"] };
}

/** Warns customers who are about to pay again although a wallet has sent the money. */
export function sentBefore({ sent }: Known, { say }: Texts): string {
  const wallet = sent.at(-1)?.wallet;
  return wallet === undefined ? "" : say("sentBefore", { wallet });
}
