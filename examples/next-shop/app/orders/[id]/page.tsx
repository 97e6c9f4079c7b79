import { notFound } from "next/navigation";
import { dollars } from "../../../shop/dollars.ts";
import { openShop } from "../../../shop/shop.ts";

interface Properties {
  readonly params: Promise<{ id: string }>;
  readonly searchParams: Promise<{ failed?: string }>;
}

export default async function OrderStatus({ params, searchParams }: Properties) {
  const order = openShop().orders.find((await params).id);
  if (order === undefined) notFound();
  const { failed } = await searchParams;
  return (
    <main>
      <h1>Your order</h1>
      <p>
        {`${order.product}, ${dollars(order.amountInCents)}: `}
        <strong>{order.state}</strong>
      </p>
      {order.state === "awaiting payment" && (
        <>
          {failed ? (
            <p>The payment could not be started. Nothing was charged. Please try again.</p>
          ) : (
            // Reloads by itself, because the customer may arrive before the webhook.
            <meta httpEquiv="refresh" content="2" />
          )}
          <form method="post" action={`/orders/${order.id}/payment`}>
            <button type="submit">Pay</button>
          </form>
        </>
      )}
    </main>
  );
}
