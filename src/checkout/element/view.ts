import type { Payment } from "../../wire/payment.ts";
import { isFinal, isPaid } from "../../wire/payment-status.ts";
import type { MessageName } from "./messages.ts";
import {
  type AnnouncedWallet,
  type Choice,
  dueCents,
  excess,
  type Known,
  type Problem,
  type WalletFailure,
} from "./state.ts";
import { printable, type Texts } from "./texts.ts";

/** What the customer sees: plain facts, which the page only has to write down. */
export interface View {
  /** `sent`: a wallet has sent the payment, and the service has not seen it yet. */
  readonly phase: "loading" | "problem" | "deposit" | "pay" | "sent" | "confirming" | "over";
  readonly tone: "open" | "good" | "bad";
  readonly status: string;
  /** What is wrong at the moment, or new. */
  readonly notice: string | undefined;
  readonly merchant: string | undefined;
  readonly monogram: string;
  readonly order: string | undefined;
  /** The amount with fees, or that it is to be chosen. */
  readonly title: string | undefined;
  readonly fees: string | undefined;
  /** How many steps are done; undefined when the payment came to a bad end. */
  readonly stepsDone: number | undefined;
  readonly tokens: readonly Option[];
  readonly networks: readonly Option[];
  readonly transfer: Transfer | undefined;
  readonly canRetryPrice: boolean;
  readonly canChangeAmount: boolean;
  readonly wallets: readonly (AnnouncedWallet & { readonly label: string })[];
  readonly wallet:
    | { readonly text: string; readonly isBad: boolean; readonly canCancel: boolean }
    | undefined;
  readonly confirmations:
    | { readonly text: string; readonly value?: number; readonly max?: number }
    | undefined;
  readonly outcome: string | undefined;
  readonly received: string | undefined;
  readonly transaction: string | undefined;
  readonly returnUrl: string | undefined;
}

interface Option {
  readonly label: string;
  readonly choice: Choice;
  readonly isChosen: boolean;
}

/** What to send where. Exact: in Latin digits without groups, whatever the language. */
interface Transfer {
  readonly amount: string;
  readonly symbol: string;
  readonly address: string;
  readonly network: string;
  readonly toAddress: string;
  readonly onlyOn: string;
}

/** What the element shows of what it knows. */
export function viewOf(known: Known, texts: Texts): View {
  const { payment, problem, offer, wallet } = known;
  const phase = phaseOf(known);
  const isOpen = phase === "pay" || phase === "deposit";
  const sent = phase === "sent" ? wallet : undefined;
  return {
    phase,
    tone: toneOf(phase, payment),
    status: problem && !payment ? problemText(problem, texts) : statusText(known, texts),
    notice: noticeOf(known, texts),
    merchant: payment && printable(payment.merchantShortName, 80),
    monogram: initials(payment?.merchantShortName),
    order: payment?.orderId
      ? texts.say("order", { order: printable(payment.orderId, 255) })
      : undefined,
    title: phase === "problem" ? texts.say("region") : payment && titleOf(known, texts),
    fees: payment && feesOf(known, payment, texts),
    stepsDone: payment && stepsDone(phase, payment),
    ...(isOpen ? choices(known) : { tokens: [], networks: [] }),
    transfer: isOpen ? transferOf(known, texts) : undefined,
    canRetryPrice: isOpen && known.priceFailure?.kind === "priceFailed",
    canChangeAmount: phase === "pay" && payment?.type === "deposit",
    wallets: phase === "pay" && offer ? labelled(known.wallets, texts) : [],
    wallet: isOpen || sent ? walletOf(known, texts) : undefined,
    confirmations: phase === "confirming" && payment ? confirmationsOf(payment, texts) : undefined,
    outcome: phase === "over" && payment ? outcomeOf(payment, texts) : undefined,
    received: phase === "over" && payment ? receivedOf(payment, texts) : undefined,
    transaction: sent?.hash ?? (phase === "over" && payment ? transactionOf(payment) : undefined),
    returnUrl: phase === "over" ? known.returnUrl : undefined,
  };
}

