import { SettlekitError } from "../../errors.ts";
import { findChain } from "../../evm/chains.ts";
import { realTime } from "../../http/time.ts";
import { isRecord } from "../../values.ts";
import type { Offer, WalletFailure, WalletProgress } from "./state.ts";
import { printable } from "./texts.ts";
import { hexadecimal, transactionFor } from "./transfer.ts";
import type { RpcUrls, WalletProvider } from "./wallets.ts";

/** How often, and at which interval, to check whether a wallet has switched its chain. */
const switching = { looks: 10, waitMs: 200 };

/** Why a wallet did not pay, as the failure's code. */
function walletError(failure: WalletFailure, message: string, cause?: unknown): SettlekitError {
  const outcome = failure === "wallet_outcome_unknown" ? "unknown" : "not_sent";
  return new SettlekitError(message, { code: failure, outcome, cause });
}

interface Payer {
  readonly provider: WalletProvider;
  /** The wallet's name. */
  readonly name: string;
  readonly offer: Offer;
  readonly rpcUrls: RpcUrls;
  /** Whether the offer may still be paid; checked before each request. */
  readonly isCurrent: () => boolean;
  readonly onStep: (step: WalletProgress["step"]) => void;
}

/**
 * Pays an offer from a wallet: requests the account, switches the chain, checks the chain, then requests exactly the
 * quoted transfer.
 *
 * @returns The hash of the transaction.
 * @throws {SettlekitError} whose `code` is a `WalletFailure`.
 */
export async function payFromWallet(payer: Payer): Promise<string> {
  const { provider, name, offer, isCurrent, onStep } = payer;
  const { network } = offer.choice;
  const account = await ask(payer, "eth_requestAccounts").then(firstAccount);
  if (account === undefined) {
    throw walletError(
      "wallet_failed",
      `${name} returned no account. Unlock it and connect an account.`,
    );
  }
  // Trust only the chain that the wallet reports: some wallets answer the request before they have switched.
  for (let looks = 0; !(await isOnChain(payer)); looks++) {
    if (looks === 0) {
      onStep("switching");
      await switchChain(payer);
    } else if (looks <= switching.looks) {
      await realTime.sleep(switching.waitMs);
    } else {
      throw walletError(
        "wallet_wrong_chain",
        `${name} is not on ${network} (${offer.request.chainId}) after it was asked to switch. Nothing was sent.`,
      );
    }
  }
  onStep("sending");
  if (!isCurrent()) throw quoteExpired(name);
  const params = [transactionFor(offer, account)];
  const hash = await call(provider, "eth_sendTransaction", params).catch((error) => {
    throw sendingFailure(name, error);
  });
  if (typeof hash === "string" && /^0x[0-9a-f]{64}$/i.test(hash)) return hash;
  throw walletError(
    "wallet_outcome_unknown",
    `${name} answered eth_sendTransaction without a transaction hash. The payment may have been sent: check the wallet.`,
  );
}

/** The error for an offer that expired or was replaced before the wallet sent anything. */
export function quoteExpired(name: string, isAsking = false): SettlekitError {
  const what = isAsking
    ? `The quote expired while ${name} showed the transfer. The wallet was asked to withdraw it; if it stays open, the customer has to reject it.`
    : `The quote expired before ${name} was asked to send. Nothing was sent; ask for a new quote.`;
  return walletError("quote_expired", what);
}

/** The error for a payment that another tab or element is already asking a wallet to pay. */
export function walletBusy(): SettlekitError {
  return walletError(
    "wallet_busy",
    "Another tab, or another element on this page, is asking a wallet to pay the same payment. Respond to that request first.",
  );
}

/**
 * Withdraws a wallet's request, if possible. EIP-1193 has no way to do so, but MetaMask and others reject a page's open
 * requests when it gives up its permissions, which needs no prompt.
 */
export function withdrawRequest(provider: WalletProvider): void {
  call(provider, "wallet_revokePermissions", [{ eth_accounts: {} }]).catch(() => {});
}

/** Asynchronous, so that a wallet that throws counts as one that rejects. */
async function call(provider: WalletProvider, method: string, params: unknown[]): Promise<unknown> {
  return provider.request({ method, ...(params.length > 0 && { params }) });
}

/** Makes a request that moves no money, unless the attempt is over: it could prompt the customer for nothing. */
async function ask(
  { provider, name, isCurrent }: Payer,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  if (!isCurrent()) throw quoteExpired(name);
  try {
    return await call(provider, method, params);
  } catch (error) {
    const failure = refusalOf(error) ?? "wallet_failed";
    throw walletError(failure, `${name} answered ${method} with ${describe(error)}.`, error);
  }
}

