import { sendToPayment } from "../../../../shop/send-to-payment.ts";
import { openShop } from "../../../../shop/shop.ts";

interface Context {
  readonly params: Promise<{ id: string }>;
}

/** Sends the customer to the payment page of an order placed earlier. */
export async function POST(_request: Request, { params }: Context): Promise<Response> {
  const order = openShop().orders.find((await params).id);
  if (order === undefined) return new Response("There is no such order.", { status: 404 });
  return sendToPayment(order);
}
