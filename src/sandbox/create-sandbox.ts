import { requireSupportedNode } from "../runtime.ts";
import { checkOptions } from "../wire/fields.ts";
import { fetchInProcess } from "./connection.ts";
import { createCore } from "./core.ts";
import { createFaults } from "./faults/faults.ts";
import { type SandboxOptions, sandboxSchema } from "./options.ts";
import { createRequestLog } from "./request-log.ts";
import type { Sandbox } from "./sandbox.ts";
import { createApp } from "./service/app.ts";
import { createIdempotencyStore } from "./service/idempotency.ts";
import { createMerchants } from "./service/merchants.ts";
import { paymentHandlers } from "./service/payment-handlers.ts";
import { createPaymentScenarios } from "./service/payment-scenarios.ts";
import { createPayments } from "./service/payments.ts";
import { referenceHandlers } from "./service/reference-handlers.ts";
import { createWithdrawalScenarios } from "./service/withdrawal-scenarios.ts";
import { createWithdrawals, withdrawalHandlers } from "./service/withdrawals.ts";
import { keepInFile } from "./state/data-file.ts";
import { createState } from "./state/state.ts";
import { createDeliveries } from "./webhooks/deliveries.ts";

/**
 * Creates the payment service in process, sharing nothing with other sandboxes. It starts no server, keeps no process alive,
 * and only needs `close` if it has a data file, or if one process creates thousands.
 *
 * @throws {ConfigurationError} when an option is invalid; `param` names it.
 * @example
 * ```ts
 * const sandbox = createSandbox({ webhookUrl: "http://127.0.0.1:3000/webhooks" });
 * const { fetch, secretKey } = sandbox;
 * const client = new MerchantClient({ environment: "sandbox", fetch, secretKey });
 * const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
 * await sandbox.payments.simulate(paymentId, "success");
 * await sandbox.webhooks.idle(); // payment.created and payment.updated have arrived
 * ```
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  requireSupportedNode();
  checkOptions(sandboxSchema, options);
  const core = createCore(options);
  const { clock, events, headerPrefix, store } = core;
  const merchants = createMerchants(options, store);
  const { publish, ...webhooks } = createDeliveries(core, merchants);
  const payments = createPayments(core, publish);
  const paymentScenarios = createPaymentScenarios(core, payments);
  const withdrawals = createWithdrawals(core, publish);
  const withdrawalScenarios = createWithdrawalScenarios(core, withdrawals, merchants);
  const idempotency = createIdempotencyStore(core);
  const log = createRequestLog(core);
  const { take: takeFault, ...faults } = createFaults(core);
  const app = createApp({
    ...core,
    merchants,
    payments,
    handlers: {
      ...paymentHandlers(core, payments),
      ...withdrawalHandlers(withdrawals),
      ...referenceHandlers,
    },
    idempotency,
    takeFault,
    record: log.record,
    async loadOwnRoutes() {
      const { createOwnRoutes } = await import("./control/own-routes.ts");
      return createOwnRoutes({ ...core, sandbox, payments, withdrawals });
    },
  });

  // The last listener, so that everything else is ready when the reset is emitted.
  store.onReplaced(events.reset);
  const closeFile = options.data === undefined ? () => {} : keepInFile(store, options.data);
  const close = () => {
    clock.stop();
    closeFile();
  };

  const sandbox: Sandbox = {
    fetch: async (input, init) => fetchInProcess(app, new Request(input, init)),
    async listen(where) {
      // Loading node:http takes as long as the rest of the sandbox, and most tests do not need it.
      const { listen } = await import("./server.ts");
      return listen(app, where);
    },
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
      return structuredClone(merchants.all());
    },
    clock: { now: clock.now, isFrozen: clock.isFrozen, advance: clock.advance },
    payments: paymentScenarios,
    withdrawals: withdrawalScenarios,
    get withdrawalIdempotency() {
      return idempotency.ofWithdrawals();
    },
    set withdrawalIdempotency(value) {
      idempotency.setOfWithdrawals(value);
    },
    faults,
    webhooks,
    on: events.on,
    requests: log.all,
    dropped: () => ({
      requests: store.dropped("requests"),
      deliveries: store.dropped("deliveries"),
      timelineEntries: store.dropped("timeline"),
      idempotencyKeys: store.dropped("idempotency keys"),
    }),
    ...createState(core),
    reset: store.clear,
    close,
    [Symbol.dispose]: close,
  };
  return sandbox;
}
