import { setImmediate } from "node:timers/promises";
import { SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { describe, expect, test, vi } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import { MerchantClient } from "../../src/index.ts";
import { instrument } from "../../src/opentelemetry/index.ts";
import { createPayouts } from "../../src/payouts/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import type { Observer } from "../../src/stores/observers.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { createTelemetry } from "./telemetry.ts";

const logger = { warn() {}, error() {} };
const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

/** A shop whose webhooks go to an inbox, all of it instrumented. */
async function openShop(telemetry: ReturnType<typeof createTelemetry>, identifiers = false) {
  const sandbox = createSandbox({
    deliver: (request) => handler(request),
  });
  const { secretKey, webhookSecret: secret, fetch } = sandbox;
  const client = new MerchantClient({ environment: "sandbox", secretKey, fetch });
  const webhooks = new Webhooks({ secret, logger });
  const store = sqlite(":memory:");
  const inbox = createInbox({ client, webhooks, store, logger });
  await inbox.migrate();
  const options = { ...telemetry.options, identifiers };
  instrument(client, options);
  instrument(webhooks, options);
  const stop = instrument(inbox, options);
  const handler = inbox.fetchHandler();
  return { sandbox, client, inbox, store, stop };
}

describe("instrument(inbox)", () => {
  test("links the span that settles a payment, in which effects run, to its webhooks", async () => {
    await using telemetry = createTelemetry();
    const { sandbox, client, inbox } = await openShop(telemetry);
    inbox.on("payment", "ship", { states: ["completed"] }, () => {
      telemetry.tracer.startActiveSpan("ship", (span) => span.end());
    });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.webhooks.idle();
    await inbox.settleDue();

    const settle = telemetry.span("settle payment");
    const webhooks = telemetry.spans().filter(({ name }) => name.startsWith("webhook "));
    expect(webhooks).toHaveLength(2);
    expect(settle.links.map((link) => link.context.spanId).sort()).toEqual(
      webhooks.map((span) => span.spanContext().spanId).sort(),
    );
    expect(settle.status.code).toBe(SpanStatusCode.UNSET);
    expect(settle.attributes).toEqual({
      "settlekit.status": "completed",
      "settlekit.effects": ["ship"],
    });
    for (const name of ["ship", "payments.get"]) {
      expect(telemetry.span(name).parentSpanContext?.spanId).toBe(settle.spanContext().spanId);
    }
    expect(await telemetry.points("settlekit.inbox.settlings")).toEqual([
      {
        attributes: { "settlekit.kind": "payment", "settlekit.outcome": "settled" },
        value: 1,
      },
    ]);
  });

  test("records that an effect failed, and measures the lag", async () => {
    await using telemetry = createTelemetry();
    const { sandbox, client, inbox, stop } = await openShop(telemetry);
    inbox.on("payment", "ship", {}, () => {
      throw new RangeError("no");
    });
    await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.webhooks.idle();
    await inbox.settleDue();
    expect(telemetry.span("settle payment")).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { "error.type": "RangeError" },
      events: [{ name: "retried" }],
    });
    expect(await telemetry.points("settlekit.inbox.changed")).toEqual([
      { attributes: {}, value: 1 },
    ]);
    expect(await telemetry.points("settlekit.inbox.lag")).toEqual([
      { attributes: {}, value: expect.any(Number) },
    ]);
    expect(await telemetry.points("settlekit.inbox.parked")).toEqual([
      { attributes: {}, value: 0 },
    ]);
    stop();
    const { paymentId } = await client.payments.create({ amount: 900, orderId: "order_2" });
    await inbox.settle({ kind: "payment", id: paymentId }).catch(() => {});
    expect(telemetry.spans().filter(({ name }) => name === "settle payment")).toHaveLength(1);
  });

  test("records that the service does not know an id", async () => {
    await using telemetry = createTelemetry();
    const { inbox } = await openShop(telemetry, true);
    await inbox.settle({ kind: "payment", id: "unknown" }).catch(() => {});
    expect(telemetry.span("settle payment")).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { "error.type": "NotFoundError", "settlekit.id": "unknown" },
    });
  });

  test("runs effects when the tracer throws", async () => {
    await using telemetry = createTelemetry();
    const startSpan = () => {
      throw new Error("broken");
    };
    const tracer = { ...telemetry.tracer, startSpan } as never;
    const options = { ...telemetry.options, tracer };
    const { sandbox, client, inbox } = await openShop({ ...telemetry, options });
    const shipped: unknown[] = [];
    inbox.on("payment", "ship", {}, (_, { orderId }) => void shipped.push(orderId));
    await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.webhooks.idle();
    await inbox.settleDue();
    expect(shipped).toEqual(["order_1"]);
  });

  test("keeps the process alive when a span processor throws", async () => {
    await using telemetry = createTelemetry();
    const unhandled = vi.fn();
    process.once("unhandledRejection", unhandled);
    const onEnd = vi.fn(() => {
      throw new Error("broken");
    });
    const broken = { onStart() {}, onEnd, async forceFlush() {}, async shutdown() {} };
    const tracer = new BasicTracerProvider({ spanProcessors: [broken] }).getTracer("test");
    const options = { ...telemetry.options, tracer };
    const { sandbox, client, inbox } = await openShop({ ...telemetry, options });
    await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.webhooks.idle();
    onEnd.mockClear();
    expect(await inbox.settleDue()).toBe(1);
    // Node reports rejections after the microtasks.
    await setImmediate();
    process.off("unhandledRejection", unhandled);
    expect(onEnd).toHaveBeenCalledWith(expect.objectContaining({ name: "settle payment" }));
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe("instrument(payouts)", () => {
  test.each([[false], [true]])(
    "creates a span for each step; identifiers: %s",
    async (identifiers) => {
      await using telemetry = createTelemetry();
      const { client, store } = await openShop(telemetry, identifiers);
      const payouts = createPayouts({ client, store, limits: {}, logger });
      await payouts.migrate();
      instrument(payouts, { ...telemetry.options, identifiers });
      const orderId = `payout_${identifiers}`;
      await payouts.plan({ orderId, amountInCents: 900, chainId: 84_532, recipientAddress });
      await payouts.runDue();

      const step = telemetry.span("payout");
      expect(step.attributes["settlekit.order_id"]).toBe(identifiers ? orderId : undefined);
      expect(step).toMatchObject({ attributes: { "settlekit.state": "planned" } });
      expect(step.events).toContainEqual(
        expect.objectContaining({ name: "changed", attributes: { "settlekit.state": "sent" } }),
      );
      const call = telemetry.span("withdrawals.create");
      expect(call.parentSpanContext?.spanId).toBe(step.spanContext().spanId);
      expect(await telemetry.points("settlekit.payouts.count")).toContainEqual({
        attributes: { "settlekit.state": "sent" },
        value: 1,
      });
      for (const name of ["settlekit.payouts.stopped", "settlekit.payouts.lag"]) {
        expect(await telemetry.points(name)).toEqual([{ attributes: {}, value: 0 }]);
      }
      const text = await telemetry.everything();
      expect(text.includes(orderId)).toBe(identifiers);
      expect(text.includes(recipientAddress)).toBe(identifiers);
    },
  );
});

describe("two rounds of one item at a time, after a lapsed lease,", () => {
  type Observed = Parameters<typeof instrument>[0];
  type AnyObserver = Observer<object, object>;
  const tenant = "";

  test.each([
    [
      "settle payment",
      { parked: () => {} },
      { tenant, kind: "payment", id: "p_1", causes: null },
      { tenant, kind: "payment", id: "p_1" },
      { type: "retried", error: new RangeError("no"), failures: 2, waitMs: 1 },
    ],
    [
      "payout",
      { approve: () => {} },
      { orderId: "o_1", state: "planned" },
      { tenant, orderId: "o_1" },
      { type: "failed", error: new RangeError("no") },
    ],
  ])("have a span each: %s", async (name, methods, step, item, failure) => {
    await using telemetry = createTelemetry();
    const observers: AnyObserver[] = [];
    const observe = (observer: AnyObserver) => void observers.push(observer);
    const stats = async () => ({ states: {} });
    instrument({ ...methods, tenant, observe, stats } as unknown as Observed, telemetry.options);
    const [observer] = observers as [AnyObserver];
    const lapsed = Promise.withResolvers<void>();
    const claimedAgain = Promise.withResolvers<void>();
    const first = observer.around(step, async () => {
      await lapsed.promise;
      observer.onEvent({ type: "fenced", ...item });
    });
    const second = observer.around(step, async () => {
      await claimedAgain.promise;
      observer.onEvent({ ...failure, ...item });
    });
    lapsed.resolve();
    await first;
    claimedAgain.resolve();
    await second;
    const spans = telemetry.spans().filter((span) => span.name === name);
    expect(spans.map(({ events }) => events.map((event) => event.name))).toEqual([
      ["fenced"],
      [failure.type],
    ]);
    expect(spans[1]?.attributes["error.type"]).toBe("RangeError");
    // An event about another item is not of this round, and neither is one outside.
    await observer.around(step, async () =>
      observer.onEvent({ ...failure, id: "x", orderId: "x" }),
    );
    observer.onEvent({ ...failure, ...item });
    expect(telemetry.spans().at(-1)?.events).toEqual([]);
  });
});

test("metrics distinguish tenants", async () => {
  await using telemetry = createTelemetry();
  const { client, store } = await openShop(telemetry);
  const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
  const inbox = createInbox({ client: () => client, store, logger });
  instrument(inbox, telemetry.options);
  const tenants = ["shop_a", "shop_b"];
  for (const tenant of tenants) {
    const payouts = createPayouts({ client, store, tenant, limits: {}, logger });
    await payouts.migrate();
    instrument(payouts, telemetry.options);
    await inbox.settle({ kind: "payment", id: paymentId, tenant });
    if (tenant === "shop_b") continue;
    const orderId = "payout_1";
    await payouts.plan({ orderId, amountInCents: 900, chainId: 84_532, recipientAddress });
  }
  const points = (value: number, attributes: object, names = tenants) =>
    names.map((name) => ({ attributes: { ...attributes, "settlekit.tenant": name }, value }));
  const planned = { "settlekit.state": "planned" };
  expect(await telemetry.points("settlekit.payouts.count")).toEqual(
    expect.arrayContaining([...points(1, planned, ["shop_a"]), ...points(0, planned, ["shop_b"])]),
  );
  expect(await telemetry.points("settlekit.payouts.stopped")).toEqual(points(0, {}));
  expect(await telemetry.points("settlekit.payouts.changes")).toEqual(
    points(1, planned, ["shop_a"]),
  );
  expect(await telemetry.points("settlekit.inbox.settlings")).toEqual(
    points(1, { "settlekit.kind": "payment", "settlekit.outcome": "settled" }),
  );
});

test("a worker's spans are not part of the trace in which it was started", async () => {
  await using telemetry = createTelemetry();
  const { sandbox, client, inbox, store } = await openShop(telemetry);
  const payouts = createPayouts({ client, store, limits: {}, logger });
  await payouts.migrate();
  instrument(payouts, telemetry.options);
  const shipped = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  inbox.on("payment", "ship", {}, () => shipped.resolve());
  sandbox.on("withdrawal.created", () => sent.resolve());
  await client.payments.create({ amount: 2500, orderId: "order_1" });
  await sandbox.webhooks.idle();
  await payouts.plan({
    orderId: "payout_1",
    amountInCents: 900,
    chainId: 84_532,
    recipientAddress,
  });

  const workers = telemetry.tracer.startActiveSpan("first request", (span) => {
    span.end();
    return [inbox.start(), payouts.start()];
  });
  await Promise.all([shipped.promise, sent.promise]);
  for (const worker of workers) await worker.stop();

  for (const name of ["settle payment", "payout", "payments.list"]) {
    expect(telemetry.span(name).parentSpanContext).toBeUndefined();
  }
});
