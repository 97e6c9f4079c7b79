import type { Payment } from "../../wire/payment.ts";
import { isFinal, isPaid } from "../../wire/payment-status.ts";
import type { MessageName } from "./messages.ts";
import { outcomeOf, receivedOf } from "./outcome.ts";
import {
  type AnnouncedWallet,
  awaitsTransfer,
  type Choice,
  dueCents,
  type Known,
  type Offer,
  transactionOf,
} from "./state.ts";
import { printable, type Texts } from "./texts.ts";
import { sentBefore, sentLine, type WalletLine, walletLine } from "./wallet-line.ts";

/** The customer's view of the payment: plain values, ready to render. The page hides what its phase does not need. */
export interface View {
  /** The name of the page's landmark, unique among elements on a page. */
  readonly label: string;
  /** `sent`: a wallet has sent the payment, but the service has not seen it yet. `other`: an unknown status. */
  readonly phase:
    | "loading"
    | "problem"
    | "deposit"
    | "pay"
    | "sent"
    | "confirming"
    | "other"
    | "over";
  readonly tone: "open" | "good" | "bad";
  readonly status: string;
  /** A current problem, or a change. */
  readonly notice: string | undefined;
  readonly merchant: string | undefined;
  readonly monogram: string;
  readonly order: string | undefined;
  /** The amount with fees, or a request to choose one. */
  readonly title: string | undefined;
  readonly fees: string | undefined;
  /** How many steps are done; undefined if that is unknown, or the payment ended badly. */
  readonly stepsDone: number | undefined;
  readonly tokens: readonly Option[];
  readonly networks: readonly Option[];
  readonly transfer: Transfer | undefined;
  /** The instructions for the chosen token and network; already known while the price is loading. */
  readonly toAddress: string | undefined;
  readonly onlyOn: string | undefined;
  readonly isPriceLoading: boolean;
  readonly canRetryPrice: boolean;
  readonly canChangeAmount: boolean;
  readonly wallets: readonly AnnouncedWallet[];
  /** Whether no wallet can be used right now. */
  readonly isWalletBusy: boolean;
  readonly wallet: WalletLine | undefined;
  readonly confirmations:
    | { readonly text: string; readonly value?: number; readonly max?: number }
    | undefined;
  readonly outcome: string | undefined;
  readonly received: string | undefined;
  /** The hash of one transaction, or one on each line. */
  readonly transaction: string | undefined;
  readonly returnUrl: string | undefined;
  /** When the customer is redirected. */
  readonly returnIn: string | undefined;
}

interface Option {
  readonly label: string;
  readonly choice: Choice;
  readonly isChosen: boolean;
}

/** The exact amount to send, and the address: Latin digits without grouping in every language. */
interface Transfer {
  readonly amount: string;
  readonly symbol: string;
  readonly address: string;
}

/** The view of what the element knows. */
export function viewOf(known: Known, texts: Texts): View {
  const { payment, choice, offer, wallet } = known;
  const phase = phaseOf(known);
  const isOpen = phase === "pay" || phase === "deposit";
  // Customers who cannot see the payment may ask for another one.
  const mayPayAgain = isOpen || phase === "problem";
  const line =
    // The customer must reject a transfer that a wallet still shows, even if another was sent or the payment has ended.
    isOpen || wallet?.step === "sending"
      ? walletLine(known, texts)
      : phase === "sent"
        ? sentLine(known, texts)
        : undefined;
  return {
    label: labelOf(known, texts),
    phase,
    tone: toneOf(phase, known),
    status: statusText(phase, known, texts),
    notice: noticeOf(known, texts, mayPayAgain, phase === "over", line?.text),
    merchant: payment && printable(payment.merchantShortName, 80),
    monogram: initials(payment?.merchantShortName),
    order: payment?.orderId
      ? texts.say("order", { order: printable(payment.orderId, 255) })
      : undefined,
    title: phase === "problem" ? texts.say("region") : payment && titleOf(known, texts),
    fees: payment && feesOf(known, payment, texts),
    stepsDone: payment && stepsDone(phase, payment),
    ...choices(known),
    transfer: phase === "pay" && offer ? transferOf(offer) : undefined,
    toAddress: choice && texts.say("toAddress", { network: choice.network }),
    onlyOn: choice && texts.say("onlyOn", { token: choice.symbol, network: choice.network }),
    isPriceLoading: !offer && !known.priceFailure,
    canRetryPrice: known.priceFailure?.kind === "priceFailed",
    canChangeAmount: payment?.type === "deposit",
    wallets: known.priceFailure ? [] : known.wallets,
    isWalletBusy: !offer || (wallet !== undefined && wallet.step !== "failed"),
    wallet: line,
    confirmations: phase === "confirming" && payment ? confirmationsOf(payment, texts) : undefined,
    outcome: phase === "over" && payment ? outcomeOf(payment, known, texts) : undefined,
    received: phase === "over" && payment ? receivedOf(payment, texts) : undefined,
    transaction: transactionsOf(phase, known),
    returnUrl: phase === "over" ? known.returnUrl : undefined,
    returnIn: returnInOf(known, texts),
  };
}

function phaseOf(known: Known): View["phase"] {
  const { payment, problem, depositInCents } = known;
  if (problem && (!payment || problem.kind !== "unavailable")) return "problem";
  if (payment === undefined) return "loading";
  if (isFinal(payment.status)) return "over";
  if (payment.status === "processing") return "confirming";
  if (payment.status !== "pending") return "other";
  if (awaitsTransfer(known)) return "sent";
  return payment.type === "deposit" && depositInCents === undefined ? "deposit" : "pay";
}

