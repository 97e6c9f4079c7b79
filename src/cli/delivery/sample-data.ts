import { randomUUID } from "node:crypto";

interface SampleOptions {
  readonly event: string;
  readonly status: string | undefined;
  readonly orderId: string | undefined;
}

/** What an event could say: what is documented, and the snapshot that is published beside it. */
export function sampleData({ event, status, orderId }: SampleOptions): Record<string, unknown> {
  return {
    id: randomUUID(),
    ...(event.startsWith("payment.") && { type: "payment" }),
    merchantId: randomUUID(),
    amountInCents: 2500,
    currency: "USD",
    status: status ?? (event.endsWith(".created") ? "pending" : "completed"),
    orderId: orderId ?? "order_1",
    createdAt: new Date().toISOString(),
  };
}
