import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, errorOf, newYear, withdraw } from "../merchant.ts";
import { control, listed } from "./control-client.ts";

describe("scenarios over the control API", () => {
  it("advance step by step, and list their upcoming steps", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    const steps = "by-hand";
    await control(sandbox, `payments/${paymentId}/simulate`, { scenario: "success", steps });
    await control(sandbox, `withdrawals/${id}/simulate`, { scenario: "complete", steps });
    const confirmed = await control(sandbox, `payments/${paymentId}/step`);
    expect(await confirmed.json()).toMatchObject({
      status: "processing",
      receipt: { confirmations: 1, requiredConfirmations: 10 },
    });
    const sent = await control(sandbox, `withdrawals/${id}/step`);
    expect(await sent.json()).toMatchObject({ status: "processing" });
    expect(await listed(sandbox, `payments/${paymentId}/upcoming`)).toEqual(
      sandbox.payments.upcoming(paymentId),
    );
    expect(await listed(sandbox, `withdrawals/${id}/upcoming`)).toEqual([
      { status: "completed", confirmations: null, dueAt: null },
    ]);
  });
});

describe("webhook disorder over the control API", () => {
  it("is queued, listed and cleared", async () => {
    const sandbox = createSandbox();
    const event = "payment.updated";
    await control(sandbox, "disorders", { kind: "delay", by: "5m", event, times: "always" });
    await control(sandbox, "disorders", { kind: "tamper", probability: 0.5 });
    expect(await listed(sandbox, "disorders")).toEqual([
      { kind: "delay", byMs: 300_000, event, times: "always", probability: 1 },
      { kind: "tamper", byMs: 0, event: null, times: "always", probability: 0.5 },
    ]);
    expect((await control(sandbox, "disorders/clear")).status).toBe(204);
    expect(sandbox.webhooks.disorders()).toEqual([]);
  });

  it("can apply to a single replayed webhook", async () => {
    const sandbox = createSandbox({ deliver: () => new Response() });
    await create(sandbox);
    await sandbox.webhooks.idle();
    const id = sandbox.webhooks.deliveries()[0]?.id;
    await control(sandbox, `deliveries/${id}/replay`, { disorder: "wrong-secret" });
    expect(sandbox.webhooks.deliveries().at(-1)?.attempts).toMatchObject([
      { disorder: "wrong-secret" },
    ]);
  });
});

describe("a saved sandbox over the control API", () => {
  it("moves everything from one sandbox to another, secrets included", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const saved = await (await control(sandbox, "save")).text();
    const other = createSandbox();
    expect((await control(other, "load", saved)).status).toBe(204);
    expect(other.payments.all()).toMatchObject([{ id: paymentId }]);
    expect(other.secretKey).toBe(sandbox.secretKey);
  });

  it("may exceed the service's body limit", async () => {
    const sandbox = createSandbox();
    const saved = sandbox.save();
    const padded = `${JSON.stringify(saved)}${" ".repeat(2_000_000)}`;
    expect((await control(sandbox, "load", padded)).status).toBe(204);
  });

  it.each([
    ["{}", 422, "invalid_save"],
    ['{"__proto__":{"format":"settlekit sandbox"}}', 422, "invalid_save"],
  ])("is refused when malformed, and nothing changes: %s", async (body, status, code) => {
    const sandbox = createSandbox();
    await create(sandbox);
    const response = await control(sandbox, "load", body);
    expect(response.status).toBe(status);
    expect(await errorOf(response)).toMatchObject({ code });
    expect(sandbox.payments.all()).toHaveLength(1);
  });
});
