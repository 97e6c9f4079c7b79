import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import { MerchantClient } from "../../src/index.ts";
import { instrument } from "../../src/opentelemetry/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { createTelemetry } from "./telemetry.ts";

const logger = { warn() {}, error() {} };
const sandbox = createSandbox();
const { secretKey, webhookSecret: secret, fetch } = sandbox;
let count = 0;

/** The inbox of one of several processes, each with its own spans and connection. */
function openInbox(store: Store, telemetry?: ReturnType<typeof createTelemetry>) {
  const client = new MerchantClient({ environment: "sandbox", secretKey, fetch });
  const webhooks = new Webhooks({ secret, logger });
  const inbox = createInbox({ client, webhooks, store, logger });
  inbox.on("payment", "ship", { states: ["completed"] }, (_, __, { after }) => after("email"));
  inbox.task("email", () => {});
  if (telemetry) for (const it of [webhooks, inbox]) instrument(it, telemetry.options);
  const receive = inbox.fetchHandler();
  const deliver = (data: object) => {
    const event = { event: "payment.updated" as const, data: data as never };
    return receive(signWebhook({ event, secret }).request("http://shop.example/"));
  };
  return { client, inbox, deliver };
}

describe.each(databases)("two processes on %s", (_, openDatabase) => {
  let database: TestDatabase;
  let paid: { id: string; orderId: string; status: string };
  beforeEach(async () => {
    database = await openDatabase();
    const { client, inbox } = openInbox(database.open());
    await inbox.migrate();
    const orderId = `order_${count++}`;
    const { paymentId } = await client.payments.create({ amount: 2500, orderId });
    await sandbox.payments.simulate(paymentId, "success");
    paid = { id: paymentId, orderId, status: "completed" };
  });
  afterEach(() => database.close());

  test("link settling in one to the webhooks that the other received, and its task to the settling", async () => {
    await using receiving = createTelemetry();
    await using working = createTelemetry();
    const receiver = openInbox(database.open(), receiving);
    const worker = openInbox(database.open(), working);
    await receiver.deliver({ ...paid, status: "processing" });
    await receiver.deliver(paid);
    await worker.inbox.settleDue();

    const settle = working.span("settle payment");
    const received = receiving.spans().map((span) => span.spanContext());
    expect(received).toHaveLength(2);
    expect(settle.links.map(({ context }) => context)).toEqual(
      received
        .reverse()
        .map(({ traceId, spanId }) => expect.objectContaining({ traceId, spanId, isRemote: true })),
    );
    expect(working.span("task").links.map(({ context }) => context.spanId)).toEqual([
      settle.spanContext().spanId,
    ]);

    // Webhooks that were settled are not linked again.
    await worker.inbox.settle({ kind: "payment", id: paid.id });
    expect(working.spans().filter(({ name }) => name === "settle payment")[1]?.links).toEqual([]);
  });

  test("also link a webhook that names only the order", async () => {
    await using receiving = createTelemetry();
    await using working = createTelemetry();
    await openInbox(database.open(), receiving).deliver({ ...paid, id: undefined });
    await openInbox(database.open(), working).inbox.settleDue();
    const settlings = working.spans().filter(({ name }) => name === "settle payment");
    const spanId = receiving.spans()[0]?.spanContext().spanId;
    expect(settlings).toHaveLength(2);
    for (const { links } of settlings) expect(links[0]?.context.spanId).toBe(spanId);
  });

  test("link a webhook that arrived during a settling to the next one", async () => {
    await using receiving = createTelemetry();
    await using working = createTelemetry();
    const receiver = openInbox(database.open(), receiving);
    const { client, inbox } = openInbox(database.open(), working);
    await receiver.deliver({ ...paid, status: "processing" });
    const get = client.payments.get.bind(client.payments);
    vi.spyOn(client.payments, "get").mockImplementationOnce((async (id: string) => {
      await receiver.deliver(paid);
      return get(id);
    }) as never);
    await inbox.settleDue();
    const [, next] = working.spans().filter(({ name }) => name === "settle payment");
    const spanId = receiving.spans()[1]?.spanContext().spanId;
    expect(next?.links[0]?.context.spanId).toBe(spanId);
  });

  test("link at most 32 webhooks", async () => {
    await using receiving = createTelemetry();
    await using working = createTelemetry();
    const receiver = openInbox(database.open(), receiving);
    for (let n = 0; n < 40; n++) await receiver.deliver({ ...paid, n });
    await openInbox(database.open(), working).inbox.settleDue();
    const newest = receiving
      .spans()
      .map((span) => span.spanContext().spanId)
      .reverse();
    const linked = working.span("settle payment").links.map(({ context }) => context.spanId);
    expect(linked).toEqual(newest.slice(0, 32));
  });

  test("store no trace context without instrumentation", async () => {
    const store = database.open();
    const { deliver } = openInbox(store);
    await deliver(paid);
    const table = store.dialect.expand("{inbox_subjects}");
    expect(await database.query(`SELECT causes FROM ${table}`)).toEqual([{ causes: null }]);
  });
});
