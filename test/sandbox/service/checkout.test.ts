import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { ask } from "../customer.ts";
import { create, errorOf } from "../merchant.ts";

const nobody = "7c0f6f0e-0000-4000-8000-000000000000";

describe("a customer", () => {
  it("reads the payment as the merchant does", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    expect(await (await ask(sandbox, created, "")).json()).toEqual(created.payment);
  });

  it("reads and refreshes the status", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    const id = created.paymentId;
    for (const [path, init] of [
      ["/status", {}],
      ["/refresh-status", { body: { transactionHash: "0x1", chainId: "eip155:84532" } }],
      ["/refresh-status", { body: {} }],
      ["/refresh-status", { method: "POST" }],
    ] as const) {
      const response = await ask(sandbox, created, path, init);
      expect([response.status, await response.json()]).toEqual([200, { id, status: "pending" }]);
    }
    await sandbox.payments.simulate(id, "success");
    for (const [path, init] of [
      ["/status", {}],
      ["/refresh-status", { body: {} }],
    ] as const) {
      expect(await (await ask(sandbox, created, path, init)).json()).toEqual({
        id,
        status: "completed",
      });
    }
  });

  it.each([
    ["no secret", {}],
    ["another payment's secret", { "X-Service-Payment-Secret": "ps_other" }],
    ["an empty secret", { "X-Service-Payment-Secret": "" }],
    ["the merchant's key", { "X-Service-Secret-Key": "sk" }],
  ])("with %s is refused on every route", async (_title, headers) => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const url = `http://sandbox.test/v1/external/payment-secret-auth/payments/${paymentId}`;
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/status"],
      ["GET", "/quotes"],
      ["POST", "/quotes"],
      ["POST", "/refresh-status"],
    ]) {
      const init = { method: method ?? "", headers };
      const response = await sandbox.fetch(new Request(url + path, init));
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toEqual({
        type: "authentication_error",
        code: "invalid_payment_secret",
        message: expect.stringContaining("X-Service-Payment-Secret"),
      });
    }
  });

  it("cannot open one payment with the secret of another", async () => {
    const sandbox = createSandbox();
    const one = await create(sandbox);
    const other = await create(sandbox);
    expect(one.secret).not.toBe(other.secret);
    const mixed = { paymentId: one.paymentId, secret: other.secret };
    expect((await ask(sandbox, mixed, "/status")).status).toBe(401);
  });

  it("gets 404 for an unknown payment, and for any after a reset", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    const { secret } = created;
    expect((await ask(sandbox, { paymentId: nobody, secret }, "/status")).status).toBe(404);
    sandbox.reset();
    expect((await ask(sandbox, created, "/status")).status).toBe(404);
  });
});
