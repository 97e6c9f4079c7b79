import { DatabaseSync } from "node:sqlite";
import { MerchantClient } from "settlekit";
import type { Webhooks } from "settlekit/webhooks";
import { Orders } from "./orders.ts";
import { receivePayments } from "./receive-payments.ts";

interface Shop {
  readonly client: MerchantClient;
  readonly webhooks: Webhooks;
  readonly orders: Orders;
  /** Where customers reach the shop. */
  readonly publicUrl: string;
}

let shop: Shop | undefined;

/** Opened by the first request, because `next build` loads every route without keys or a database. */
export function openShop(): Shop {
  if (shop === undefined) {
    const { DATABASE_FILE = "shop.sqlite", PUBLIC_URL = "http://127.0.0.1:3000" } = process.env;
    const orders = new Orders(new DatabaseSync(DATABASE_FILE));
    const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
    const webhooks = receivePayments(client, orders);
    shop = { client, webhooks, orders, publicUrl: PUBLIC_URL };
  }
  return shop;
}
