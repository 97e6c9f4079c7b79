import { expect, expectTypeOf, test } from "vitest";
import type { MerchantClient, Metadata, ReadOptions, RequestOptions } from "../../src/index.ts";

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

test("only creations and custom requests take an idempotency key", () => {
  type LastOf<Method extends (...parameters: never) => unknown> = Required<Parameters<Method>>[1];
  type Payments = MerchantClient["payments"];
  type Withdrawals = MerchantClient["withdrawals"];
  expectTypeOf<LastOf<Payments["create"]>>().toEqualTypeOf<RequestOptions>();
  expectTypeOf<LastOf<Withdrawals["create"]>>().toEqualTypeOf<RequestOptions>();
  expectTypeOf<LastOf<MerchantClient["request"]>>().toEqualTypeOf<RequestOptions>();
  expectTypeOf<LastOf<Payments["get"]>>().toEqualTypeOf<ReadOptions>();
  expectTypeOf<LastOf<Payments["list"]>>().not.toHaveProperty("idempotencyKey");
  expectTypeOf<LastOf<Withdrawals["findByOrderId"]>>().not.toHaveProperty("idempotencyKey");
  expectTypeOf<LastOf<Withdrawals["createOnce"]>>().not.toHaveProperty("idempotencyKey");
});
