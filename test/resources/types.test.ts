import { expect, test } from "vitest";
import type { Metadata } from "../../src/index.ts";

interface Cart {
  cartId: string;
  items?: readonly string[];
}

test("metadata may be an object of any type, but not a built-in one", () => {
  const cart: Cart = { cartId: "1" };
  const accepted: Metadata[] = ["text", cart, { cartId: "1", nested: { is: [true] } }, {}];
  const refused: Metadata[] = [
    // @ts-expect-error Not an object with fields of its own.
    ["a"],
    // @ts-expect-error Not an object with fields of its own.
    new Map([["cartId", "1"]]),
    // @ts-expect-error Not an object with fields of its own.
    new Date(0),
    // @ts-expect-error An await is missing.
    Promise.resolve(cart),
    // @ts-expect-error Not an object with fields of its own.
    () => cart,
    // @ts-expect-error Not an object with fields of its own.
    class {},
    // @ts-expect-error Numbers are no metadata.
    1,
    // @ts-expect-error Nor is null.
    null,
    // @ts-expect-error Not an object with fields of its own.
    new URLSearchParams(),
    // @ts-expect-error Not an object with fields of its own.
    new Uint8Array(1),
    // @ts-expect-error Not an object with fields of its own.
    new FormData(),
  ];
  expect(accepted.length + refused.length).toBe(15);
});