function phaseOf({ payment, problem, depositInCents, wallet }: Known): View["phase"] {
  if (problem && (!payment || problem.kind !== "unavailable")) return "problem";
  if (payment === undefined) return "loading";
  if (isFinal(payment.status)) return "over";
  if (payment.status !== "pending") return "confirming";
  if (wallet?.step === "sent") return "sent";
  return payment.type === "deposit" && depositInCents === undefined ? "deposit" : "pay";
}

function toneOf(phase: View["phase"], payment: Payment | undefined): View["tone"] {
  if (phase === "problem") return "bad";
  if (phase !== "over" || payment === undefined) return "open";
  return isPaid(payment.status) ? "good" : "bad";
}

const statusNames: { readonly [status: string]: MessageName } = {
  pending: "pending",
  processing: "processing",
  completed: "paid",
  confirmed: "paid",
  failed: "failed",
  expired: "expired",
  cancelled: "cancelled",
  refunded: "refunded",
  partially_refunded: "partiallyRefunded",
};

function statusText({ payment, priceFailure }: Known, texts: Texts): string {
  if (payment === undefined) return texts.say("loading");
  const { status } = payment;
  if (status === "pending" && priceFailure)
    return texts.say(priceFailure.kind, { code: priceFailure.code });
  const name = Object.hasOwn(statusNames, status) ? statusNames[status] : undefined;
  return name ? texts.say(name) : texts.say("otherStatus", { status: printable(status) });
}

function problemText({ kind, code }: Problem, texts: Texts): string {
  return texts.say(kind, { code });
}

function noticeOf(
  { isOffline, isRenewed, offer, payment }: Known,
  texts: Texts,
): string | undefined {
  if (isOffline && !(payment && isFinal(payment.status))) return texts.say("offline");
  return isRenewed && offer ? texts.say("priceRenewed") : undefined;
}

function initials(name: string | undefined): string {
  const words = printable(name).split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => [...word][0]?.toUpperCase() ?? "").join("");
}

function titleOf(known: Known, texts: Texts): string {
  const cents = dueCents(known);
  if (cents === undefined)
    return texts.say(known.payment?.type === "deposit" ? "deposit" : "loading");
  return texts.money(cents, known.payment?.currency ?? "USD");
}

/** What the customer pays beyond the amount that the merchant asked for. */
function feesOf(known: Known, payment: Payment, texts: Texts): string | undefined {
  const due = dueCents(known);
  const base = payment.type === "deposit" ? known.depositInCents : payment.amountInCents;
  if (due === undefined || base === undefined || due <= base || base === 0) return undefined;
  return texts.say("fees", { fees: texts.money(due - base, payment.currency) });
}

function stepsDone(phase: View["phase"], { status }: Payment): number | undefined {
  if (isPaid(status)) return 3;
  if (phase === "over") return undefined;
  return phase === "confirming" || phase === "sent" ? 1 : 0;
}

/** A token once, whatever the networks that it is on, and the networks of the chosen one. */
function choices({ choices, choice: chosen }: Known): Pick<View, "tokens" | "networks"> {
  const bySymbol = Map.groupBy(choices, ({ symbol }) => symbol);
  const tokens = [...bySymbol].map(([symbol, offered]): Option => {
    // Another token on the same network, where it is there.
    const choice = offered.find(({ chainId }) => chainId === chosen?.chainId) ?? offered[0];
    if (choice === undefined) throw new Error("A group has members.");
    return { label: symbol, choice, isChosen: symbol === chosen?.symbol };
  });
  const offered = bySymbol.get(chosen?.symbol ?? "") ?? [];
  const networks = offered.map((choice): Option => {
    const isUnique = offered.filter(({ chainId }) => chainId === choice.chainId).length === 1;
    const { network, contractAddress } = choice;
    // Two tokens of one name on one network differ in their contracts alone.
    const label = isUnique
      ? network
      : `${network} (${contractAddress.slice(0, 8)}…${contractAddress.slice(-4)})`;
    return { label, choice, isChosen: choice.key === chosen?.key };
  });
  return { tokens, networks };
}

