import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { toChecksumAddress } from "../../../src/evm/address.ts";
import { create, list, newYear, origin, paymentsPath, read, send } from "../merchant.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("creating a payment", () => {
  it("answers 201 with a pending payment, its page and its secret", async () => {
    const sandbox = createSandbox({ now: newYear });
    const created = await create(sandbox, { redirectUrl: "https://shop.example/thanks" });

    expect(created.paymentId).toMatch(uuid);
    expect(created.payment.id).toBe(created.paymentId);
    expect(created.paymentUrl).toBe(`${origin}/payment/${created.paymentId}`);
    expect(created.secret).not.toContain("sk_");
    expect(created.payment).toMatchObject({
      merchantId: sandbox.merchantId,
      type: "payment",
      amountInCents: 2500,
      currency: "USD",
      status: "pending",
      receipt: null,
      orderId: "order_1",
      redirectUrl: "https://shop.example/thanks",
      createdAt: "2026-01-01T00:00:00.000Z",
    });
  });

  it("leaves redirectUrl out when none was given", async () => {
    const { payment } = await create(createSandbox());
    expect(payment).not.toHaveProperty("redirectUrl");
  });

  it("gives the payment an EVM address with a valid checksum", async () => {
    const { payment } = await create(createSandbox());
    const { depositAddress } = payment;
    expect(depositAddress?.address).toBe(toChecksumAddress(depositAddress?.address ?? ""));
    expect(depositAddress).toMatchObject({ paymentId: payment.id, type: "EVM" });
  });

  it("quotes ETH, USDC and USDT on both test networks for ten minutes", async () => {
    const { payment } = await create(createSandbox({ now: newYear }));
    const quoted = payment.quotes.map(({ token, chainId }) => [
      token.symbol,
      chainId,
      token.decimals,
      token.assetType,
    ]);
    expect(quoted).toEqual([
      ["ETH", 84532, 18, "native"],
      ["USDC", 84532, 6, "erc20"],
      ["USDT", 84532, 6, "erc20"],
      ["ETH", 11155111, 18, "native"],
      ["USDC", 11155111, 6, "erc20"],
      ["USDT", 11155111, 6, "erc20"],
    ]);
    for (const quote of payment.quotes) {
      expect(quote.token.chain).toHaveProperty("chainId", quote.chainId);
      expect(quote).toMatchObject({
        paymentId: payment.id,
        status: "active",
        createdAt: "2026-01-01T00:00:00.000Z",
        expiresAt: "2026-01-01T00:10:00.000Z",
      });
    }
  });

  it("defaults to the type payment, and gives every object its own id", async () => {
    const { payment } = await create(createSandbox());
    const ids = [payment.id, payment.depositAddress?.id, ...payment.quotes.map(({ id }) => id)];
    expect(payment.type).toBe("payment");
    expect(new Set(ids).size).toBe(8);
  });

  it("starts a deposit without an amount, whatever amount was sent", async () => {
    const sandbox = createSandbox();
    for (const amount of [undefined, 2500, 1, "much", null]) {
      const { payment } = await create(sandbox, { type: "deposit", amount });
      expect(payment).toMatchObject({ type: "deposit", amountInCents: 0 });
      // Interface section 3.1: quotes are created for deposits, too.
      expect(payment.quotes.map((quote) => quote.expectedAmountAsset)).toEqual(Array(6).fill("0"));
    }
  });

  it("accepts the smallest and the largest amount", async () => {
    const sandbox = createSandbox();
    for (const amount of [250, 100_000_000]) {
      const { payment } = await create(sandbox, { amount });
      expect(payment.amountInCents).toBe(amount);
    }
  });

  it("accepts a smaller amount when the limits allow it", async () => {
    const sandbox = createSandbox({ limits: { minPaymentInCents: 100 } });
    expect((await create(sandbox, { amount: 100 })).payment.amountInCents).toBe(100);
    const refused = await send(sandbox, paymentsPath, {
      body: { amount: 99, currency: "USD", orderId: "order_1" },
    });
    expect(refused.status).toBe(422);
  });

  it("accepts any JSON document as metadata", async () => {
    const sandbox = createSandbox();
    for (const customMetadata of ['{"cart":1}', "[]", "null", '"text"']) {
      await expect(create(sandbox, { customMetadata })).resolves.toHaveProperty("paymentId");
    }
  });
});

