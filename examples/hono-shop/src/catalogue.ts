export interface Product {
  readonly sku: string;
  readonly name: string;
  /** USD cents. */
  readonly priceInCents: number;
}

/** What the shop sells. Prices come from here, never from the customer's request. */
export const products: readonly Product[] = [
  { sku: "mug", name: "Mug", priceInCents: 2500 },
  { sku: "shirt", name: "Shirt", priceInCents: 4900 },
];

export function findProduct(sku: unknown): Product | undefined {
  return products.find((product) => product.sku === sku);
}
