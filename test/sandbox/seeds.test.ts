import { createSandbox, type SandboxOptions } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { create, list, newYear, paymentsPath, send } from "./merchant.ts";

/** Everything visible from outside in one run of a small shop. */
async function run(options: SandboxOptions) {
  const webhooks: unknown[] = [];
  const sandbox = createSandbox({
    now: newYear,
    ...options,
    deliver: async (request) => {
      webhooks.push(Object.fromEntries(request.headers), await request.text());
      return new Response();
    },
  });
  const first = await create(sandbox, { orderId: "first" });
  const second = await create(sandbox, { orderId: "second", type: "deposit" });
  await create(sandbox, { orderId: "third" });
  await sandbox.payments.simulate(first.paymentId, "success");
  await sandbox.payments.simulate(second.paymentId, "overpayment");
  const happened = await sandbox.clock.advance("20m");
  const answer = await send(sandbox, paymentsPath);
  const { secretKey, webhookSecret, merchantId } = sandbox;
  return {
    identity: { secretKey, webhookSecret, merchantId },
    payments: [first, second],
    list: await answer.text(),
    requestId: answer.headers.get("x-request-id"),
    happened: happened.length,
    webhooks,
  };
}

describe("a seed", () => {
  it("makes two runs identical, down to the bytes of their webhooks", async () => {
    expect(await run({ seed: "shop" })).toEqual(await run({ seed: "shop" }));
  });

  it("may be a number", async () => {
    expect(await run({ seed: 42 })).toEqual(await run({ seed: 42 }));
  });

  it("that differs changes secrets and ids", async () => {
    const one = createSandbox({ seed: 1 });
    const other = createSandbox({ seed: 2 });
    expect(one.secretKey).not.toBe(other.secretKey);
    expect(one.webhookSecret).not.toBe(other.webhookSecret);
    expect((await create(one)).paymentId).not.toBe((await create(other)).paymentId);
  });

  it("gives the nth payment the same ids, whatever happened in between", async () => {
    const quiet = createSandbox({ seed: "shop", now: newYear });
    await create(quiet);
    const busy = createSandbox({ seed: "shop", now: newYear, deliver: () => new Response() });
    const { paymentId } = await create(busy);
    await busy.payments.simulate(paymentId, "success");
    await list(busy);
    await busy.webhooks.idle();
    expect(await create(busy)).toEqual(await create(quiet));
  });

  it("starts over after a reset, with the same secrets", async () => {
    const sandbox = createSandbox({ seed: "shop", now: newYear });
    const { secretKey, webhookSecret } = sandbox;
    const before = await create(sandbox);
    sandbox.reset();
    expect(await create(sandbox)).toEqual(before);
    expect(sandbox).toMatchObject({ secretKey, webhookSecret });
  });
});

describe("a sandbox without a seed", () => {
  it("shares no secret or id with another, and repeats no id after a reset", async () => {
    const sandboxes = [createSandbox(), createSandbox()];
    const seen: string[] = [];
    for (const sandbox of sandboxes) {
      seen.push(sandbox.secretKey, sandbox.webhookSecret, sandbox.merchantId);
      seen.push((await create(sandbox)).paymentId);
      sandbox.reset();
      seen.push((await create(sandbox)).paymentId);
    }
    expect(new Set(seen).size).toBe(10);
  });
});

describe("the secrets of a sandbox", () => {
  it("look like test credentials", () => {
    const sandbox = createSandbox();
    expect(sandbox.secretKey).toMatch(/^sk_test_[0-9a-f]{48}$/);
    expect(sandbox.webhookSecret).toMatch(/^whsec_[0-9a-f]{64}$/);
  });
});
