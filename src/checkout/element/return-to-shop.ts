import { isPaid } from "../../wire/payment-status.ts";
import type { Shared } from "./state.ts";

/** The wait between the payment and the return to the shop. */
const waitMs = 3_000;

/** Redirects the customer shortly after the payment, unless they choose to stay or come back from the shop. */
export class ReturnToShop {
  readonly #options: Shared;
  /** When the customer is redirected; never if they chose to stay, or came back to a payment that is paid. */
  #at = cameBack() ? Number.POSITIVE_INFINITY : undefined;

  constructor(options: Shared) {
    this.#options = options;
  }

  tick(now: number): void {
    const { known, update } = this.#options;
    const { payment, returnUrl, returnInSeconds, wallet } = known();
    if (payment === undefined) return;
    if (!isPaid(payment.status)) {
      this.#at = undefined;
      return;
    }
    // A wallet still shows a transfer: the customer reads here that they must reject it.
    if (returnUrl === undefined || wallet?.step === "sending") return;
    this.#at ??= now + waitMs;
    const seconds = Math.ceil((this.#at - now) / 1_000);
    if (seconds <= 0) {
      this.stay();
      // Back then skips this page, which would redirect the customer again.
      location.replace(returnUrl);
    } else if (Number.isFinite(seconds) && seconds !== returnInSeconds) {
      update({ returnInSeconds: seconds });
    }
  }

  /** Ends the countdown; the next tick starts another, unless the customer chose to stay. */
  stop(): void {
    if (Number.isFinite(this.#at)) this.#at = undefined;
  }

  stay(): void {
    this.#at = Number.POSITIVE_INFINITY;
    this.#options.update({ returnInSeconds: undefined });
  }
}

/** Whether Back or Forward led to this page. */
function cameBack(): boolean {
  // jsdom has no entries.
  const [navigation] = performance.getEntriesByType?.("navigation") ?? [];
  return (navigation as PerformanceNavigationTiming | undefined)?.type === "back_forward";
}
