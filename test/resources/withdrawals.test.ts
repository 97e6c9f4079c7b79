import { describe, expect, test } from "vitest";
import type { CreateWithdrawalInput } from "../../src/resources/payouts/payout.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { clientOf } from "./sandbox-client.ts";

const payout = {
  amountInCents: 12_500,
  chainId: 84532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};

describe("withdrawals.create", () => {
  test("creates a withdrawal", async () => {
    const { withdrawals } = clientOf(createSandbox());
    const input = { ...payout, orderId: "payout_1", customMetadata: { seller: 9 } };
    expect(await withdrawals.create(input)).toMatchObject({
      ...payout,
      status: "pending",
      currency: "USD",
      orderId: "payout_1",
      customMetadata: '{"seller":9}',
      errorMessage: null,
      receipt: null,
    });
  });

  test("sends an idempotency key even if the service may ignore it", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const { idempotencyKey } = await withdrawals.create(payout).withResponse();
    expect(sandbox.requests()[0]?.headers["idempotency-key"]).toBe(idempotencyKey);
  });

  test("is not retried after a 503 unless the service is known to honour keys", async () => {
    const unavailable = () => Promise.resolve(new Response("", { status: 503 }));
    const unknown = clientOf(createSandbox(), { fetch: unavailable });
    await expect(unknown.withdrawals.create(payout)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 1,
      idempotencyKey: expect.any(String),
      message: expect.stringContaining(
        "Do not repeat it. Wait two minutes, because a request can arrive late and lists lag, then call createOnce",
      ),
    });
    const wire = { withdrawalIdempotency: "honoured" } as const;
    const honoured = clientOf(createSandbox(), { fetch: unavailable, wire });
    await expect(honoured.withdrawals.create(payout)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 4,
      message: expect.stringContaining("within 24 hours"),
    });
  });

  test("sends chain ids in the format that the client is configured for", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox, { wire: { chainIdFormat: "caip2" } });
    expect((await withdrawals.create(payout)).chainId).toBe(84532);
    expect(JSON.parse(sandbox.requests()[0]?.body ?? "")).toMatchObject({
      chainId: "eip155:84532",
    });
  });

  const over = (length: number) => "x".repeat(length + 1);
  test.each<[string, object, string, string]>([
    ["no amount", { amountInCents: undefined }, "amountInCents", "invalid_amount"],
    ["an amount of 0", { amountInCents: 0 }, "amountInCents", "invalid_amount"],
    ["half a cent", { amountInCents: 100.5 }, "amountInCents", "invalid_amount"],
    [
      "an amount over the maximum",
      { amountInCents: 100_000_001 },
      "amountInCents",
      "invalid_amount",
    ],
    ["a chain id as text", { chainId: "8453" }, "chainId", "invalid_request"],
    ["a chain id of 0", { chainId: 0 }, "chainId", "invalid_request"],
    ["no recipient", { recipientAddress: undefined }, "recipientAddress", "invalid_address"],
    [
      "a name as recipient",
      { recipientAddress: "vitalik.eth" },
      "recipientAddress",
      "invalid_address",
    ],
    [
      "one wrong checksum letter",
      { recipientAddress: payout.recipientAddress.replace("5aA", "5AA") },
      "recipientAddress",
      "invalid_address",
    ],
    [
      "the zero address",
      { recipientAddress: `0x${"0".repeat(40)}` },
      "recipientAddress",
      "invalid_address",
    ],
    [
      "the native placeholder",
      { recipientAddress: `0x${"e".repeat(40)}` },
      "recipientAddress",
      "invalid_address",
    ],
    ["an over-long orderId", { orderId: over(255) }, "orderId", "invalid_request"],
    [
      "over-long metadata",
      { customMetadata: { a: over(2048) } },
      "customMetadata",
      "invalid_request",
    ],
    ["metadata that is a list", { customMetadata: ["a"] }, "customMetadata", "invalid_request"],
    ["another currency", { currency: "EUR" }, "currency", "invalid_request"],
  ])("refuses %s before sending", async (_, changes, param, code) => {
    const sandbox = createSandbox();
    const call = clientOf(sandbox).withdrawals.create({
      ...payout,
      ...changes,
    } as CreateWithdrawalInput);
    await expect(call).rejects.toMatchObject({
      name: "InvalidRequestError",
      param,
      code,
      outcome: "not_sent",
    });
    expect(sandbox.requests()).toEqual([]);
  });
});

describe("withdrawals", () => {
  test("can be read by id, with a receipt once they are completed", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const { id } = await withdrawals.create(payout);
    await sandbox.withdrawals.simulate(id, "complete");
    const done = await withdrawals.get(id);
    expect(done).toMatchObject({ status: "completed", receipt: { withdrawalId: id } });
  });

  test("are listed newest first, filtered by status", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const { id: first } = await withdrawals.create(payout);
    const { id: second } = await withdrawals.create(payout);
    await sandbox.withdrawals.simulate(first, "fail");
    expect((await withdrawals.list()).data.map(({ id }) => id)).toEqual([second, first]);
    const [failed] = (await withdrawals.list({ status: "failed" })).data;
    expect(failed).toMatchObject({ id: first, errorMessage: expect.any(String) });
  });

  test("can be waited for until they are final", async () => {
    const sandbox = createSandbox();
    const { withdrawals, time } = clientOf(sandbox);
    const { id } = await withdrawals.create(payout);
    const sleep = time.sleep;
    let waits = 0;
    Object.assign(time, {
      sleep: async (ms: number) => {
        await sleep(ms);
        if (++waits === 3) await sandbox.withdrawals.simulate(id, "complete");
      },
    });
    expect(await withdrawals.waitUntilFinal(id)).toMatchObject({ status: "completed" });
    expect(waits).toBe(3);
  });

  test("are given up at the deadline, with their last status", async () => {
    const { withdrawals, time } = clientOf(createSandbox());
    const { id } = await withdrawals.create(payout);
    await expect(withdrawals.waitUntilFinal(id, { deadlineMs: 60_000 })).rejects.toMatchObject({
      name: "TimeoutError",
      code: "deadline_exceeded",
      message: expect.stringContaining('"pending"'),
    });
    expect(time.current).toBeGreaterThanOrEqual(59_900);
    expect(time.current).toBeLessThan(90_000);
  });

  test("that do not exist cannot be waited for", async () => {
    const { withdrawals } = clientOf(createSandbox());
    await expect(withdrawals.waitUntilFinal("nothing")).rejects.toMatchObject({
      name: "NotFoundError",
    });
  });
});

test.each(["", ".", "..", "a\nb"])("the id %j is refused by get", async (id) => {
  const sandbox = createSandbox();
  await expect(clientOf(sandbox).withdrawals.get(id)).rejects.toMatchObject({
    param: "withdrawalId",
  });
  expect(sandbox.requests()).toEqual([]);
});