/** The name of the element's landmark. */
function labelOf({ payment }: Known, { say }: Texts): string {
  const names = [payment?.merchantShortName, payment?.orderId];
  return [say("region"), ...names.map((name) => printable(name))].filter(Boolean).join(", ");
}

function toneOf(phase: View["phase"], { payment, priceFailure }: Known): View["tone"] {
  if (phase === "problem" || (phase === "pay" && priceFailure)) return "bad";
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

function statusText(phase: View["phase"], known: Known, texts: Texts): string {
  const { payment, problem, priceFailure } = known;
  if (phase === "problem" && problem) return texts.say(problem.kind, { code: problem.code });
  if (payment === undefined) return texts.say("loading");
  if (phase === "sent") return texts.say("sent");
  const { status } = payment;
  if (status === "pending" && priceFailure)
    return texts.say(priceFailure.kind, { code: priceFailure.code });
  const name = Object.hasOwn(statusNames, status) ? statusNames[status] : undefined;
  return name ? texts.say(name) : texts.say("otherStatus", { status: printable(status) });
}

function noticeOf(known: Known, texts: Texts, mayPayAgain: boolean, isOver: boolean, line = "") {
  const { isOffline, isRenewed, offer, payment, doubted } = known;
  const uncertain = doubted
    .map(({ wallet }) => texts.say("walletUncertain", { wallet }))
    // The wallet's own line says it of the latest.
    .filter((text) => text !== line);
  const notices = [
    isOffline && payment && !isOver && texts.say("offline"),
    ...(mayPayAgain ? [sentBefore(known, texts), ...uncertain] : []),
    isRenewed && offer && texts.say("priceRenewed"),
  ];
  return notices.filter(Boolean).join(" ") || undefined;
}

function initials(name: string | undefined): string {
  const words = printable(name).split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => [...word][0]?.toUpperCase() ?? "").join("");
}

function titleOf(known: Known, texts: Texts): string {
  const cents = dueCents(known);
  if (cents === undefined)
    return texts.say(known.payment?.type === "deposit" ? "deposit" : "loading");
  // A long amount may wrap before its currency, but not inside either.
  return texts.money(cents, known.payment?.currency ?? "USD").replace("\u00a0", " ");
}

/** The fee that the customer pays on top of the merchant's amount. */
function feesOf(known: Known, payment: Payment, texts: Texts): string | undefined {
  const due = dueCents(known);
  const base = payment.type === "deposit" ? known.depositInCents : payment.amountInCents;
  if (due === undefined || base === undefined || due <= base || base === 0) return undefined;
  return texts.say("fees", { fees: texts.money(due - base, payment.currency) });
}

function stepsDone(phase: View["phase"], { status }: Payment): number | undefined {
  if (isPaid(status)) return 3;
  if (phase === "confirming" || phase === "sent") return 1;
  return phase === "pay" || phase === "deposit" ? 0 : undefined;
}

/** Each token once, whatever its networks, and the networks of the chosen token. */
function choices({ choices, choice: chosen }: Known): Pick<View, "tokens" | "networks"> {
  const bySymbol = Map.groupBy(choices, ({ symbol }) => symbol);
  const tokens = [...bySymbol].flatMap(([symbol, offered]): Option[] => {
    // The token on the current network, if available there.
    const choice = offered.find(({ chainId }) => chainId === chosen?.chainId) ?? offered[0];
    return choice ? [{ label: symbol, choice, isChosen: symbol === chosen?.symbol }] : [];
  });
  const offered = bySymbol.get(chosen?.symbol ?? "") ?? [];
  const networks = offered.map((choice): Option => {
    const isUnique = offered.filter(({ chainId }) => chainId === choice.chainId).length === 1;
    const { network, contractAddress } = choice;
    // Two tokens with the same name on one network differ only in their contracts.
    const label = isUnique
      ? network
      : `${network} (${contractAddress.slice(0, 8)}…${contractAddress.slice(-4)})`;
    return { label, choice, isChosen: choice.key === chosen?.key };
  });
  return { tokens, networks };
}

function transferOf({ choice, request }: Offer): Transfer {
  return { amount: request.amount, symbol: choice.symbol, address: request.address };
}

function confirmationsOf({ receipt }: Payment, texts: Texts): View["confirmations"] {
  const { confirmations: value, requiredConfirmations: max } = receipt ?? {};
  // The service may not say: a bar without a value shows progress.
  if (typeof value !== "number" || typeof max !== "number")
    return { text: texts.say("confirming") };
  const counts = { count: texts.number(value), required: texts.number(max) };
  return { text: texts.say("confirmations", counts), value, max };
}

function returnInOf({ returnInSeconds }: Known, { say, number }: Texts): string | undefined {
  return returnInSeconds === undefined
    ? undefined
    : say("returnIn", { seconds: number(returnInSeconds) });
}

/** The transaction that delivered the money, and all that wallets on this page have sent. */
function transactionsOf(phase: View["phase"], { payment, sent }: Known): string | undefined {
  const own = phase === "over" && payment ? transactionOf(payment) : undefined;
  const hashes = new Set([own ?? "", ...sent.map(({ hash }) => hash)].filter(Boolean));
  return [...hashes].join("\n") || undefined;
}
