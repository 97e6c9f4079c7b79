import type { Product } from "./catalogue.ts";
import type { Order } from "./orders.ts";

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;

// None of these values come from a request. Escape any that do.
function page(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
<style>body { font: 1.1rem/1.6 system-ui; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>`;
}

export function catalogue(products: readonly Product[]): string {
  const buttons = products.map(
    ({ sku, name, priceInCents }) =>
      `<p><button name="sku" value="${sku}">Buy: ${name}, ${dollars(priceInCents)}</button></p>`,
  );
  return page("Shop", `<form method="post" action="/orders">${buttons.join("")}</form>`);
}

export function orderStatus(order: Order): string {
  const facts = `<p>${order.product}, ${dollars(order.amountInCents)}: <strong>${order.state}</strong></p>`;
  if (order.state !== "awaiting payment") return page("Your order", facts);
  // Reloads by itself, because the customer may arrive before the webhook.
  const refresh = '<meta http-equiv="refresh" content="2">';
  return page("Your order", `${facts}${payButton(order)}`, refresh);
}

export function paymentNotStarted(order: Order): string {
  const text = "<p>The payment could not be started. Nothing was charged.</p>";
  return page("Please try again", `${text}${payButton(order)}`);
}

export function notFound(): string {
  return page("Not found", '<p>There is nothing here. <a href="/">Return to the shop</a></p>');
}

export function failure(): string {
  return page("Something went wrong", "<p>Please try again in a moment.</p>");
}

function payButton({ id }: Order): string {
  return `<form method="post" action="/orders/${id}/payment"><button>Pay</button></form>`;
}
