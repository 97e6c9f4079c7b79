import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { credentialHeader } from "../../src/wire/credential.ts";
import {
  createPayment,
  getPayment,
  listPayments,
  operationTable,
} from "../../src/wire/operations.ts";
import type { CreatedPayment } from "../../src/wire/payment.ts";
import { newOrder, type Service } from "./service.ts";

const table = Object.values(operationTable);

/** The operations that need a credential. */
const credited = table.flatMap(({ credential, ...operation }) =>
  credential === "none" ? [] : [{ ...operation, credential }],
);

/** Interface sections 5 and 7. */
export function errorContract(service: Service): void {
  const { failNext } = service.target;
  let created: CreatedPayment;

  beforeAll(async () => {
    created = await service.createPayment();
  });

  const prefix = service.target.headerPrefix ?? "X-Service";

  /** A request that lacks only its credential. */
  function uncredited(operation: (typeof credited)[number]) {
    const { paymentId } = created;
    const withdrawalId = randomUUID();
    const { merchantId = randomUUID() } = service.target.dashboard ?? {};
    const path = { paymentId, withdrawalId, merchantId };
    return { path, ...(operation.body && { body: newOrder() }) };
  }

  describe.each(credited)("$name without its credential", (operation) => {
    const { name, scheme } = credentialHeader(operation.credential, prefix);

    test.each([
      ["missing", undefined],
      ["empty", ""],
      ["wrong", `${scheme}sk_test_${"0".repeat(40)}`],
    ])("is an authentication error: %s", async (_, value) => {
      const input = { ...uncredited(operation), headers: { [name]: value } };
      const { status, error } = await service.refused(operation, input);
      expect(status).toBe(401);
      expect(error.type).toBe("authentication_error");
      expect(error).not.toHaveProperty("param");
      if (operation.credential === "secretKey") expect(error.code).toBe("invalid_api_key");
    });
  });

  test("the merchant's key is accepted on its own routes only", async () => {
    const { secretKey } = service.target;
    for (const operation of credited.filter(({ credential }) => credential !== "secretKey")) {
      const headers = { [`${prefix}-Secret-Key`]: secretKey };
      const input = { ...uncredited(operation), headers: { ...headers, Authorization: undefined } };
      expect((await service.refused(operation, input)).status).toBe(401);
    }
  });

  test.each([
    ["nothing", ""],
    ["half a document", '{"amount": 2500, '],
    ["a list", "[]"],
    ["text", '"order"'],
    ["null", "null"],
    ["form fields", "amount=2500&currency=USD&orderId=a"],
  ])("a body that is not a JSON object is refused: %s", async (_, body) => {
    const { status, error } = await service.refused(createPayment, { body });
    expect(status).toBe(400);
    expect(error.type).toBe("invalid_request_error");
  });

  test.each(["__proto__", "constructor", "..%2F", "%00", "a".repeat(300)])(
    "an unusual id is just unknown: %s",
    async (paymentId) => {
      const path = { paymentId: decodeURIComponent(paymentId) };
      expect([400, 404]).toContain((await service.refused(getPayment, { path })).status);
    },
  );

  if (failNext !== undefined) {
    test("a rate-limited request gets Retry-After, and has no effect", async () => {
      const { total } = (await service.call(listPayments)).pagination;
      failNext(429);
      const { status, headers, error } = await service.refused(createPayment, { body: newOrder() });
      expect(status).toBe(429);
      expect(error.code).toBe("rate_limited");
      expect(headers.get("Retry-After")).toMatch(/^[0-9]+$/);
      expect((await service.call(listPayments)).pagination.total).toBe(total);
    });

    test("a server error has the same envelope", async () => {
      failNext(500);
      const { status, error } = await service.refused(listPayments);
      expect(status).toBe(500);
      expect(error.code).toBe("server_error");
    });
  }

  test("each answer has its own request id", async () => {
    const ids = new Set<string>();
    for (const _ of [1, 2, 3]) {
      const { headers } = await service.callWithHeaders(listPayments, { query: { limit: 1 } });
      ids.add(headers.get("X-Request-Id") ?? "");
    }
    expect(ids.size).toBe(3);
    expect(ids).not.toContain("");
  });
}
