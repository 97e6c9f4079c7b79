import diagnosticsChannel from "node:diagnostics_channel";
import { expect, test } from "vitest";
import { MerchantClient } from "../src/index.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { signWebhook, Webhooks } from "../src/webhooks/index.ts";

/** The messages on a channel while `run` runs. */
async function published(name: string, run: () => Promise<unknown>): Promise<unknown[]> {
  const messages: unknown[] = [];
  const listen = (message: unknown) => void messages.push(message);
  diagnosticsChannel.subscribe(name, listen);
  try {
    await run();
  } finally {
    diagnosticsChannel.unsubscribe(name, listen);
  }
  return messages;
}

test("settlekit:client carries the events that onEvent gets", async () => {
  const { secretKey, fetch } = createSandbox();
  const events: unknown[] = [];
  const onEvent = (event: unknown) => void events.push(event);
  const client = new MerchantClient({ environment: "sandbox", secretKey, fetch, onEvent });
  const messages = await published("settlekit:client", () => client.payments.list());
  expect(messages).toMatchObject([{ type: "start" }, { type: "attempt" }, { type: "end" }]);
  expect(messages).toEqual(events);
});

test("settlekit:webhooks carries each delivery, and the reason if it was refused", async () => {
  const secret = "whsec_of_this_test";
  const webhooks = new Webhooks({ secret });
  const event = { event: "payment.updated", data: { orderId: "order_77", status: "completed" } };
  const messages = await published("settlekit:webhooks", async () => {
    await webhooks.verify(signWebhook({ event, secret }));
    await webhooks.safeVerify(signWebhook({ event, secret: "other" }));
  });
  const durationMs = expect.any(Number);
  expect(messages).toEqual([
    { type: "start", receptionId: 1 },
    { type: "end", receptionId: 1, ok: true, durationMs, event: "payment.updated" },
    { type: "start", receptionId: 2 },
    { type: "end", receptionId: 2, ok: false, durationMs, reason: "signature_mismatch" },
  ]);
});
