/** What the browser's tabs share about a payment, so that no two of them pay it. */
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

/** Where the browser keeps what wallets have sent for a payment. */
const keyOf = (paymentId: string) => `settlekit:sent:${paymentId}`;

/** What wallets have sent for a payment, oldest first: the given transfers, and those that other tabs have stored. */
export function withStored(paymentId: string, sent: readonly SentTransfer[]): SentTransfer[] {
  return [...new Map([...stored(paymentId), ...sent].map((it) => [it.hash, it])).values()];
}

function stored(paymentId: string): SentTransfer[] {
  try {
    const sent: unknown = JSON.parse(localStorage.getItem(keyOf(paymentId)) ?? "[]");
    return Array.isArray(sent) ? sent.filter((it) => it?.hash && it.choice) : [];
  } catch {
    // Storage is unavailable, or holds something else.
    return [];
  }
}

export function store(paymentId: string, sent: readonly SentTransfer[]): void {
  try {
    localStorage.setItem(keyOf(paymentId), JSON.stringify(sent));
  } catch {
    // Storage is unavailable: the transfer is known until the customer leaves the page.
  }
}

/** Calls back when another tab has stored a transfer for a payment, until the signal aborts. */
export function onStored(paymentId: string, callback: () => void, signal: AbortSignal): void {
  const check = ({ key }: StorageEvent) => key === keyOf(paymentId) && callback();
  addEventListener("storage", check, { signal });
}
