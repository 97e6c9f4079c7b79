import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { errorOf, newYear, origin, payout } from "../merchant.ts";
import { control, listed } from "./control-client.ts";

describe("creations over the control API", () => {
  it("send ordinary service requests for payments and withdrawals", async () => {
    const sandbox = createSandbox({ now: newYear });
    const order = { amount: 2500, orderId: "order_1" };
    const created = await control(sandbox, "payments", order);
    expect(created.status).toBe(201);
    const paymentId = sandbox.payments.all()[0]?.id;
    expect(await created.json()).toEqual({
      paymentId,
      paymentUrl: `${origin}/payment/${paymentId}`,
    });
    const sent = await control(sandbox, "withdrawals", payout);
    expect(await sent.json()).toMatchObject({ id: sandbox.withdrawals.all()[0]?.id });
    expect(sandbox.requests().map(({ path, status }) => [path.split("/").at(-1), status])).toEqual([
      ["payments", 201],
      ["withdrawals", 201],
    ]);
  });

  it("act for the named merchant, or for the first by default", async () => {
    const sandbox = createSandbox({ merchants: [{}, {}] });
    const [first, second] = sandbox.merchants;
    const order = { amount: 2500, orderId: "order_1" };
    await control(sandbox, "payments", order);
    await control(sandbox, "payments", { ...order, merchantId: second?.merchantId });
    const owners = sandbox.payments.all().map(({ merchantId }) => merchantId);
    expect(owners).toEqual([first?.merchantId, second?.merchantId]);
    const unknown = await control(sandbox, "payments", { ...order, merchantId: "constructor" });
    expect(unknown.status).toBe(422);
    expect(await errorOf(unknown)).toMatchObject({ param: "merchantId" });
  });

  it("pass on the service's errors", async () => {
    const sandbox = createSandbox();
    const refused = await control(sandbox, "payments", { amount: 1, orderId: "order_1" });
    expect(refused.status).toBe(422);
    expect(await errorOf(refused)).toMatchObject({ code: "invalid_amount", param: "amount" });
  });

  it("answer 502 when a fault breaks the connection", async () => {
    const sandbox = createSandbox();
    sandbox.faults.reset("POST /payments", { when: "after" });
    const broken = await control(sandbox, "payments", { amount: 2500, orderId: "order_1" });
    expect(broken.status).toBe(502);
    expect(await errorOf(broken)).toMatchObject({ code: "no_answer" });
    expect(sandbox.payments.all()).toHaveLength(1);
  });

  it.each([
    [204, undefined, ""],
    [204, "No content", ""],
    [304, undefined, ""],
    [200, "It works!", "It works!"],
    [200, ["a", "list"], '["a","list"]'],
    [200, "null", "null"],
    [404, "Not here.", "Not here."],
  ])("pass on a fault's %i with the body %j", async (status, body, text) => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status, body, when: "after" }, { times: 2 });
    const created = await control(sandbox, "payments", { amount: 2500, orderId: "order_1" });
    const withdrawn = await control(sandbox, "withdrawals", payout);
    for (const answer of [created, withdrawn]) {
      expect([answer.status, await answer.text()]).toEqual([status, text]);
    }
    expect(sandbox.payments.all()).toHaveLength(1);
  });

  it("reveal no secrets, nor does the list of merchants", async () => {
    const sandbox = createSandbox({ merchants: [{ name: "Corner Store" }, {}] });
    const created = await control(sandbox, "payments", { amount: 2500, orderId: "order_1" });
    const shown = JSON.stringify(await listed(sandbox, "merchants"));
    expect(shown).toContain("Corner Store");
    expect(await created.text()).not.toContain("ps_");
    for (const { secretKey, webhookSecret, accessToken } of sandbox.merchants) {
      for (const hidden of [secretKey, webhookSecret, accessToken]) {
        expect(shown).not.toContain(hidden);
      }
    }
  });
});
