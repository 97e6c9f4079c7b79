import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { freePort } from "../free-port.ts";
import { existing, payout } from "../resources/payouts/payout.ts";
import { clientOf } from "../resources/sandbox-client.ts";

describe("a fetch function that reports each response to a server that is down", () => {
  async function world() {
    const sandbox = createSandbox();
    const collector = `http://127.0.0.1:${await freePort()}/audit`;
    const audited = async (url: string, init: RequestInit) => {
      const response = await sandbox.fetch(new Request(url, init));
      if (init.method === "POST") await fetch(collector, { method: "POST" });
      return response;
    };
    return { sandbox, ...clientOf(sandbox, { fetch: audited }) };
  }

  test("leaves the outcome of a withdrawal unknown, and makes it once", async () => {
    const { sandbox, withdrawals } = await world();
    await expect(withdrawals.create(payout)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 1,
      cause: { name: "ConnectionError", code: "ECONNREFUSED" },
    });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("lets createOnce find the one withdrawal that it made", async () => {
    const { sandbox, withdrawals } = await world();
    const made = await withdrawals.createOnce(payout);
    expect(await existing(sandbox)).toMatchObject([{ id: made.id }]);
  });

  test("makes a payment once, with one idempotency key", async () => {
    const { sandbox, payments } = await world();
    const creating = payments.create({ amount: 2500, orderId: "order_1" });
    await expect(creating).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 4 });
    expect(await clientOf(sandbox).payments.findByOrderId("order_1")).toHaveLength(1);
  });
});
