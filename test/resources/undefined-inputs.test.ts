import { describe, expect, expectTypeOf, test } from "vitest";
import type { Checkout } from "../../src/checkout/checkout.ts";
import type { CheckoutOptions } from "../../src/checkout/checkout-options.ts";
import {
  type ClientOptions,
  type Dashboard,
  type DashboardWithdrawals,
  MerchantClient,
  type Payments,
  type Quotes,
  type WireOptions,
  type Withdrawals,
} from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";

/** The same type with `undefined` allowed in every optional field. */
type Undefinable<T> = {
  [Name in keyof T]: object extends Pick<T, Name> ? T[Name] | undefined : T[Name];
};

type Each<Inputs extends readonly unknown[]> = {
  [Index in keyof Inputs]: Undefinable<Inputs[Index]>;
};

type Method = (...inputs: never) => unknown;
/** The parameters of a class's methods. */
type Inputs<T> = { [Name in keyof T]: T[Name] extends Method ? Parameters<T[Name]> : never };
/** The same parameters with `undefined` allowed in every optional field. */
type UndefinableInputs<T> = {
  [Name in keyof T]: T[Name] extends Method ? Each<Parameters<T[Name]>> : never;
};

// Compiling is the test, with exactOptionalPropertyTypes on: an optional field that does not say
// `| undefined` refuses `{ limit: maybeUndefined }`.
describe("an optional field", () => {
  test("may be undefined in every parameter of every method", () => {
    expectTypeOf<UndefinableInputs<Payments>>().toExtend<Inputs<Payments>>();
    expectTypeOf<UndefinableInputs<Withdrawals>>().toExtend<Inputs<Withdrawals>>();
    expectTypeOf<UndefinableInputs<Quotes>>().toExtend<Inputs<Quotes>>();
    expectTypeOf<UndefinableInputs<Dashboard>>().toExtend<Inputs<Dashboard>>();
    expectTypeOf<UndefinableInputs<DashboardWithdrawals>>().toExtend<
      Inputs<DashboardWithdrawals>
    >();
    expectTypeOf<UndefinableInputs<MerchantClient>>().toExtend<Inputs<MerchantClient>>();
    // paymentRequest takes objects from the service, which callers do not write themselves.
    type Calls = Omit<Checkout, "paymentRequest">;
    expectTypeOf<UndefinableInputs<Calls>>().toExtend<Inputs<Calls>>();
  });

  test("may be undefined in the options of the clients", () => {
    expectTypeOf<Undefinable<ClientOptions>>().toExtend<ClientOptions>();
    expectTypeOf<Undefinable<WireOptions>>().toExtend<WireOptions>();
    expectTypeOf<Undefinable<CheckoutOptions>>().toExtend<CheckoutOptions>();
  });
});

describe("an undefined field", () => {
  const clientOf = ({ url }: { url: string }) =>
    new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: url });

  test("is left out of a list's query", async () => {
    const pagination = { total: 0, limit: 100, offset: 0, hasMore: false };
    using server = scriptedService({ body: { data: [], pagination } });
    await clientOf(server).payments.list({ status: undefined, limit: undefined });
    expect(server.requests[0]?.url).toBe("/v1/external/secretkey-auth/payments");
  });

  test("is left out of a creation", async () => {
    const quote = { status: 201, body: payment.quotes[0] };
    using server = scriptedService({ status: 201, body: createdPayment }, quote);
    const client = clientOf(server);
    await client.payments.create(
      { amount: 2500, orderId: "order_1", redirectUrl: undefined, customMetadata: undefined },
      { idempotencyKey: undefined, signal: undefined, timeoutMs: undefined, headers: undefined },
    );
    const checkout = client.checkout({ paymentId: payment.id, secret: "ps_1" });
    await checkout.quotes.create({ chainId: undefined, contractAddress: undefined });
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" },
      {},
    ]);
  });
});
