import type { StoreMode } from "../stores/store.ts";
import { Inbox } from "./inbox.ts";
import { checkOptions, type InboxOptions } from "./options.ts";

/**
 * Creates an inbox.
 *
 * @throws {ConfigurationError} when an option is missing or unknown.
 * @example
 * ```ts
 * const store = sqlite("shop.db");
 * const inbox = createInbox({ client: new MerchantClient(), webhooks: new Webhooks(), store });
 * inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (tx, payment) => {
 *   // Keyed by order, because an order can have several payments.
 *   const ship = tx.prepare("INSERT INTO shipments (order_id) VALUES (?) ON CONFLICT DO NOTHING");
 *   ship.run(payment.orderId ?? null);
 * });
 * ```
 */
export function createInbox<Client, Mode extends StoreMode>(
  options: InboxOptions<Client, Mode>,
): Inbox<Client, Mode> {
  checkOptions(options);
  return new Inbox(options);
}
