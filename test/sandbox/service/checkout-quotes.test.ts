import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { activeQuotes, ask, ether, quote } from "../customer.ts";
import { create, errorOf, newYear, read } from "../merchant.ts";

describe("quotes for a customer", () => {
  it("are listed while they are active", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox);
    expect(await activeQuotes(sandbox, created)).toEqual(created.payment.quotes);
    await sandbox.clock.advance("10m");
    expect(await activeQuotes(sandbox, created)).toEqual([]);
  });

  it("are the same for the same request while they are active", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox);
    const [first] = created.payment.quotes;
    await sandbox.clock.advance("1m");
    expect(await quote(sandbox, created, ether)).toEqual(first);
    expect(await quote(sandbox, created, ether)).toEqual(first);
    expect(await read(sandbox, created.paymentId)).toEqual(created.payment);
  });

  it("are in USDC on Base Sepolia by default", async () => {
    const sandbox = createSandbox();
    const { token, chainId } = await quote(sandbox, await create(sandbox), {});
    expect([token.symbol, chainId]).toEqual(["USDC", 84_532]);
  });

  it("are in the requested token, however its address and chain are written", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    const usdc = "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238";
    for (const [body, symbol] of [
      [{ chainId: 11_155_111, contractAddress: usdc }, "USDC"],
      [{ chainId: "eip155:11155111", contractAddress: usdc.toLowerCase() }, "USDC"],
      [{ chainId: 11_155_111, contractAddress: `0x${"0".repeat(40)}` }, "ETH"],
      [{ chainId: 11_155_111, contractAddress: `0x${"eE".repeat(20)}`.toLowerCase() }, "ETH"],
    ] as const) {
      const { token, chainId } = await quote(sandbox, created, body);
      expect([token.symbol, chainId]).toEqual([symbol, 11_155_111]);
    }
  });

  it("are renewed after they expire, and expire again", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox);
    await sandbox.clock.advance("12m");
    const renewed = await quote(sandbox, created, ether);
    expect(renewed).toMatchObject({
      status: "active",
      createdAt: "2026-01-01T00:12:00.000Z",
      expiresAt: "2026-01-01T00:22:00.000Z",
      expectedAmountAsset: created.payment.quotes[0]?.expectedAmountAsset,
    });
    expect(created.payment.quotes.map(({ id }) => id)).not.toContain(renewed.id);
    expect(await quote(sandbox, created, ether)).toEqual(renewed);
    expect(await activeQuotes(sandbox, created)).toEqual([renewed]);

    // The payment itself expires first.
    await sandbox.clock.advance("3m");
    expect(await activeQuotes(sandbox, created)).toEqual([]);
  });

  it("each expire at their own time, and the event lists them", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox, { type: "deposit" });
    const early = await quote(sandbox, created, { forceDepositAmount: 500 });
    await sandbox.clock.advance("2m");
    const late = await quote(sandbox, created, ether);
    expect(await sandbox.clock.advance("9m")).toMatchObject([
      {
        at: "2026-01-01T00:10:00.000Z",
        type: "quotes.expired",
        paymentId: created.paymentId,
        quoteIds: [early.id],
      },
    ]);
    expect(await activeQuotes(sandbox, created)).toEqual([late]);
    const happened = await sandbox.clock.advance("1m");
    expect(happened).toMatchObject([{ type: "quotes.expired", quoteIds: [late.id] }]);
  });

  it("that were renewed can be paid", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox);
    await sandbox.clock.advance("12m");
    const renewed = await quote(sandbox, created, {});
    const { quotes, receipt } = await sandbox.payments.simulate(created.paymentId, "success");
    expect(quotes.find(({ status }) => status === "used")?.id).toBe(renewed.id);
    expect(receipt?.selectedQuote).toMatchObject({ id: renewed.id });
    expect(quotes).toHaveLength(7);
  });

  it("are refused once the payment is no longer pending", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    await sandbox.payments.simulate(created.paymentId, "success");
    const response = await ask(sandbox, created, "/quotes", { body: {} });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "payment_not_pending",
      message: expect.stringContaining("completed"),
    });
  });

  it("send no webhook, because the payment's status does not change", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox, { type: "deposit" });
    await quote(sandbox, created, { forceDepositAmount: 500 });
    expect(sandbox.webhooks.deliveries().map(({ event }) => event)).toEqual(["payment.created"]);
  });

  it("do not change the ids of later payments", async () => {
    const [quiet, busy] = [createSandbox({ seed: 1 }), createSandbox({ seed: 1 })];
    await create(quiet, { type: "deposit" });
    await quote(busy, await create(busy, { type: "deposit" }), {});
    expect((await create(quiet)).paymentId).toBe((await create(busy)).paymentId);
  });

  it.each([
    ["a chain without a token", { chainId: 84_532 }, 400, "invalid_request", "contractAddress"],
    [
      "a token without a chain",
      { contractAddress: ether.contractAddress },
      400,
      "invalid_request",
      "chainId",
    ],
    ["another chain", { ...ether, chainId: 1 }, 422, "unsupported_chain", "chainId"],
    [
      "a token of another chain",
      { chainId: 84_532, contractAddress: "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238" },
      422,
      "unsupported_token",
      "contractAddress",
    ],
    [
      "a contract that is not an address",
      { chainId: 84_532, contractAddress: "USDC" },
      422,
      "invalid_address",
      "contractAddress",
    ],
    [
      "an amount for a payment with a fixed amount",
      { forceDepositAmount: 100 },
      422,
      "invalid_amount",
      "forceDepositAmount",
    ],
  ])("are refused for %s", async (_title, body, status, code, param) => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    const response = await ask(sandbox, created, "/quotes", { body });
    expect(response.status).toBe(status);
    expect(await errorOf(response)).toMatchObject({ code, param });
    expect(await read(sandbox, created.paymentId)).toEqual(created.payment);
  });
});