function firstAccount(accounts: unknown): string | undefined {
  const [account] = Array.isArray(accounts) ? accounts : [];
  return typeof account === "string" && /^0x[0-9a-f]{40}$/i.test(account) ? account : undefined;
}

async function isOnChain(payer: Payer): Promise<boolean> {
  const chainId = await ask(payer, "eth_chainId");
  return (
    typeof chainId === "string" &&
    /^0x[0-9a-f]{1,13}$/i.test(chainId) &&
    Number(chainId) === payer.offer.request.chainId
  );
}

async function switchChain(payer: Payer): Promise<void> {
  const { name, offer, rpcUrls } = payer;
  const { chainId } = offer.request;
  const target = { chainId: hexadecimal(chainId) };
  try {
    await ask(payer, "wallet_switchEthereumChain", target);
  } catch (error) {
    const { code, cause } = error as SettlekitError;
    // The customer may have switched the wallet by hand: the chain is checked again anyway.
    if (code === "wallet_unsupported") return;
    if (code !== "wallet_unknown_chain") throw error;
    const urls = rpcUrls[chainId];
    if (!urls?.length) {
      throw walletError(
        "wallet_unknown_chain",
        `${name} does not know chain ${chainId}. Set the element's rpcUrls for it, so that the wallet can add it.`,
        cause,
      );
    }
    await ask(payer, "wallet_addEthereumChain", { ...target, ...chainToAdd(offer), rpcUrls: urls });
    // Some wallets add the chain without switching to it.
    if (!(await isOnChain(payer))) await ask(payer, "wallet_switchEthereumChain", target);
  }
}

function chainToAdd({ choice, quote, request }: Offer) {
  const known = findChain(request.chainId) ?? quote.token.chain;
  const symbol = printable(known?.nativeSymbol) || "ETH";
  return {
    chainName: choice.network,
    nativeCurrency: { name: symbol, symbol, decimals: known?.nativeDecimals ?? 18 },
  };
}

/** The error's numeric codes; some wallets wrap another one's error. */
function errorCodes(error: unknown): unknown[] {
  if (!isRecord(error)) return [];
  const { code, data, cause } = error;
  const inner = [isRecord(data) ? data.originalError : undefined, cause];
  return [code, ...inner.map((it) => (isRecord(it) ? it.code : undefined))];
}

/** Why a wallet refused, if its error says so. */
function refusalOf(error: unknown): WalletFailure | undefined {
  const found = errorCodes(error);
  const has = (...wanted: unknown[]) => wanted.some((code) => found.includes(code));
  const isRejected = /user (rejected|denied|cancell?ed|declined)|(rejected|denied) by (the )?user/i;
  // 5000 is WalletConnect's.
  if (has(4001, 5000, "ACTION_REJECTED") || isRejected.test(messageOf(error))) {
    return "wallet_rejected";
  }
  // MetaMask's mobile app reports an internal error with this message.
  if (has(4902) || /unrecognized chain/i.test(messageOf(error))) return "wallet_unknown_chain";
  if (has(-32_002)) return "wallet_busy";
  if (has(4200, -32_601)) return "wallet_unsupported";
  // Unauthorized, or invalid parameters.
  return has(4100, -32_602) ? "wallet_failed" : undefined;
}

/** Once the wallet was asked to send, only an error that gives a reason proves that nothing was sent. */
function sendingFailure(name: string, error: unknown): SettlekitError {
  // A transfer of more than the balance would revert.
  const isShort = /insufficient|exceeds (the )?balance|revert/i.test(messageOf(error));
  const refusal = refusalOf(error) ?? (isShort ? "wallet_insufficient_funds" : undefined);
  const cure = refusal ? "Nothing was sent." : "The payment may have been sent: check the wallet.";
  return walletError(
    refusal ?? "wallet_outcome_unknown",
    `${name} answered eth_sendTransaction with ${describe(error)}. ${cure}`,
    error,
  );
}

function describe(error: unknown): string {
  const [code] = errorCodes(error);
  const number = code === undefined ? "an error" : `error ${printable(code)}`;
  const message = printable(messageOf(error), 200).replace(/\.$/, "");
  return message === "" ? number : `${number}, "${message}"`;
}

function messageOf(error: unknown): string {
  const message = isRecord(error) ? error.message : error;
  return typeof message === "string" ? message : "";
}
