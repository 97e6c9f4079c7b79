import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, errorOf, newYear, origin, paymentsPath, send, withdraw } from "../merchant.ts";
import { control, controlHeaders, listed } from "./control-client.ts";

describe("the control API", () => {
  it("lists payments, withdrawals, requests and deliveries, and shows the clock", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    const { id } = await withdraw(sandbox);
    expect(await listed(sandbox, "payments")).toMatchObject([{ id: paymentId }]);
    expect(await listed(sandbox, "withdrawals")).toMatchObject([{ id }]);
    expect(await listed(sandbox, "requests")).toEqual(sandbox.requests());
    expect(await listed(sandbox, "deliveries")).toEqual(sandbox.webhooks.deliveries());
    const clock = await sandbox.fetch(new Request(`${origin}/_sandbox/clock`));
    expect(await clock.json()).toEqual({ now: newYear.toISOString() });
  });

  it("shows no secret of the merchant or of a payment", async () => {
    const sandbox = createSandbox();
    const { secret } = await create(sandbox);
    for (const path of ["payments", "withdrawals", "requests", "deliveries"]) {
      const text = JSON.stringify(await listed(sandbox, path));
      for (const hidden of [
        secret,
        sandbox.secretKey,
        sandbox.webhookSecret,
        sandbox.accessToken,
      ]) {
        expect(text).not.toContain(hidden);
      }
    }
  });

  it("simulates payments and withdrawals", async () => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const deposit = await create(sandbox, { type: "deposit" });
    const { id } = await withdraw(sandbox);
    const paid = await control(sandbox, `payments/${paymentId}/simulate`, { scenario: "success" });
    const body = { scenario: "overpayment", amountInCents: 700 };
    const more = await control(sandbox, `payments/${deposit.paymentId}/simulate`, body);
    const sent = await control(sandbox, `withdrawals/${id}/simulate`, { scenario: "complete" });
    expect(await paid.json()).toMatchObject({ id: paymentId, status: "completed" });
    expect(await more.json()).toMatchObject({ amountInCents: 700, status: "completed" });
    expect(await sent.json()).toMatchObject({ id, status: "completed" });
  });

  it("sets how a withdrawal's repeated Idempotency-Key is treated", async () => {
    const sandbox = createSandbox();
    const set = (withdrawalIdempotency: string) =>
      control(sandbox, "withdrawal-idempotency", { withdrawalIdempotency });
    expect((await set("honoured")).status).toBe(204);
    expect(sandbox.withdrawalIdempotency).toBe("honoured");
    const read = await sandbox.fetch(new Request(`${origin}/_sandbox/withdrawal-idempotency`));
    expect(await read.json()).toEqual({ withdrawalIdempotency: "honoured" });
    const refused = await set("honored");
    expect(refused.status).toBe(422);
    expect(await errorOf(refused)).toMatchObject({
      param: "withdrawalIdempotency",
      message: expect.stringMatching(/^withdrawalIdempotency must be .*, got "honored"\.$/),
    });
    expect(sandbox.withdrawalIdempotency).toBe("honoured");
  });

  it("advances the clock and returns what happened", async () => {
    const sandbox = createSandbox({ now: newYear });
    const { paymentId } = await create(sandbox);
    const response = await control(sandbox, "clock/advance", { duration: "15m" });
    expect(await response.json()).toMatchObject({
      now: "2026-01-01T00:15:00.000Z",
      happened: [{ type: "quotes.expired" }, { type: "payment.expired", paymentId }],
    });
  });

  it("queues faults, limits the rate, and removes both", async () => {
    const sandbox = createSandbox();
    const fault = { status: 503, when: "before" };
    const read = async () => (await send(sandbox, paymentsPath)).status;
    await control(sandbox, "faults", { route: "GET /payments", fault, times: 2 });
    expect([await read(), await read(), await read()]).toEqual([503, 503, 200]);
    await control(sandbox, "faults", { route: "*", fault, times: "always" });
    expect([await read(), await read()]).toEqual([503, 503]);
    expect(await listed(sandbox, "faults")).toEqual([
      { route: "*", fault, times: "always", probability: 1 },
    ]);
    expect((await control(sandbox, "faults/clear")).status).toBe(204);
    expect(await read()).toBe(200);
    await control(sandbox, "faults/rate-limit", { limit: { requestsPerSecond: 0 } });
    expect(await read()).toBe(429);
    const found = await sandbox.fetch(new Request(`${origin}/_sandbox/faults`));
    expect(await found.json()).toEqual({
      data: [],
      limit: { requestsPerSecond: 0, retryAfterSeconds: 1 },
    });
    await control(sandbox, "faults/rate-limit", { limit: null });
    expect(await read()).toBe(200);
  });

  it("resets the sandbox", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    expect((await control(sandbox, "reset")).status).toBe(204);
    expect(sandbox.payments.all()).toEqual([]);
  });

  it.each([
    ["payments/unknown/simulate", { scenario: "success" }, 404, "not_found"],
    ["payments/{id}/simulate", { scenario: "__proto__" }, 422, "unknown_scenario"],
    ["payments/{id}/simulate", { scenario: "success", amountInCents: 1 }, 422, "invalid_amount"],
    ["payments/{id}/simulate", {}, 422, "unknown_scenario"],
    ["withdrawals/unknown/simulate", { scenario: "complete" }, 404, "not_found"],
    ["clock/advance", { duration: "soon" }, 422, "invalid_duration"],
    ["clock/advance", {}, 422, "invalid_duration"],
    ["clock/advance", [], 400, "invalid_request"],
    ["clock/advance", "{", 400, "invalid_request"],
    ["deliveries/unknown/replay", {}, 404, "not_found"],
    ["faults", {}, 422, "unknown_route"],
    ["faults", { route: "*" }, 422, "invalid_fault"],
    ["faults", { route: "*", fault: { __proto__: null, status: "500" } }, 422, "invalid_fault"],
    [
      "faults",
      { route: "*", fault: { status: 500, when: "before" }, times: "x" },
      422,
      "invalid_fault",
    ],
    ["faults/rate-limit", {}, 422, "invalid_fault"],
    ["disorders", { kind: "explode" }, 422, "unknown_disorder"],
    ["payments/{id}/step", {}, 422, "no_steps_ahead"],
    ["faults/rate-limit", { limit: { requestsPerSecond: "1" } }, 422, "invalid_fault"],
    ["nowhere", {}, 404, "unknown_route"],
  ])(
    "refuses invalid requests in the service's envelope: %s %j",
    async (path, body, status, code) => {
      const sandbox = createSandbox();
      const { paymentId } = await create(sandbox);
      const response = await control(sandbox, path.replace("{id}", paymentId), body);
      expect(response.status).toBe(status);
      expect(await errorOf(response)).toMatchObject({ code, message: expect.any(String) });
    },
  );

  it.each(["load", "clock/advance"])("refuses a body over 128 MiB: %s", async (path) => {
    const headers = { ...controlHeaders, "Content-Length": String(128 * 1_048_576 + 1) };
    const response = await control(createSandbox(), path, {}, headers);
    expect(response.status).toBe(413);
    expect(await errorOf(response)).toMatchObject({ code: "body_too_large" });
  });

  it.each([
    ["payments/{id}/simulate", { scenario: "success", step: "by-hand" }, "steps"],
    ["withdrawals/{id}/simulate", { scenario: "complete", step: "by-hand" }, "steps"],
    ["deliveries/{id}/replay", { disorders: "duplicate" }, "disorder"],
    ["disorders", { kind: "duplicate", tims: 3 }, "times"],
    ["faults", { route: "*", fault: { status: 503, when: "before" }, time: 3 }, "times"],
    ["faults", { route: "*", fault: { status: 503, when: "before", retryafter: 3 } }, "retryAfter"],
    ["faults/rate-limit", { limit: { requestPerSecond: 1 } }, "requestsPerSecond"],
  ])("refuses a misspelt field, as the in-process API does: %s %j", async (path, body, meant) => {
    const sandbox = createSandbox();
    const { paymentId } = await create(sandbox);
    const response = await control(sandbox, path.replace("{id}", paymentId), body);
    expect(response.status).toBe(422);
    const message = expect.stringContaining(`Did you mean ${meant}?`);
    expect(await errorOf(response)).toMatchObject({ code: "unknown_option", message });
    expect(sandbox.payments.all()).toMatchObject([{ status: "pending" }]);
    expect([...sandbox.faults.waiting(), ...sandbox.webhooks.disorders()]).toEqual([]);
  });

  it("names the missing endpoint when a webhook cannot be replayed", async () => {
    const sandbox = createSandbox();
    await create(sandbox);
    const response = await control(
      sandbox,
      `deliveries/${sandbox.webhooks.deliveries()[0]?.id}/replay`,
    );
    // A client would turn a 409 into an IdempotencyConflictError.
    expect(response.status).toBe(422);
    expect(await errorOf(response)).toMatchObject({ code: "no_webhook_endpoint" });
  });

  it("can be called by pages of the sandbox's own origin", async () => {
    const sandbox = createSandbox();
    const headers = { ...controlHeaders, Origin: origin };
    expect((await control(sandbox, "reset", {}, headers)).status).toBe(204);
  });
});
