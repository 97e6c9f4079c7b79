import type { Time } from "./time.ts";

const capacity = 100;
const refillPerSecond = 1;
const refillPerSuccess = 0.1;

/**
 * A token bucket that all calls of a client draw retries from. In an outage it runs dry, and calls
 * fail after their first attempt instead of multiplying the load; successes and time fill it again.
 */
export class RetryBudget {
  readonly #time: Time;
  #tokens = capacity;
  #filledAt: number;

  constructor(time: Time) {
    this.#time = time;
    this.#filledAt = time.now();
  }

  get hasRetry(): boolean {
    const now = this.#time.now();
    this.#fill(((now - this.#filledAt) / 1000) * refillPerSecond);
    this.#filledAt = now;
    return this.#tokens >= 1;
  }

  spend(): void {
    this.#tokens -= 1;
  }

  succeeded(): void {
    this.#fill(refillPerSuccess);
  }

  #fill(tokens: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + tokens);
  }
}
