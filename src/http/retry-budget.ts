import type { Time } from "./time.ts";

// In tenths of a retry, so that ten successes make a whole one.
const capacity = 1_000;
const cost = 10;
const refillPerSecond = 10;
const refillPerSuccess = 1;

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
    return this.#tokens >= cost;
  }

  spend(): void {
    this.#tokens -= cost;
  }

  succeeded(): void {
    this.#fill(refillPerSuccess);
  }

  #fill(tokens: number): void {
    this.#tokens = Math.min(capacity, this.#tokens + tokens);
  }
}
