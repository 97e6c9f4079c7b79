import type { SandboxEvent, SandboxListener } from "./events.ts";
import type { SandboxFaults } from "./faults/faults.ts";
import type { ReceivedRequest } from "./request-log.ts";
import type { ListenOptions, SandboxServer } from "./server.ts";
import type { WithdrawalIdempotency } from "./service/idempotency.ts";
import type { SandboxMerchant } from "./service/merchants.ts";
import type { SandboxPayments } from "./service/payment-scenarios.ts";
import type { SandboxWithdrawals } from "./service/withdrawal-scenarios.ts";
import type { SandboxSnapshot, SavedSandbox } from "./state/state.ts";
import type { SandboxClock } from "./time/clock.ts";
import type { SandboxWebhooks } from "./webhooks/delivery.ts";

/** How many of the oldest entries were dropped. */
export interface DroppedCounts {
  /** The latest 1,000 are kept. */
  readonly requests: number;
  /** The latest 10,000 are kept. A delivery that is dropped while waiting is not retried. */
  readonly deliveries: number;
  /** The latest 2,000 are kept. */
  readonly timelineEntries: number;
  /** The latest 100,000 are kept. A dropped key counts as never used. */
  readonly idempotencyKeys: number;
}

/**
 * The service in process: its routes, webhooks, clock and faults, with simulated customers. Its id and keys are those of
 * the first merchant.
 */
export interface Sandbox
  extends Pick<SandboxMerchant, "secretKey" | "webhookSecret" | "merchantId" | "accessToken"> {
  /**
   * Responds to a request as the service would. Accepts the same arguments as the platform's fetch, needs no port, and
   * serves every origin. Rejects when the platform's fetch would: when the request's signal aborts, or when a fault
   * breaks the connection.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Serves the sandbox on a port.
   *
   * @throws {ConfigurationError} code `port_taken` or `cannot_listen`, or when an option is invalid.
   * @example
   * ```ts
   * await using server = await sandbox.listen({ port: 0 });
   * const client = new MerchantClient({
   *   environment: "sandbox",
   *   baseUrl: server.url,
   *   secretKey: sandbox.secretKey,
   * });
   * ```
   */
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** The prefix of the service's own headers. */
  readonly headerPrefix: string;
  /**
   * All merchants, including the first. The members below apply to all of them.
   *
   * @example
   * ```ts
   * const sandbox = createSandbox({ merchants: [{}, { withdrawalsEnabled: false }] });
   * const [shop, otherShop] = sandbox.merchants; // each with a secretKey, a webhookSecret, ...
   * ```
   */
  readonly merchants: readonly SandboxMerchant[];
  /** The clock, which everything that expires or is retried follows. */
  readonly clock: SandboxClock;
  /** Acts as the customers. */
  readonly payments: SandboxPayments;
  /** Acts as the service that processes withdrawals. */
  readonly withdrawals: SandboxWithdrawals;
  /**
   * How the service treats an Idempotency-Key that a withdrawal used within the last 24 hours; the interface (section
   * 4.4) does not specify it. The setting at the time of the repeated request applies.
   *
   * - `ignored`, the default: creates a second withdrawal.
   * - `honoured`: returns the first response again, or 409 for a different body.
   * - `conflict`: responds with 409, whatever the body.
   *
   * @throws {ConfigurationError} when set to anything else.
   */
  withdrawalIdempotency: WithdrawalIdempotency;
  /** Makes requests fail on purpose. */
  readonly faults: SandboxFaults;
  /** The webhooks that were sent; resends them, and disturbs the next ones. */
  readonly webhooks: SandboxWebhooks;
  /**
   * Calls a listener with every event of a type, or of all types for `*`, in order and right after the step that
   * emitted it, so that the listener can use the sandbox. An error that it throws becomes a process warning.
   *
   * @returns A function that unsubscribes.
   * @throws {InvalidRequestError} code `unknown_event`.
   * @example
   * ```ts
   * const unsubscribe = sandbox.on("payment.moved", ({ paymentId, status }) => {
   *   console.log(paymentId, status);
   * });
   * ```
   */
  on<Type extends SandboxEvent["type"] | "*">(
    type: Type,
    listener: SandboxListener<Type>,
  ): () => void;
  /** The latest requests with their responses, oldest first: at most 1,000. */
  requests(): ReceivedRequest[];
  /** How many entries were dropped to limit memory since the last reset. Payments and withdrawals are never dropped. */
  dropped(): DroppedCounts;
  /** Takes a snapshot of the time and of everything that a reset deletes. Cheap: it copies no values. */
  snapshot(): SandboxSnapshot;
  /**
   * Restores a snapshot, any number of times, even after a reset. The clock goes back by as much as it was advanced
   * since the snapshot. Webhooks that were in flight are sent again.
   *
   * @throws {InvalidRequestError} code `foreign_snapshot` when it is not from this sandbox.
   * @example
   * ```ts
   * const paid = sandbox.snapshot();
   * await sandbox.clock.advance("1d");
   * sandbox.restore(paid); // one day earlier
   * ```
   */
  restore(snapshot: SandboxSnapshot): void;
  /**
   * Returns everything that a snapshot keeps, and the secrets, as plain JSON that `load` accepts in any sandbox and
   * process. It is a copy, which you may modify.
   *
   * @example
   * ```ts
   * const saved = JSON.stringify(sandbox.save());
   * const other = createSandbox();
   * other.load(JSON.parse(saved)); // now has the same payments and keys
   * ```
   */
  save(): SavedSandbox;
  /**
   * Replaces everything, including the secrets and the clock: a frozen clock shows the saved time, a running one is as
   * far ahead of real time as before. Webhooks that were in flight are sent again.
   *
   * @throws {InvalidRequestError} code `invalid_save` when it did not come from `save`. The sandbox is then unchanged.
   */
  load(saved: SavedSandbox): void;
  /**
   * Deletes payments, withdrawals, idempotency keys, requests, webhook deliveries, faults and everything that is
   * scheduled. Sets `withdrawalIdempotency` to `ignored`. Keeps secrets, merchants and the time.
   */
  reset(): void;
  /** Closes the data file: later changes are not written. Nothing falls due by itself any more. */
  close(): void;
  /** `close`, for `using`. */
  [Symbol.dispose](): void;
}
