import type { DatabaseSync } from "node:sqlite";
import { isPaid, type MerchantClient, type Payment } from "settlekit";
import type { WebhookOf, Webhooks } from "settlekit/webhooks";

/** Ships every paid order once, even if its webhooks arrive repeatedly, out of order and in several processes. */
export function fulfilOnce(database: DatabaseSync, client: MerchantClient, webhooks: Webhooks) {
  database.exec(`
    PRAGMA busy_timeout = 10000;
    CREATE TABLE IF NOT EXISTS orders (
      id TEXT PRIMARY KEY, amount_in_cents INTEGER NOT NULL, payment_id TEXT,
      created_at TEXT NOT NULL, -- as toISOString() writes it
      status TEXT NOT NULL DEFAULT 'open'
    );
    CREATE TABLE IF NOT EXISTS shipments (order_id TEXT NOT NULL);`);
  const findOrder = database.prepare("SELECT * FROM orders WHERE id = ?");
  const markPaid = database.prepare(`
    UPDATE orders SET status = 'paid', payment_id = :paymentId
    WHERE id = :orderId AND status = 'open' AND amount_in_cents = :amountInCents
      AND (payment_id IS NULL OR payment_id = :paymentId)`);
  const ship = database.prepare("INSERT INTO shipments VALUES (?)");

  /** Acts on a payment fetched from the service. The webhook and the reconciliation both call it. */
  function settle({ id: paymentId, orderId = null, amountInCents, status }: Payment): void {
    if (!isPaid(status)) return;
    database.exec("BEGIN IMMEDIATE");
    try {
      // The conditional update decides whether to ship, and the shipment commits in the same transaction.
      if (markPaid.run({ paymentId, orderId, amountInCents }).changes === 1) {
        ship.run(orderId);
      } else {
        const order = findOrder.get(orderId);
        // No order of this shop, a different amount, or a second payment for the same order.
        if (order?.status === "open" || order?.payment_id !== paymentId) {
          console.error(`Payment ${paymentId} matches no open order. Check whether to refund it.`);
        }
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }

  // A webhook only says where to look. Often it names only the order, not the payment.
  const onPayment = async ({ data }: WebhookOf<"payment.updated" | "payment.confirmed">) => {
    const orderId = data.orderId ?? "";
    const createdAfter = findOrder.get(orderId)?.created_at?.toString();
    // An order can have several payments, so the id stored with it may not be this one's.
    const payments = data.id
      ? [await client.payments.get(data.id)]
      : await client.payments.findByOrderId(orderId, { createdAfter });
    // An error makes the handler return 500, so that the service delivers the event again.
    if (payments.length === 0) throw new Error(`The order ${orderId} has no payment yet.`);
    for (const payment of payments) settle(payment);
  };
  webhooks.on("payment.updated", onPayment);
  // The service's documentation mentions this name, too.
  webhooks.on("payment.confirmed", onPayment);

  return { settle };
}
