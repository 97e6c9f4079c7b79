import { ConfigurationError } from "../errors.ts";
import { unsupportedNode } from "../runtime.ts";
import { readHeaderPrefix } from "../webhooks/options.ts";
import { fetchInProcess } from "./connection.ts";
import { createEvents } from "./event-bus.ts";
import { createFaults } from "./faults/faults.ts";
import { checkSandboxOptions, merchantOptionsOf, type SandboxOptions } from "./options.ts";
import { createRandomSource, originOf } from "./random.ts";
import { createRequestLog } from "./request-log.ts";
import type { Sandbox, WithdrawalIdempotency } from "./sandbox.ts";
import type { ListenOptions, SandboxServer } from "./server.ts";
import { createApp } from "./service/app.ts";
import { checkoutRoutes } from "./service/checkout-routes.ts";
import { checkedRepetition, createIdempotencyStore } from "./service/idempotency.ts";
import { createMerchants, publicMerchant } from "./service/merchants.ts";
import { createAuthenticate } from "./service/operations.ts";
import { paymentRoutes } from "./service/payment-routes.ts";
import { createPaymentScenarios } from "./service/payment-scenarios.ts";
import { createPayments } from "./service/payments.ts";
import { referenceRoutes } from "./service/reference-routes.ts";
import { withdrawalRoutes } from "./service/withdrawal-routes.ts";
import { createWithdrawalScenarios } from "./service/withdrawal-scenarios.ts";
import { createWithdrawals } from "./service/withdrawals.ts";
import { keepInFile } from "./state/data-file.ts";
import { createState } from "./state/state.ts";
import { createStore } from "./state/store.ts";
import { createClock } from "./time/clock.ts";
import { createWebhookDeliveries } from "./webhooks/deliveries.ts";
import { createTaskQueue } from "./webhooks/endpoint.ts";

/** Webhooks on their way at once. */
const maxWebhooksInFlight = 16;

/**
 * A sandbox of its own: it shares nothing with others, starts no server and no timer, and needs no
 * closing, unless it has a data file.
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
  const problem = unsupportedNode(process.versions.node);
  if (problem) throw new ConfigurationError(problem, { code: "unsupported_platform" });
  checkSandboxOptions(options);
  const headerPrefix = readHeaderPrefix(options.headerPrefix);
  const { dialect = "documented" } = options;
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

  const events = createEvents(store);
  const queue = createTaskQueue(maxWebhooksInFlight);
  const clock = createClock({ frozenAt: options.now, quiet: queue.idle, events, store });
  const webhooks = createWebhookDeliveries({
    merchants,
    clock,
    random,
    queue,
    events,
    store,
    form: { headerPrefix, dialect },
  });
  const { publish } = webhooks;
  const payments = createPayments({ clock, random, publish, events, store });
  const withdrawals = createWithdrawals({ clock, random, publish, store });
  const paymentScenarios = createPaymentScenarios({
    payments,
    clock,
    random,
    store,
  });
  const withdrawalScenarios = createWithdrawalScenarios({
    withdrawals,
    clock,
    random,
    store,
    merchants,
  });
  const idempotency = createIdempotencyStore(clock, events, store);
  const log = createRequestLog(store);
  const routes = [
    ...paymentRoutes({ payments }),
    ...checkoutRoutes({ payments, clock, random }),
    ...withdrawalRoutes({ withdrawals }),
    ...referenceRoutes(),
  ];
  const faults = createFaults({
    operations: routes.map(({ operation }) => operation),
    headerPrefix,
    realNowMs: () => performance.now(),
    random,
    store,
  });
  const app = createApp({
    routes,
    authenticate: createAuthenticate({ merchants, payments, headerPrefix }),
    idempotency,
    withdrawalIdempotency,
    headerPrefix,
    dialect,
    findPayment: payments.find,
    clock,
    random,
    faults,
    log,
    events,
    store,
    async loadOwnRoutes() {
      const { createOwnRoutes } = await import("./control/own-routes.ts");
      const { isFrozen } = clock;
      return createOwnRoutes({ sandbox, payments, withdrawals, events, isFrozen });
    },
  });

  // The last listener, so that everything is in its new place when the reset is told of.
  store.onReplaced(events.reset);
  const state = createState(store);
  const close = options.data === undefined ? () => {} : keepInFile(store, String(options.data));

  async function listen(where: ListenOptions = {}): Promise<SandboxServer> {
    // Loading node:http takes as long as all the rest, and most tests do without.
    const server = await import("./server.ts");
    return server.listen(app, where);
  }

  const sandbox: Sandbox = {
    fetch: (input, init) => {
      const isRequest = input instanceof Request && init === undefined;
      return fetchInProcess(app, isRequest ? input : new Request(input, init));
    },
    listen,
    headerPrefix,
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
      limit: faults.limit,
      waiting: faults.waiting,
      clear: faults.clear,
    },
    webhooks: {
      deliveries: webhooks.deliveries,
      replay: webhooks.replay,
      disorder: webhooks.disorder,
      disorders: webhooks.disorders,
      clearDisorders: webhooks.clearDisorders,
      idle: webhooks.idle,
    },
    on: events.on,
    requests: log.all,
    dropped: () => ({
      requests: log.dropped(),
      deliveries: webhooks.dropped(),
      timelineEntries: events.dropped(),
      idempotencyKeys: idempotency.dropped(),
    }),
    snapshot: () => state.take(clock.now()),
    restore: state.restore,
    save: () => state.save(clock.now()),
    load: state.load,
    reset: store.clear,
    close,
    [Symbol.dispose]: close,
  };
  return sandbox;
}
