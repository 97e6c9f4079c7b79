import type { Store } from "../stores/store.ts";
import { type Claim, leaseMs, type Queue, renew } from "./claims.ts";

/** A row that was worked on for a whole lease is not what ends a process. */
const harmlessRenewals = 3;

/** Keeps the lease of a row while it is worked on. The signal aborts when another worker has the row. */
export async function keepingLease<T>(
  store: Store,
  queue: Queue<Claim>,
  claim: Claim,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let renewals = 0;
  const renewing = setInterval(() => {
    renewals++;
    store
      .transaction(() => renew(queue, claim, renewals >= harmlessRenewals))
      .then(
        (isHeld) => isHeld || lost.abort(),
        // The lease may last until the database is back.
        () => {},
      );
  }, leaseMs / harmlessRenewals);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(renewing);
  }
}