function transferOf({ offer }: Known, texts: Texts): Transfer | undefined {
  if (offer === undefined) return undefined;
  const { amount, address } = offer.request;
  const { symbol, network } = offer.choice;
  return {
    amount,
    symbol,
    address,
    network,
    toAddress: texts.say("toAddress", { network }),
    onlyOn: texts.say("onlyOn", { token: symbol, network }),
  };
}

function labelled(wallets: readonly AnnouncedWallet[], texts: Texts) {
  return wallets.map((wallet) => ({
    ...wallet,
    label: texts.say("payWith", { wallet: wallet.name }),
  }));
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
  sent: "walletSent",
} as const satisfies { readonly [step: string]: MessageName };

function walletOf({ wallet: progress }: Known, texts: Texts): View["wallet"] {
  if (progress === undefined) return undefined;
  const { wallet, choice, step, failure, isLate = false } = progress;
  const values = { wallet, network: choice.network, token: choice.symbol };
  if (step === "failed") {
    const text = texts.say(failureNames[failure ?? "wallet_failed"], values);
    return { text, isBad: true, canCancel: false };
  }
  const name = isLate && step === "sending" ? "walletSendingLate" : stepNames[step];
  return { text: texts.say(name, values), isBad: isLate, canCancel: true };
}

function confirmationsOf({ receipt }: Payment, texts: Texts): View["confirmations"] {
  const { confirmations: value, requiredConfirmations: max } = receipt ?? {};
  // A service may not say: a bar without a value shows that it is in progress.
  if (typeof value !== "number" || typeof max !== "number")
    return { text: texts.say("confirming") };
  const counts = { count: texts.number(value), required: texts.number(max) };
  return { text: texts.say("confirmations", counts), value, max };
}

/** A final status in words, and what to do. */
function outcomeOf(payment: Payment, texts: Texts): string {
  const { status } = payment;
  const received = moneyReceived(payment, texts);
  if (isPaid(status)) {
    if (received === undefined) return texts.say("thanks");
    return texts.say(excess(payment) === "over" ? "overpaid" : "arrived", { received });
  }
  if (status === "refunded" || status === "partially_refunded") return texts.say("refundedHelp");
  if (status === "failed") {
    const isShort = received !== undefined && excess(payment) !== "exact";
    return isShort ? texts.say("underpaid", { received }) : texts.say("failedHelp");
  }
  if (received !== undefined) return texts.say("late", { received });
  return texts.say(status === "expired" ? "expiredHelp" : "cancelledHelp");
}

function moneyReceived({ receipt, currency }: Payment, texts: Texts): string | undefined {
  const dollars = Number(receipt?.settledAmountUsd ?? 0);
  return dollars > 0 ? texts.money(dollars * 100, currency) : undefined;
}

/** Such as `$25.00 in USDC on Base Sepolia`. */
function receivedOf(payment: Payment, texts: Texts): string | undefined {
  const amount = moneyReceived(payment, texts);
  const { settledToken, settledChain } = payment.receipt ?? {};
  const [token, network] = [printable(settledToken?.symbol), printable(settledChain?.name)];
  if (amount === undefined || token === "" || network === "") return amount;
  return texts.say("receivedIn", { amount, token, network });
}

/** The hash of the transaction that brought the money, under either of its published names. */
export function transactionOf({ receipt }: Payment): string | undefined {
  const hash = receipt?.txHash ?? receipt?.transactionHash ?? undefined;
  return hash === undefined ? undefined : printable(hash, 200);
}
