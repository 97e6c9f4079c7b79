import { findProduct } from "../../shop/catalogue.ts";
import { sendToPayment } from "../../shop/send-to-payment.ts";
import { openShop } from "../../shop/shop.ts";

/** Places an order and sends the customer to its payment page. */
export async function POST(request: Request): Promise<Response> {
  const form = await request.formData().catch(() => undefined);
  const product = findProduct(form?.get("sku"));
  if (product === undefined) return new Response("There is no such product.", { status: 404 });
  return sendToPayment(openShop().orders.place(product));
}
