/** What the browser's tabs, and a page's elements, share about a payment, so that no two of them pay it. */
import type { SentTransfer } from "./state.ts";

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
        return lock ? over : undefined;
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

/** A transfer that a wallet shows, and has neither sent nor refused. */
export type AskedTransfer = Omit<SentTransfer, "hash">;

/** Tells this page's elements what one of them has stored: the browser tells only other tabs. */
const stores = new EventTarget();

/** Where the browser keeps what wallets have sent for a payment, and what one of them shows. */
const keyOf = (paymentId: string) => `settlekit:sent:${paymentId}`;

/** What wallets have sent for a payment, oldest first: the given transfers, and those that other tabs have stored. */
export function withStored(paymentId: string, sent: readonly SentTransfer[]): SentTransfer[] {
  const known = [...stored(paymentId).filter(isSent), ...sent];
  return [...new Map(known.map((it) => [it.hash, it])).values()];
}

/** The transfer that a wallet showed when it was last asked, unless it is known to have sent or refused it. */
export function storedAsked(paymentId: string): AskedTransfer | undefined {
  return stored(paymentId).find((it) => !isSent(it));
}

function isSent(transfer: AskedTransfer): transfer is SentTransfer {
  return "hash" in transfer;
}

function stored(paymentId: string): AskedTransfer[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(paymentId)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((it) => it?.wallet && it.choice) : [];
  } catch {
    // Storage is unavailable, or holds something else.
    return [];
  }
}

/** Stores what wallets have sent for a payment, and the transfer that one of them shows now. */
export function store(
  paymentId: string,
  sent: readonly SentTransfer[],
  ...asked: AskedTransfer[]
): void {
  const all = [...withStored(paymentId, sent), ...asked];
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
