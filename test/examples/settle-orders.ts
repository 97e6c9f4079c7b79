// One of several processes that settle the same orders at the same time:
//
//   node settle-orders.ts <shop> <database file> <payment suffix>
//
// Settles a payment for each order id that it reads from stdin, and prints the id when that is done.

import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { Payment } from "../../src/index.ts";

/** Links an order to a payment, and settles that payment, as a shop does. */
export type Settle = (payment: Payment) => unknown;

/** How each kind of shop settles; every one has tables `orders` and one row for each shipment. */
const shops: Readonly<Record<string, (file: string) => Promise<Settle>>> = {
  async "express-shop"(file) {
    const { Orders } = await import("../../examples/express-shop/src/orders.ts");
    const orders = new Orders(open(file));
    return (payment) => {
      orders.keepPayment(payment.orderId ?? "", { paymentId: payment.id, paymentUrl: "" });
      orders.settle(payment);
    };
  },
  async "hono-shop"(file) {
    const { Orders } = await import("../../examples/hono-shop/src/orders.ts");
    const { openSqlite } = await import("../../examples/hono-shop/src/sqlite-database.ts");
    const orders = new Orders(openSqlite(file));
    return async (payment) => {
      await orders.keepPayment(payment.orderId ?? "", { paymentId: payment.id, paymentUrl: "" });
      await orders.settle(payment);
    };
  },
};

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  // Nothing here has to survive a power cut.
  database.exec("PRAGMA busy_timeout = 30000; PRAGMA synchronous = OFF;");
  return database;
}

const [, , shop = "", file = "", suffix = ""] = process.argv;
const settle = await shops[shop]?.(file);
if (settle === undefined) throw new Error(`There is no shop "${shop}".`);

for await (const orderId of createInterface(process.stdin)) {
  const payment = { id: `${orderId}_${suffix}`, orderId, amountInCents: 2500, status: "completed" };
  await settle(payment as unknown as Payment);
  process.stdout.write(`${orderId}\n`);
}
