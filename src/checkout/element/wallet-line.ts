import type { MessageName } from "./messages.ts";
import type { Known, WalletFailure } from "./state.ts";
import type { Texts } from "./texts.ts";

/** What the customer can do about a wallet. */
export type WalletAction = "cancel" | "payAnotherWay" | "payAgain" | "keepWaiting";

/** How far paying from a wallet has come, and what to do about it. */
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

/** Of an attempt that has sent nothing yet. */
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

/** What a wallet has sent; for those who want to pay another way, what that may cost them first. */
export function sentLine(known: Known, texts: Texts): WalletLine {
  if (known.payingAgain === "warned") {
    return { text: sentBefore(known, texts), isBad: true, actions: ["payAgain", "keepWaiting"] };
  }
  const wallet = known.sent.at(-1)?.wallet ?? "";
  return { text: texts.say("walletSent", { wallet }), isBad: false, actions: ["payAnotherWay"] };
}

/** Warns those who are about to pay again what a wallet has sent. */
export function sentBefore({ sent }: Known, { say }: Texts): string {
  const wallet = sent.at(-1)?.wallet;
  return wallet === undefined ? "" : say("sentBefore", { wallet });
}
