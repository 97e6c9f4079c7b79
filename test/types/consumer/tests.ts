// The parts of settlekit that a merchant's tests use.

import { MerchantClient } from "settlekit";
import {
  createSandbox,
  type DueEvent,
  type Payment,
  type PaymentStatus,
  type Sandbox,
  type WebhookDelivery,
  type WebhookEvents,
  type Withdrawal,
  type WithdrawalStatus,
} from "settlekit/sandbox";
import { sendDeliveries, signedDelivery } from "settlekit/testing";
import { type Equal, sameType } from "./equal.ts";

declare function use(...values: readonly unknown[]): void;

export async function testOrder(): Promise<void> {
  const sandbox = createSandbox({ seed: "order", now: new Date(0), deliver: () => new Response() });
  sameType<Equal<typeof sandbox, Sandbox>>();
  const server = await sandbox.listen({ port: 0 });
  const response: Response = await sandbox.fetch(new Request(server.url));
  new MerchantClient({ environment: "sandbox", fetch: sandbox.fetch });
  use(response.status);
  const payment: Payment = await sandbox.payments.simulate("id", "underpayment");
  const withdrawals: Withdrawal[] = sandbox.withdrawals.all();
  const statuses: (PaymentStatus | WithdrawalStatus)[] = [payment, ...withdrawals].map(
    ({ status }) => status,
  );
  use(statuses);
  // @ts-expect-error no such scenario
  await sandbox.payments.simulate("id", "halfpayment");
  sandbox.faults.next("POST /payments", { status: 503, when: "after" });
  // @ts-expect-error no such route
  sandbox.faults.next("POST /refunds", { status: 503 });
  // @ts-expect-error a reset is not a response
  sandbox.faults.next("*", { connection: "reset", when: "before", status: 503 });
  const happened = await sandbox.clock.advance("15m");
  sameType<Equal<typeof happened, DueEvent[]>>();
  // @ts-expect-error durations have units
  await sandbox.clock.advance("15");
  const deliveries = sandbox.webhooks.deliveries();
  sameType<Equal<(typeof deliveries)[number], WebhookDelivery>>();
  sameType<Equal<(typeof deliveries)[number]["event"], keyof WebhookEvents>>();
  sandbox.restore(sandbox.snapshot());
  await server[Symbol.asyncDispose]();

  const delivery = signedDelivery({
    event: { event: "payment.updated", data: { orderId: "order_1", status: "completed" } },
    secret: "s",
  });
  await sendDeliveries(server.url, [delivery], { seed: 1 });
}
