import { createSandbox, type Sandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import type { PageBody } from "../../../src/wire/pagination.ts";
import type { Withdrawal } from "../../../src/wire/withdrawal.ts";
import {
  errorOf,
  newYear,
  payout,
  readWithdrawal,
  send,
  withdraw,
  withdrawalsPath,
} from "../merchant.ts";

async function list(sandbox: Sandbox, query = ""): Promise<PageBody<Withdrawal>> {
  return (await (await send(sandbox, withdrawalsPath + query)).json()) as PageBody<Withdrawal>;
}

const orderIds = async (sandbox: Sandbox, query = "") =>
  (await list(sandbox, query)).data.map(({ orderId }) => orderId);

describe("creating a withdrawal", () => {
  it("answers 201 with a pending withdrawal that has no receipt and no error", async () => {
    const sandbox = createSandbox({ now: newYear });
    const withdrawal = await withdraw(sandbox, { orderId: "payout_1", customMetadata: '{"a":1}' });
    expect(withdrawal).toEqual({
      ...payout,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      merchantId: sandbox.merchantId,
      status: "pending",
      currency: "USD",
      orderId: "payout_1",
      customMetadata: '{"a":1}',
      errorMessage: null,
      receipt: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
    });
  });

  it("leaves orderId and customMetadata out when none were given", async () => {
    const withdrawal = await withdraw(createSandbox());
    expect(withdrawal).not.toHaveProperty("orderId");
    expect(withdrawal).not.toHaveProperty("customMetadata");
  });

  it("accepts a chain id as a number or a CAIP-2 string, and answers with the number", async () => {
    const sandbox = createSandbox();
    for (const chainId of [11_155_111, "eip155:11155111"]) {
      expect((await withdraw(sandbox, { chainId })).chainId).toBe(11_155_111);
    }
  });

  it("accepts the smallest and the largest amount", async () => {
    const sandbox = createSandbox();
    for (const amountInCents of [100, 100_000_000]) {
      expect(await withdraw(sandbox, { amountInCents })).toMatchObject({ amountInCents });
    }
  });

  it("accepts the longest orderId and metadata", async () => {
    const fields = { orderId: "x".repeat(255), customMetadata: `"${"x".repeat(2046)}"` };
    expect(await withdraw(createSandbox(), fields)).toMatchObject(fields);
  });

  it("accepts an address in any valid case, and returns it unchanged", async () => {
    const sandbox = createSandbox();
    const { recipientAddress } = payout;
    for (const address of [recipientAddress, recipientAddress.toLowerCase()]) {
      const withdrawal = await withdraw(sandbox, { recipientAddress: address });
      expect(withdrawal.recipientAddress).toBe(address);
    }
  });

  const invalidAmount = { code: "invalid_amount", param: "amountInCents" };
  const unsupportedChain = { code: "unsupported_chain", param: "chainId" };
  const invalidAddress = { code: "invalid_address", param: "recipientAddress" };
  const invalid = (param: string) => ({ code: "invalid_request", param });
  it.each([
    ["no amount", { amountInCents: undefined }, 400, invalidAmount],
    ["an amount as a string", { amountInCents: "12500" }, 400, invalidAmount],
    ["one cent too little", { amountInCents: 99 }, 422, invalidAmount],
    ["one cent too much", { amountInCents: 100_000_001 }, 422, invalidAmount],
    ["a negative amount", { amountInCents: -12_500 }, 422, invalidAmount],
    ["a fraction of a cent", { amountInCents: 12_500.5 }, 422, invalidAmount],
    ["no chain", { chainId: undefined }, 400, invalid("chainId")],
    ["a chain of a wrong type", { chainId: true }, 400, invalid("chainId")],
    ["an unsupported chain", { chainId: 8453 }, 422, unsupportedChain],
    ["an impossible chain id", { chainId: -1.5 }, 422, unsupportedChain],
    ["an unsupported CAIP-2 chain", { chainId: "eip155:1" }, 422, unsupportedChain],
    ["a chain that is not EVM", { chainId: "solana:mainnet" }, 422, unsupportedChain],
    ["a chain id as a plain string", { chainId: "84532" }, 422, unsupportedChain],
    ["no recipient", { recipientAddress: undefined }, 400, invalid("recipientAddress")],
    ["a recipient of a wrong type", { recipientAddress: 1 }, 400, invalid("recipientAddress")],
    ["an ENS name as the recipient", { recipientAddress: "alice.eth" }, 422, invalidAddress],
    [
      "a recipient with a wrong checksum",
      { recipientAddress: payout.recipientAddress.replace("5aAe", "5aae") },
      422,
      invalidAddress,
    ],
    ["the zero address", { recipientAddress: `0x${"0".repeat(40)}` }, 422, invalidAddress],
    ["an over-long orderId", { orderId: "x".repeat(256) }, 422, invalid("orderId")],
    ["an orderId of a wrong type", { orderId: 7 }, 400, invalid("orderId")],
    ["an unsupported currency", { currency: "EUR" }, 422, invalid("currency")],
    ["metadata that is not JSON", { customMetadata: "{a" }, 422, invalid("customMetadata")],
    [
      "over-long metadata",
      { customMetadata: `"${"x".repeat(2047)}"` },
      422,
      invalid("customMetadata"),
    ],
  ])("refuses %s and creates nothing", async (_title, fields, status, error) => {
    const sandbox = createSandbox();
    const response = await send(sandbox, withdrawalsPath, { body: { ...payout, ...fields } });
    expect(response.status).toBe(status);
    const type = "invalid_request_error";
    expect(await errorOf(response)).toEqual({ type, ...error, message: expect.any(String) });
    expect(sandbox.withdrawals.all()).toEqual([]);
  });

  it("lists the supported chains in the error", async () => {
    const response = await send(createSandbox(), withdrawalsPath, {
      body: { ...payout, chainId: 8453 },
    });
    expect((await errorOf(response)).message).toBe(
      "chainId must be one of 84532, 11155111, but is 8453.",
    );
  });

  it("is refused when withdrawals are disabled; reading is not", async () => {
    const sandbox = createSandbox({ withdrawalsEnabled: false });
    const response = await send(sandbox, withdrawalsPath, { body: payout });
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({ code: "withdrawals_disabled" });
    expect((await list(sandbox)).data).toEqual([]);
  });
});

describe("reading withdrawals", () => {
  it("returns one as it was created", async () => {
    const sandbox = createSandbox();
    const withdrawal = await withdraw(sandbox);
    expect(await readWithdrawal(sandbox, withdrawal.id)).toEqual(withdrawal);
  });

  it("lists the newest first, in pages", async () => {
    const sandbox = createSandbox({ now: newYear });
    for (const orderId of ["a", "b", "c", "d", "e"]) await withdraw(sandbox, { orderId });
    expect(await orderIds(sandbox)).toEqual(["e", "d", "c", "b", "a"]);
    expect(await orderIds(sandbox, "?limit=2&offset=2")).toEqual(["c", "b"]);
    expect((await list(sandbox, "?limit=2&offset=2")).pagination).toEqual({
      total: 5,
      limit: 2,
      offset: 2,
      hasMore: true,
      totalPages: 3,
      currentPage: 2,
    });
    expect(await list(sandbox, "?offset=5")).toMatchObject({
      data: [],
      pagination: { total: 5, limit: 100, hasMore: false },
    });
  });

  it("filters by status, and pages through the matches", async () => {
    const sandbox = createSandbox();
    const scenarios = ["complete", "fail", "complete", "cancel", "complete", "process"] as const;
    for (const [index, scenario] of scenarios.entries()) {
      const { id } = await withdraw(sandbox, { orderId: `${index}` });
      await sandbox.withdrawals.simulate(id, scenario);
    }
    await withdraw(sandbox, { orderId: "6" });
    expect(await orderIds(sandbox, "?status=completed")).toEqual(["4", "2", "0"]);
    expect(await orderIds(sandbox, "?status=completed&limit=1&offset=1")).toEqual(["2"]);
    expect(await orderIds(sandbox, "?status=completed&offset=3")).toEqual([]);
    expect((await list(sandbox, "?status=completed&limit=1&offset=1")).pagination).toMatchObject({
      total: 3,
      hasMore: true,
    });
    for (const [status, orderId] of Object.entries({
      failed: "1",
      cancelled: "3",
      processing: "5",
      pending: "6",
    })) {
      expect(await orderIds(sandbox, `?status=${status}`)).toEqual([orderId]);
    }
  });

  it.each(["?limit=0", "?limit=1001", "?offset=-1", "?status=paid"])(
    "refuses %s",
    async (query) => {
      expect((await send(createSandbox(), withdrawalsPath + query)).status).toBe(422);
    },
  );

  it("lists errors of failed and receipts of completed withdrawals only", async () => {
    const sandbox = createSandbox();
    for (const scenario of ["process", "complete", "fail", "cancel"] as const) {
      await sandbox.withdrawals.simulate((await withdraw(sandbox)).id, scenario);
    }
    const { data } = await list(sandbox);
    expect(data.map((item) => [item.status, "errorMessage" in item, "receipt" in item])).toEqual([
      ["cancelled", false, false],
      ["failed", true, false],
      ["completed", false, true],
      ["processing", false, false],
    ]);
    expect(data[1]?.errorMessage).toMatch(/\w/);
    expect(data[2]?.receipt?.withdrawalId).toBe(data[2]?.id);
  });
});

describe("sandbox.withdrawals.all", () => {
  it("returns every withdrawal, oldest first, without a request", async () => {
    const sandbox = createSandbox();
    const first = await withdraw(sandbox);
    const second = await withdraw(sandbox);
    expect(sandbox.withdrawals.all()).toEqual([first, second]);
    expect(sandbox.requests()).toHaveLength(2);
  });

  it("returns copies, and nothing after a reset", async () => {
    const sandbox = createSandbox();
    const { id } = await withdraw(sandbox);
    for (const withdrawal of sandbox.withdrawals.all()) withdrawal.status = "failed";
    sandbox.withdrawals.all().length = 0;
    expect(sandbox.withdrawals.all()).toMatchObject([{ id, status: "pending" }]);
    sandbox.reset();
    expect(sandbox.withdrawals.all()).toEqual([]);
    expect((await send(sandbox, `${withdrawalsPath}/${id}`)).status).toBe(404);
  });
});
