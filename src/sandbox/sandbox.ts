import type { SandboxEvent, SandboxListener } from "./events.ts";
import type { SandboxFaults } from "./faults/faults.ts";
import type { ReceivedRequest } from "./request-log.ts";
import type { ListenOptions, SandboxServer } from "./server.ts";
import type { SandboxMerchant } from "./service/merchants.ts";
import type { SandboxPayments } from "./service/payment-scenarios.ts";
import type { SandboxWithdrawals } from "./service/withdrawal-scenarios.ts";
import type { SandboxSnapshot, SavedSandbox } from "./state/state.ts";
import type { SandboxClock } from "./time/clock.ts";
import type { SandboxWebhooks } from "./webhooks/delivery.ts";

/** How much of what happened is no longer there. */
export interface DroppedCounts {
  /** The latest 1,000 are kept. */
  readonly requests: number;
  /** The latest 10,000 are kept. One that is dropped while it waits is not sent again. */
  readonly deliveries: number;
  /** The latest 2,000 are kept. */
  readonly timelineEntries: number;
  /** The latest 100,000 are kept. One that is dropped counts as never used. */
  readonly idempotencyKeys: number;
}

/** The service in process: its routes, webhooks, clock and faults, and a customer to play. */
export interface Sandbox {
  /**
   * Answers a request as the service would. Takes what the platform's fetch takes, needs no port, and serves every
   * origin. Rejects when the platform's fetch would: when the request's signal aborts, and when a fault breaks the
   * connection.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /**
   * Serves the same on a port.
   *
   * @throws {ConfigurationError} code `port_taken` or `cannot_listen`.
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
  /** What the service's own headers begin with. */
  readonly headerPrefix: string;
  /** The first merchant's secret key. Starts with `sk_test_`; never rotates. */
  readonly secretKey: string;
  /** What the first merchant's webhooks are signed with. Never rotates. */
  readonly webhookSecret: string;
  /** The first merchant's. */
  readonly merchantId: string;
  /** The dashboard's bearer token for the first merchant. Never rotates, never expires. */
  readonly accessToken: string;
  /**
   * All merchants, the first one among them. What follows here is about all of them: each payment, withdrawal and
   * delivery names its merchant.
   *
   * @example
   * ```ts
   * const sandbox = createSandbox({ merchants: [{}, { withdrawalsEnabled: false }] });
   * const [shop, otherShop] = sandbox.merchants; // each with a secretKey, a webhookSecret, ...
   * ```
   */
  readonly merchants: readonly SandboxMerchant[];
  readonly clock: SandboxClock;
  readonly payments: SandboxPayments;
  readonly withdrawals: SandboxWithdrawals;
  /**
   * What the service does with an Idempotency-Key that a withdrawal came with before, within 24 hours;
   * the interface does not say (section 4.4). What it is set to when the key comes again counts.
   *
   * - `ignored`, the default: it creates a second withdrawal.
   * - `honoured`: it gives the first answer again, and 409 to another body.
   * - `conflict`: it answers 409, whatever the body.
   *
   * @throws {ConfigurationError} When set to anything else.
   */
  withdrawalIdempotency: WithdrawalIdempotency;
  readonly faults: SandboxFaults;
  readonly webhooks: SandboxWebhooks;
  /**
   * Calls a listener with every event of a type, or with all events for `*`. Listeners are called in order, right after
   * the step that emitted the event, so they may use the sandbox. An error that one throws becomes a process warning.
   *
   * @returns A function that unsubscribes.
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
  /** The latest requests with what they were answered, oldest first: at most 1,000. */
  requests(): ReceivedRequest[];
  /**
   * How many of the oldest were dropped since the last reset, so that memory stays bounded. Payments and withdrawals
   * never are.
   */
  dropped(): DroppedCounts;
  /** Keeps everything that a reset forgets, and the time. Costs no more than a list of it. */
  snapshot(): SandboxSnapshot;
  /**
   * Puts everything back as it stood, as often as one likes, also after a reset. The time goes back by
   * what it was advanced since. Webhooks that were on their way are sent again.
   *
   * @throws {InvalidRequestError} code `foreign_snapshot` when it is not one of this sandbox.
   * @example
   * ```ts
   * const paid = sandbox.snapshot();
   * await sandbox.clock.advance("1d");
   * sandbox.restore(paid); // that day has not passed
   * ```
   */
  restore(snapshot: SandboxSnapshot): void;
  /**
   * Everything that a snapshot keeps, and the secrets, as plain JSON: load it into this sandbox or another one, in
   * this process or another. The copy is yours.
   *
   * @example
   * ```ts
   * const saved = JSON.stringify(sandbox.save());
   * const other = createSandbox();
   * other.load(JSON.parse(saved)); // has its payments, and answers to its keys
   * ```
   */
  save(): SavedSandbox;
  /**
   * Puts what `save` gave in the place of everything, also of the secrets and of the clock: a frozen one stands where
   * it stood, a running one is as far ahead of real time as it was. Webhooks that were on their way are sent again.
   *
   * @throws {InvalidRequestError} code `invalid_save` when it is nothing that `save` gave. Nothing changes then.
   */
  load(saved: SavedSandbox): void;
  /**
   * Forgets payments, withdrawals, kept idempotency keys, requests, webhook deliveries and everything
   * that was due, and takes back faults. `withdrawalIdempotency` is `ignored` again. Secrets, merchant
   * and time stay.
   */
  reset(): void;
  /** Lets go of the data file: what happens from then on is not written. Without `data` it does nothing. */
  close(): void;
  /** `close`, for `using`. */
  [Symbol.dispose](): void;
}

/** What a repeated Idempotency-Key on withdrawals leads to; the service's documentation does not say. */
export type WithdrawalIdempotency = "ignored" | "honoured" | "conflict";
