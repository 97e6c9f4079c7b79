import type { Product } from "./catalogue.ts";

/** None of these values come from a request. Escape any that do. */
export function cataloguePage(products: readonly Product[]): string {
  const buttons = products.map(({ sku, name, priceInCents }) => {
    const label = `Buy: ${name}, $${(priceInCents / 100).toFixed(2)}`;
    return `<p><button name="sku" value="${sku}">${label}</button></p>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
<link rel="stylesheet" href="/shop.css">
</head>
<body>
<main>
<h1>Shop</h1>
<form method="post" action="/orders">${buttons.join("")}</form>
</main>
</body>
</html>`;
}
