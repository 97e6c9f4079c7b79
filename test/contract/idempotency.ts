import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createPayment } from "../../src/wire/operations.ts";
import { newOrder, type Service } from "./service.ts";

/** Interface section 4.1, rule 3, within the window of section 8. */
export function idempotencyContract(service: Service): void {
  const { settle } = service.target;
  const keyed = (key: string) => ({ "Idempotency-Key": key });

  test("the same key with the same parameters returns the original answer", async () => {
    const headers = keyed(randomUUID());
    const body = newOrder();
    const first = await service.call(createPayment, { body, headers });
    const second = await service.call(createPayment, { body, headers });
    const third = await service.call(createPayment, { body, headers });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  if (settle !== undefined) {
    test("the original answer is returned even after the payment has changed", async () => {
      const headers = keyed(randomUUID());
      const body = newOrder();
      const first = await service.call(createPayment, { body, headers });
      await settle(first.paymentId);
      expect(await service.call(createPayment, { body, headers })).toEqual(first);
    });
  }

  test.each([
    ["amount", { amount: 2501 }],
    ["order", { orderId: "contract_another" }],
    ["redirect", { redirectUrl: "https://shop.example/" }],
  ])("the same key with another %s is a conflict", async (_, change) => {
    const headers = keyed(randomUUID());
    const body = newOrder();
    const first = await service.call(createPayment, { body, headers });
    const { status, error } = await service.refused(createPayment, {
      body: { ...body, ...change },
      headers,
    });
    expect(status).toBe(409);
    expect(error.code).toBe("idempotency_conflict");
    expect(await service.call(createPayment, { body, headers })).toEqual(first);
  });

  test("another key, or none, creates another payment", async () => {
    const body = newOrder();
    const headers = [keyed(randomUUID()), keyed(randomUUID()), {}, {}];
    const ids = new Set<string>();
    for (const each of headers) {
      ids.add((await service.call(createPayment, { body, headers: each })).paymentId);
    }
    expect(ids.size).toBe(headers.length);
  });
}
