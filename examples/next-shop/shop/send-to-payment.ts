import { SettlekitError } from "settlekit";
import type { Order } from "./orders.ts";
import { openShop } from "./shop.ts";
import { startPayment } from "./start-payment.ts";

/** Redirects to the payment page, or back to the order, where the customer can try again. */
export async function sendToPayment(order: Order): Promise<Response> {
  const shop = openShop();
  try {
    return Response.redirect(await startPayment(order, shop), 303);
  } catch (error) {
    if (!SettlekitError.is(error)) throw error;
    // The error says what happened and what to do, and never contains a secret.
    console.error(error);
    return Response.redirect(new URL(`/orders/${order.id}?failed=1`, shop.publicUrl), 303);
  }
}
