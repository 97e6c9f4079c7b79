import type { DatabaseSync } from "node:sqlite";
import { isPaid, type MerchantClient, type Payment } from "settlekit";
import type { WebhookOf, Webhooks } from "settlekit/webhooks";

/** Ships every paid order once, however often and in whatever order its webhooks come. */
export function fulfilOnce(database: DatabaseSync, client: MerchantClient, webhooks: Webhooks) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS orders (
      id TEXT PRIMARY KEY, amount_in_cents INTEGER NOT NULL, payment_id TEXT, created_at TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS reached (
      payment_id TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (payment_id, state)
    );
    CREATE TABLE IF NOT EXISTS shipments (order_id TEXT NOT NULL);`);
  const findOrder = database.prepare("SELECT * FROM orders WHERE id = ?");
  const reach = database.prepare("INSERT INTO reached VALUES (?, ?) ON CONFLICT DO NOTHING");
  const keepPayment = database.prepare("UPDATE orders SET payment_id = ? WHERE id = ?");
  const ship = database.prepare("INSERT INTO shipments VALUES (?)");

  /** Acts on a payment as the service has it now. The webhook and the reconciliation both call it. */
  function settle(payment: Payment): void {
    const orderId = payment.orderId ?? "";
    const order = findOrder.get(orderId);
    // Not one of ours, another amount than was asked for, or a second payment of the same order.
    const isTheOrders =
      order?.amount_in_cents === payment.amountInCents &&
      (order.payment_id ?? payment.id) === payment.id;
    if (!isTheOrders) {
      console.error(`Look at payment ${payment.id}: it fits no order.`);
      return;
    }
    // "confirmed" and "completed" are one state.
    const state = isPaid(payment.status) ? "paid" : payment.status;
    database.exec("BEGIN IMMEDIATE");
    try {
      // The row and all that follows from it are written together, or nothing is.
      const isNew = reach.run(payment.id, state).changes === 1;
      if (isNew && state === "paid") {
        keepPayment.run(payment.id, orderId);
        ship.run(orderId);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }

  // The webhook only says where to look: what counts is the payment as the service has it now.
  const onPayment = async ({ data }: WebhookOf<"payment.updated" | "payment.confirmed">) => {
    const paymentId = data.id ?? findOrder.get(data.orderId ?? "")?.payment_id;
    if (typeof paymentId === "string") settle(await client.payments.get(paymentId));
  };
  webhooks.on("payment.updated", onPayment);
  // The service's documentation mentions this name, too.
  webhooks.on("payment.confirmed", onPayment);

  return { settle };
}
