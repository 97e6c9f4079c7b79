/** What the browser's tabs, and a page's elements, share about a payment, so that no two of them pay it. */
import type { AskedTransfer, Known, SentTransfer } from "./state.ts";

/** The payments claimed on this page, where the browser offers no locks. */
const claimed = new Set<string>();

/**
 * Claims the right to ask a wallet to pay, until the signal aborts. The browser releases the claim of a tab that is
 * closed.
 *
 * @returns Whether no other tab or element has claimed the payment.
 */
export async function claim(paymentId: string, signal: AbortSignal): Promise<boolean> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => end());
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const hold = (lock: Lock | null) => {
        resolve(lock !== null);
        return lock && over;
      };
      const name = `settlekit:paying:${paymentId}`;
      navigator.locks.request(name, { ifAvailable: true }, hold).catch(reject);
    });
  } catch {
    // An insecure context or a sandboxed frame has no locks: only this page's elements can be told apart.
    if (claimed.has(paymentId)) return false;
    claimed.add(paymentId);
    void over.then(() => claimed.delete(paymentId));
    return true;
  }
}

/** What wallets have sent for a payment, and what they may have sent. */
type Transfers = Pick<Known, "sent" | "doubted">;
type StoredTransfer = AskedTransfer | SentTransfer;

/** Tells this page's elements what one of them has stored: the browser tells only other tabs. */
const stores = new EventTarget();

/** Where the browser keeps what wallets have sent for a payment, and what they were asked for and may have sent. */
const keyOf = (paymentId: string) => `settlekit:sent:${paymentId}`;

/**
 * A payment's transfers that are known or stored by other tabs; oldest first, and for each wallet one in doubt.
 *
 * @param isClaimed Whether no tab or element awaits a wallet's answer: what one was asked for is then in doubt, too.
 */
export function withStored(
  paymentId: string,
  { sent, doubted }: Transfers,
  isClaimed = false,
): Transfers {
  const all = [...stored(paymentId, isClaimed), ...doubted, ...sent];
  const unique = [...new Map(all.map((it) => [isSent(it) ? it.hash : it.wallet, it])).values()];
  return { sent: unique.filter(isSent), doubted: unique.filter((it) => !isSent(it)) };
}

function isSent(transfer: StoredTransfer): transfer is SentTransfer {
  return "hash" in transfer;
}

function stored(paymentId: string, isClaimed: boolean): StoredTransfer[] {
  try {
    const all = JSON.parse(localStorage.getItem(keyOf(paymentId)) ?? "[]").flat(Number(isClaimed));
    return all.filter((it: StoredTransfer | null) => it?.wallet && it.choice);
  } catch {
    // Storage is unavailable, or holds something else.
    return [];
  }
}

/** Stores what wallets have sent or may have sent for a payment, and the transfer that one of them shows now. */
export function store(paymentId: string, known: Transfers, ...asked: AskedTransfer[]): void {
  // Nested, because what a wallet shows now is not in doubt before it answers.
  const all = [...withStored(paymentId, known).sent, ...known.doubted, asked];
  try {
    localStorage.setItem(keyOf(paymentId), JSON.stringify(all));
  } catch {
    // Storage is unavailable: the transfers are known until the customer leaves the page.
  }
  stores.dispatchEvent(new Event(keyOf(paymentId)));
}

/** Calls back when a tab has stored a transfer for a payment, until the signal aborts. */
export function onStored(paymentId: string, callback: () => void, signal: AbortSignal): void {
  const check = ({ key }: StorageEvent) => key === keyOf(paymentId) && callback();
  addEventListener("storage", check, { signal });
  stores.addEventListener(keyOf(paymentId), callback, { signal });
}
