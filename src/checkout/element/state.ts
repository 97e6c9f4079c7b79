import { NotFoundError, SettlekitError, UnexpectedResponseError } from "../../errors.ts";
import { findChain, isNativeAssetAddress } from "../../evm/chains.ts";
import { passesByItself } from "../../resources/waiting.ts";
import { invalidArgument, invalidOption } from "../../values.ts";
import type { ChainId } from "../../wire/fields.ts";
import type { Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import type { Token } from "../../wire/token.ts";
import type { PaymentRequest } from "../payment-request.ts";
import type { Connection } from "./connect.ts";
import { printable } from "./texts.ts";

/** A token on a network in which the customer can pay. */
export interface Choice {
  /** Unique among a payment's choices. */
  readonly key: string;
  readonly symbol: string;
  readonly network: string;
  readonly chainId: number;
  readonly contractAddress: string;
  readonly decimals: number;
  readonly isStable: boolean;
}

/** A price that can be paid now, with everything that the customer needs to pay it. */
export interface Offer {
  readonly choice: Choice;
  readonly quote: Quote;
  readonly request: PaymentRequest;
}

/** Why the payment cannot be displayed. */
export interface Problem {
  readonly kind: "notSetUp" | "notAccessible" | "notFound" | "unavailable";
  readonly code: string;
}

/** Why no price can be displayed. */
interface PriceFailure {
  readonly kind: "priceFailed" | "unpayable";
  /** HTTP status, or the error's code. */
  readonly code: string;
}

/** A wallet that this browser announced (EIP-6963). */
export interface AnnouncedWallet {
  readonly uuid: string;
  readonly name: string;
  /** A `data:` URL; undefined if there is none that may be drawn. */
  readonly icon: string | undefined;
}

export type WalletFailure =
  | "wallet_rejected"
  | "wallet_busy"
  | "wallet_unknown_chain"
  | "wallet_wrong_chain"
  | "wallet_insufficient_funds"
  | "quote_expired"
  | "wallet_unsupported"
  | "wallet_failed"
  | "wallet_outcome_unknown";

/** A transfer that a wallet was asked for. */
export interface AskedTransfer {
  /** The wallet's name. */
  readonly wallet: string;
  readonly choice: Choice;
}

/** The progress of a wallet payment, until the wallet has sent or refused it. */
export interface WalletProgress extends AskedTransfer {
  readonly step: "connecting" | "switching" | "sending" | "failed";
  readonly failure?: WalletFailure;
  /** Why the customer should reject the transfer that the wallet is still showing. */
  readonly withdrawn?: "expired" | "cancelled";
}

/** A transfer that a wallet has sent. */
export interface SentTransfer extends AskedTransfer {
  readonly hash: string;
}

/** Whether a customer who pays again, although a wallet has sent the money, was only warned or is sure. */
export type PayingAgain = "warned" | "sure";

/** Everything that the element knows about a payment while it shows it. The view is computed from this alone. */
export interface Known {
  readonly problem?: Problem | undefined;
  readonly payment?: Payment | undefined;
  readonly choices: readonly Choice[];
  readonly choice?: Choice | undefined;
  readonly offer?: Offer | undefined;
  /** Whether the offer differs from the one that the customer saw before for the same choice. */
  readonly isRenewed: boolean;
  readonly priceFailure?: PriceFailure | undefined;
  /** The amount that the customer chose to deposit, in USD cents. */
  readonly depositInCents?: number | undefined;
  readonly isOffline: boolean;
  readonly wallets: readonly AnnouncedWallet[];
  readonly wallet?: WalletProgress | undefined;
  /** Transfers that a wallet may have sent, or may still send: one for each wallet. Only the payment's status settles them. */
  readonly doubted: readonly AskedTransfer[];
  /** In the order sent. Money that was sent is never forgotten. */
  readonly sent: readonly SentTransfer[];
  readonly payingAgain?: PayingAgain | undefined;
  /** The validated return URL. */
  readonly returnUrl?: string | undefined;
  /** Until the automatic redirect; undefined if there is none. */
  readonly returnInSeconds?: number | undefined;
}

export const nothingKnown: Known = {
  choices: [],
  isRenewed: false,
  isOffline: false,
  wallets: [],
  doubted: [],
  sent: [],
};

/** What a session shares with its parts. */
export interface Shared {
  readonly known: () => Known;
  readonly update: (facts: Partial<Known>) => void;
  readonly report: (error: unknown) => void;
  readonly connection: () => Connection | undefined;
  /** Reads the payment again. */
  readonly reread: () => Promise<void>;
}

/** Whether the only thing left to do is wait for money that a wallet has sent. */
export function awaitsTransfer({ payment, sent, payingAgain }: Known): boolean {
  return payment?.status === "pending" && sent.length > 0 && payingAgain !== "sure";
}

/** Whether a status is final only until late money arrives. */
export function endedUnpaid(status: string | undefined): boolean {
  return status === "expired" || status === "cancelled";
}

/**
 * The wait until a payment is read again. It is also read each time that its status changes.
 *
 * @param isStale Whether the payment is known to have changed since the last read.
 * @param sinceMs How long ago its status changed.
 */
export function rereadMs(
  { payment, problem, isOffline }: Known,
  isStale: boolean,
  sinceMs: number,
): number {
  // The service refuses it.
  if (problem && problem.kind !== "unavailable") return 15_000;
  if (isStale || isOffline || payment?.status === "processing") return 3_000;
  // Late money may arrive, but is not expected after a quarter of an hour.
  if (endedUnpaid(payment?.status) && sinceMs < 900_000) return 30_000;
  return Number.POSITIVE_INFINITY;
}

/** The choices that quotes offer, in order and without duplicates. Chains without EVM addresses cannot be displayed. */
export function choicesOf(
  quotes: readonly { readonly token: Token; readonly chainId: ChainId }[],
): Choice[] {
  const choices = quotes.flatMap((quote) => {
    // The client returns values that do not fit the schema unchanged.
    const { token, chainId }: Partial<Quote> = { ...quote };
    if (typeof chainId !== "number" || typeof token?.contractAddress !== "string") return [];
    const choice: Choice = {
      key: tokenKey(chainId, token.contractAddress),
      symbol: printable(token.symbol) || "?",
      // A known chain keeps its own name, whatever the service calls it.
      network: findChain(chainId)?.name ?? (printable(token.chain?.name) || `Chain ${chainId}`),
      chainId,
      contractAddress: token.contractAddress,
      decimals: token.decimals,
      isStable: token.type === "stablecoin",
    };
    return [choice];
  });
  return [...new Map(choices.map((choice) => [choice.key, choice])).values()];
}

/** Identifies a token. A native asset has either of two addresses, and responses may differ. */
export function tokenKey(chainId: unknown, contractAddress: unknown): string {
  const address = String(contractAddress).toLowerCase();
  return isNativeAssetAddress(address) ? `${chainId}` : `${chainId}:${address}`;
}

/** The customer's total in cents, fees included; undefined until a deposit has an amount. */
export function dueCents({ payment, offer, depositInCents }: Known): number | undefined {
  if (payment === undefined) return undefined;
  const { amountDueCents, amountInCents, receipt, type } = payment;
  const ofQuote = offer?.quote.amountDueCents ?? receipt?.selectedQuote?.amountDueCents;
  const due =
    type === "deposit"
      ? (ofQuote ?? depositInCents ?? (amountDueCents || amountInCents || undefined))
      : (ofQuote ?? amountDueCents ?? amountInCents);
  return Number.isSafeInteger(due) ? due : undefined;
}

/** The hash of the transaction that delivered the money, under either of its published names. */
export function transactionOf({ receipt }: Payment): string | undefined {
  const hash = receipt?.txHash ?? receipt?.transactionHash ?? undefined;
  return hash === undefined ? undefined : printable(hash, 200);
}

/**
 * The offer that a quote makes.
 *
 * @throws {SettlekitError} when the quote is not the one requested, or has already expired.
 */
export function offerOf(request: PaymentRequest, quote: Quote, asked: Choice | undefined): Offer {
  const [choice] = choicesOf([quote]);
  if (request.remainingMs() === 0) {
    throw new SettlekitError("The service returned a quote that has already expired.", {
      code: "quote_expired",
      param: "quote",
    });
  }
  if (choice && (!asked || (asked.key === choice.key && asked.decimals === choice.decimals))) {
    return { choice: asked ?? choice, quote, request };
  }
  throw invalidArgument(
    "quote",
    "The service returned a quote in another token, on another chain or with other decimals than the payment " +
      "names. Choose another token.",
    "foreign_quote",
  );
}

/** @throws {SettlekitError} when a response is not the requested payment, or cannot be displayed at all. */
export function checkPayment({ id, status, quotes }: Payment, paymentId: string | undefined): void {
  if (id !== paymentId) {
    throw invalidOption(
      "paymentId",
      "The service returned a different payment from the one that payment-id names. Give the element the id and " +
        "the secret of one payment.",
      "foreign_payment",
    );
  }
  if (typeof status === "string" && Array.isArray(quotes)) return;
  throw new UnexpectedResponseError(
    "The service returned a payment without status or quotes. It will be read again.",
    { code: "incomplete_response", status: 200, body: undefined },
  );
}

/** Why an error prevents the payment from being displayed. */
export function problemOf(error: unknown): Problem {
  const code = codeOf(error);
  if (passesByItself(error)) return { kind: "unavailable", code };
  if (NotFoundError.is(error)) return { kind: "notFound", code };
  return { kind: statusOf(error) === undefined ? "notSetUp" : "notAccessible", code };
}

/** Identifies an error for a customer who contacts the shop: the HTTP status, or the code. */
export function codeOf(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `HTTP ${status}`;
  return SettlekitError.is(error) ? error.code : "unexpected_error";
}

/** The HTTP status of the response that was an error. */
function statusOf(error: unknown): number | undefined {
  return SettlekitError.is(error) ? error.status : undefined;
}
