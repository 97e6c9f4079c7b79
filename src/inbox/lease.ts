import type { Store } from "../stores/store.ts";
import { type Claim, leaseMs, type Queue, renew } from "./claims.ts";

const renewalsPerLease = 3;

/**
 * Renews a row's lease while it is being processed, but not after the worker has `stopped`: work that ignores the stop
 * loses its row to other workers. The signal aborts when another worker takes the row.
 */
export async function keepingLease<T>(
  store: Store,
  queue: Queue<Claim>,
  claim: Claim,
  stopped: AbortSignal,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  let renewals = 0;
  const renewing = setInterval(() => {
    renewals++;
    store
      // A row that has run for a whole lease is not the row that kills the process.
      .transaction(() => renew(queue, claim, renewals >= renewalsPerLease))
      .then(
        (isHeld) => isHeld || lost.abort(),
        // The lease may outlast the database's outage.
        () => {},
      );
  }, leaseMs / renewalsPerLease);
  const end = () => clearInterval(renewing);
  stopped.addEventListener("abort", end);
  try {
    return await work(lost.signal);
  } finally {
    stopped.removeEventListener("abort", end);
    end();
  }
}
