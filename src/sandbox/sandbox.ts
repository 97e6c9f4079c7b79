import { unlessAborted } from "./abort.ts";
import { createApp } from "./app.ts";
import { createAuthenticate } from "./authentication.ts";
import { checkoutRoutes } from "./checkout-routes.ts";
import { createClock, type SandboxClock } from "./clock.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { createFaults, type SandboxFaults } from "./faults.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createLanes } from "./lanes.ts";
import { createMerchants, publicMerchant, type SandboxMerchant } from "./merchants.ts";
import { checkedRepetition, merchantOptionsOf, type SandboxOptions } from "./options.ts";
import type { OwnRoutes } from "./own-routes.ts";
import { paymentRoutes } from "./payment-routes.ts";
import { createPaymentScenarios, type SandboxPayments } from "./payment-scenarios.ts";
import { createPayments } from "./payments.ts";
import { createRandomSource, originOf } from "./random.ts";
import { asFetched } from "./reply.ts";
import { createRequestLog, type ReceivedRequest } from "./request-log.ts";
import { isOwnRoute } from "./routing.ts";
import type { ListenOptions, SandboxServer } from "./server.ts";
import { createState, type SandboxSnapshot, type SavedSandbox } from "./state.ts";
import { createStore } from "./store.ts";
import { createTimeline } from "./timeline.ts";
import { createWebhookDeliveries, type SandboxWebhooks } from "./webhook-deliveries.ts";
import { withdrawalRoutes } from "./withdrawal-routes.ts";
import { createWithdrawalScenarios, type SandboxWithdrawals } from "./withdrawal-scenarios.ts";
import { createWithdrawals } from "./withdrawals.ts";

/** The service in process: its routes, webhooks, clock and faults, and a customer to play. */
export interface Sandbox {
  /**
   * Answers a request as the service would. Needs no port; any origin will do. Rejects where the
   * platform's fetch would: when the request's signal aborts, and when a fault breaks the connection.
   */
  fetch(request: Request): Promise<Response>;
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
  /** The latest requests with what they were answered, oldest first: at most 1,000. */
  requests(): ReceivedRequest[];
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
}

/** What a repeated Idempotency-Key on withdrawals leads to; the service's documentation does not say. */
export type WithdrawalIdempotency = "ignored" | "honoured" | "conflict";

/** Webhooks on their way at once. */
const maxWebhooksInFlight = 16;

/**
 * A sandbox of its own: it shares nothing with others, starts no server and no timer, and needs no
 * closing.
 *
 * @throws {ConfigurationError} An option cannot work; `param` names it.
 * @example
 * ```ts
 * const sandbox = createSandbox({ webhookUrl: "http://127.0.0.1:3000/webhooks" });
 * const response = await sandbox.fetch(
 *   new Request("http://sandbox/v1/external/secretkey-auth/payments", {
 *     method: "POST",
 *     headers: { "X-Service-Secret-Key": sandbox.secretKey, "Content-Type": "application/json" },
 *     body: JSON.stringify({ amount: 2500, currency: "USD", orderId: "order_1" }),
 *   }),
 * );
 * const { paymentId } = await response.json();
 * await sandbox.payments.simulate(paymentId, "success");
 * await sandbox.webhooks.idle(); // payment.created and payment.updated have arrived
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const store = createStore();
  const random = createRandomSource(options.seed, store);
  const merchants = createMerchants({
    options: merchantOptionsOf(options),
    origin: originOf(options.identity ?? options.seed),
    store,
  });
  const withdrawalIdempotency = store.cell<WithdrawalIdempotency>(
    "withdrawal idempotency",
    "ignored",
  );

  const timeline = createTimeline(store);
  const lanes = createLanes(maxWebhooksInFlight);
  const clock = createClock({ frozenAt: options.now, quiet: lanes.idle, store });
  const webhooks = createWebhookDeliveries({
    merchants,
    clock,
    random,
    lanes,
    timeline,
    store,
  });
  const { publish } = webhooks;
  const payments = createPayments({ clock, random, publish, store });
  const withdrawals = createWithdrawals({ clock, random, publish, store });
  const paymentScenarios = createPaymentScenarios({ payments, clock, random, store });
  const withdrawalScenarios = createWithdrawalScenarios({
    withdrawals,
    clock,
    random,
    store,
    merchants,
  });
  const idempotency = createIdempotencyStore(clock, store);
  const log = createRequestLog(store);
  const routes = [
    ...paymentRoutes({ payments }),
    ...checkoutRoutes({ payments, clock, random }),
    ...withdrawalRoutes({ withdrawals }),
  ];
  const app = createApp({
    routes,
    authenticate: createAuthenticate({ merchants, payments }),
    idempotency,
    repetitionOf(replay) {
      if (replay === "safe") return undefined;
      return replay === "keyed" ? "honoured" : withdrawalIdempotency.get();
    },
  });

  const faults = createFaults({
    operations: routes.map(({ operation }) => operation),
    realNowMs: () => performance.now(),
    random,
    store,
  });
  const callService = createExchange({ app, clock, random, faults, log, timeline });

  let ownRoutes: Promise<OwnRoutes> | undefined;
  const exchange: Exchange = async (request) => {
    if (!isOwnRoute(new URL(request.url).pathname)) return callService(request);
    // Most tests look at no page.
    ownRoutes ??= import("./own-routes.ts").then(({ createOwnRoutes }) =>
      createOwnRoutes({
        sandbox,
        payments,
        withdrawals,
        timeline,
        isFrozen: clock.isFrozen(),
      }),
    );
    return { kind: "answered", response: await (await ownRoutes)(request) };
  };

  async function fetch(request: Request): Promise<Response> {
    return asFetched(await unlessAborted(request.signal, () => exchange(request)));
  }

  // The last, so that whoever is told of it finds everything as it stands then.
  store.onReplaced(timeline.begunAnew);
  const state = createState(store);

  async function listen(where: ListenOptions = {}): Promise<SandboxServer> {
    // Loading node:http takes as long as all the rest, and most tests do without.
    const server = await import("./server.ts");
    return server.listen(exchange, where);
  }

  const sandbox: Sandbox = {
    fetch,
    listen,
    get secretKey() {
      return merchants.first().secretKey;
    },
    get webhookSecret() {
      return merchants.first().webhookSecret;
    },
    get merchantId() {
      return merchants.first().merchantId;
    },
    get accessToken() {
      return merchants.first().accessToken;
    },
    get merchants() {
      return merchants.all().map(publicMerchant);
    },
    clock: { now: clock.now, advance: clock.advance },
    payments: paymentScenarios,
    withdrawals: withdrawalScenarios,
    get withdrawalIdempotency() {
      return withdrawalIdempotency.get();
    },
    set withdrawalIdempotency(value) {
      withdrawalIdempotency.set(checkedRepetition(value));
    },
    faults: {
      next: faults.next,
      latency: faults.latency,
      reset: faults.reset,
      truncate: faults.truncate,
      rateLimit: faults.rateLimit,
      waiting: faults.waiting,
      clear: faults.clear,
    },
    webhooks: {
      deliveries: webhooks.deliveries,
      replay: webhooks.replay,
      dropped: webhooks.dropped,
      idle: webhooks.idle,
    },
    requests: () => log.all(),
    snapshot: () => state.take(clock.now()),
    restore: state.restore,
    save: () => state.save(clock.now()),
    load: state.load,
    reset: store.clear,
  };
  return sandbox;
}