describe("reading a payment", () => {
  it("returns the payment as it was created", async () => {
    const sandbox = createSandbox();
    const { payment } = await create(sandbox);
    expect(await read(sandbox, payment.id)).toEqual(payment);
  });
});

describe("listing payments", () => {
  async function sandboxWith(amounts: readonly number[]) {
    const sandbox = createSandbox({ now: newYear });
    for (const [index, amount] of amounts.entries()) {
      await create(sandbox, { amount, orderId: `order_${index}` });
    }
    return sandbox;
  }
  const orderIds = async (sandbox: ReturnType<typeof createSandbox>, query: string) =>
    (await list(sandbox, query)).data.map(({ orderId }) => orderId);

  it("returns the newest first, even among payments created at the same time", async () => {
    const sandbox = await sandboxWith([300, 300, 300]);
    expect(await orderIds(sandbox, "")).toEqual(["order_2", "order_1", "order_0"]);
    expect(await orderIds(sandbox, "?sortOrder=ASC")).toEqual(["order_0", "order_1", "order_2"]);
  });

  it("sorts by amount and breaks ties by creation", async () => {
    const sandbox = await sandboxWith([400, 300, 400, 500]);
    expect(await orderIds(sandbox, "?sortBy=amountInCents")).toEqual([
      "order_3",
      "order_2",
      "order_0",
      "order_1",
    ]);
    expect(await orderIds(sandbox, "?sortBy=amountInCents&sortOrder=ASC")).toEqual([
      "order_1",
      "order_0",
      "order_2",
      "order_3",
    ]);
  });

  it("pages through everything exactly once", async () => {
    const sandbox = await sandboxWith([300, 300, 300, 300, 300]);
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => list(sandbox, `?limit=2&offset=${offset}`)),
    );
    expect(pages.flatMap(({ data }) => data.map(({ orderId }) => orderId))).toEqual([
      "order_4",
      "order_3",
      "order_2",
      "order_1",
      "order_0",
    ]);
    expect(pages.map(({ pagination }) => pagination)).toEqual([
      { total: 5, limit: 2, offset: 0, hasMore: true, totalPages: 3, currentPage: 1 },
      { total: 5, limit: 2, offset: 2, hasMore: true, totalPages: 3, currentPage: 2 },
      { total: 5, limit: 2, offset: 4, hasMore: false, totalPages: 3, currentPage: 3 },
    ]);
  });

  it("filters by status and type", async () => {
    const sandbox = createSandbox();
    const paid = await create(sandbox, { orderId: "paid" });
    await create(sandbox, { orderId: "open" });
    await create(sandbox, { orderId: "deposit", type: "deposit" });
    await sandbox.payments.simulate(paid.paymentId, "success");

    expect(await orderIds(sandbox, "?status=completed")).toEqual(["paid"]);
    expect(await orderIds(sandbox, "?status=pending&type=payment")).toEqual(["open"]);
    expect(await orderIds(sandbox, "?type=deposit")).toEqual(["deposit"]);
    expect(await orderIds(sandbox, "?status=processing")).toEqual([]);
  });

  it("searches ids, addresses, hashes, senders and the merchant's name, but not orderId", async () => {
    const sandbox = createSandbox({ seed: "search" });
    const { paymentId } = await create(sandbox, { orderId: "wanted" });
    await create(sandbox, { orderId: "other" });
    const payment = await sandbox.payments.simulate(paymentId, "success");
    const { receipt, depositAddress } = payment;

    for (const text of [
      paymentId.slice(4, 20),
      depositAddress?.address.slice(2, 20),
      depositAddress?.address.toLowerCase(),
      receipt?.txHash?.slice(10, 30),
      receipt?.txSenderAddress?.slice(5, 25),
    ]) {
      expect(await orderIds(sandbox, `?search=${text}`)).toEqual(["wanted"]);
    }
    expect(await orderIds(sandbox, "?search=merchant")).toEqual(["other", "wanted"]);
    expect(await orderIds(sandbox, "?search=wanted")).toEqual([]);
    expect(await orderIds(sandbox, "?search=")).toEqual(["other", "wanted"]);
  });
});