describe("quotes for a deposit", () => {
  it("leave the amount open until the customer chooses one", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox, { type: "deposit" });
    const open = await quote(sandbox, created, {});
    expect(open.expectedAmountAsset).toBe("0");
    expect(await quote(sandbox, created, {})).toEqual(open);
  });

  it("are updated in place with the chosen amount, and last another ten minutes", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox, { type: "deposit" });
    const open = await quote(sandbox, created, {});
    await sandbox.clock.advance("4m");
    const named = await quote(sandbox, created, { forceDepositAmount: 1234 });
    expect(named).toEqual({
      ...open,
      expectedAmountAsset: "12340000",
      expiresAt: "2026-01-01T00:14:00.000Z",
    });
    expect(await quote(sandbox, created, { forceDepositAmount: 1234 })).toEqual(named);
    expect(await quote(sandbox, created, {})).toEqual(named);
    const { amountInCents, quotes } = await read(sandbox, created.paymentId);
    expect(amountInCents).toBe(1234);
    expect(quotes).toHaveLength(6);
    expect(await activeQuotes(sandbox, created)).toEqual([named]);
    expect(await sandbox.clock.advance("9m")).toEqual([]);
  });

  it("expire when another amount is chosen, so that none asks for the wrong amount", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox, { type: "deposit" });
    const inEther = await quote(sandbox, created, { ...ether, forceDepositAmount: 4200 });
    expect(await activeQuotes(sandbox, created)).toEqual([inEther]);
    const later = await quote(sandbox, created, { forceDepositAmount: 9900 });
    const payment = await read(sandbox, created.paymentId);
    expect(payment.amountInCents).toBe(9900);
    const earlier = created.payment.quotes.with(0, inEther);
    expect(payment.quotes).toEqual([
      ...earlier.map((it) => ({ ...it, status: "expired" })),
      { ...later, id: expect.not.stringMatching(earlier.map(({ id }) => id).join("|")) },
    ]);
  });

  it("stay active together while the amount is the same", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox, { type: "deposit" });
    await quote(sandbox, created, { forceDepositAmount: 4200 });
    await quote(sandbox, created, ether);
    await quote(sandbox, created, { ...ether, forceDepositAmount: 4200 });
    expect(await activeQuotes(sandbox, created)).toHaveLength(2);
  });

  it("can be paid with the chosen amount or another one", async () => {
    const sandbox = createSandbox();
    for (const [options, amountInCents, quoted] of [
      [undefined, 1234, true],
      [{ amountInCents: 99 }, 99, false],
    ] as const) {
      const created = await create(sandbox, { type: "deposit" });
      const { id } = await quote(sandbox, created, { forceDepositAmount: 1234 });
      const { paymentId } = created;
      const payment = await sandbox.payments.simulate(paymentId, "success", options);
      expect(payment).toMatchObject({ status: "completed", amountInCents });
      expect(payment.receipt?.settledAmountAsset).toBe(`${amountInCents}0000`);
      expect(payment.quotes.find(({ status }) => status === "used")?.id === id).toBe(quoted);
    }
  });

  it("are paid with 25 dollars when no amount was chosen", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox, { type: "deposit" });
    await quote(sandbox, created, {});
    const { receipt } = await sandbox.payments.simulate(created.paymentId, "success");
    expect(receipt?.settledAmountAsset).toBe("25000000");
  });

  it.each([0, -1, 1.5, 100_000_001])("refuse an amount of %d cents", async (amount) => {
    const sandbox = createSandbox();
    const created = await create(sandbox, { type: "deposit" });
    const body = { forceDepositAmount: amount };
    const response = await ask(sandbox, created, "/quotes", { body });
    expect(response.status).toBe(422);
    expect(await errorOf(response)).toMatchObject({
      code: "invalid_amount",
      param: "forceDepositAmount",
    });
  });
});
