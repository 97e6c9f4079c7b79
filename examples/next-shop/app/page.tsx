import { products } from "../shop/catalogue.ts";
import { dollars } from "../shop/dollars.ts";

export default function Catalogue() {
  return (
    <main>
      <h1>Shop</h1>
      <form method="post" action="/orders">
        {products.map(({ sku, name, priceInCents }) => (
          <p key={sku}>
            <button type="submit" name="sku" value={sku}>
              {`Buy: ${name}, ${dollars(priceInCents)}`}
            </button>
          </p>
        ))}
      </form>
    </main>
  );
}
