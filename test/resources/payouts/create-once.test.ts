import { describe, expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, losing, payout } from "./payout.ts";

describe("createOnce", () => {
  test("makes the order's withdrawal when there is none", async () => {
    const sandbox = createSandbox();
    const withdrawal = await clientOf(sandbox).withdrawals.createOnce(payout);
    expect(withdrawal).toMatchObject({ ...payout, status: "pending" });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("returns the one that exists, from any process, and sends nothing", async () => {
    const sandbox = createSandbox();
    const first = await clientOf(sandbox).withdrawals.createOnce(payout);
    const { withdrawals, calls } = clientOf(sandbox);
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id: first.id });
    expect(calls("withdrawals.create")).toBe(0);
  });

  test("compares by meaning: address case, chain id form, defaults and parsed metadata", async () => {
    const sandbox = createSandbox();
    const first = await clientOf(sandbox).withdrawals.createOnce({
      ...payout,
      customMetadata: { a: 1, b: [2] },
    });
    const again = clientOf(sandbox, { wire: { chainIdFormat: "caip2" } }).withdrawals.createOnce({
      ...payout,
      recipientAddress: payout.recipientAddress.toLowerCase(),
      customMetadata: '{ "b": [2], "a": 1 }',
      currency: "USD",
    });
    expect(await again).toMatchObject({ id: first.id });
  });

  test.each([
    [{ amountInCents: 12_600 }, "amountInCents"],
    [{ chainId: 11_155_111 }, "chainId"],
    [{ recipientAddress: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" }, "recipientAddress"],
    [{ customMetadata: { a: 1 } }, "customMetadata"],
  ])("is a conflict when the existing one differs: %o", async (changes, field) => {
    const sandbox = createSandbox();
    const { id } = await clientOf(sandbox).withdrawals.createOnce(payout);
    const call = clientOf(sandbox).withdrawals.createOnce({ ...payout, ...changes });
    const error = await call.catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "IdempotencyConflictError", outcome: "not_sent" });
    expect(error.message).toContain(field);
    expect(error.message).toContain(id);
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("rejects when the order has several withdrawals, and names them", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const first = await withdrawals.create(payout);
    const second = await withdrawals.create(payout);
    const error = await withdrawals.createOnce(payout).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "IdempotencyConflictError", code: "several_withdrawals" });
    expect(error.message).toContain(first.id);
    expect(error.message).toContain(second.id);
    expect(await existing(sandbox)).toHaveLength(2);
  });

  test.each(["fail", "cancel"] as const)("returns one that ended by %s unchanged", async (end) => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const { id } = await withdrawals.createOnce(payout);
    await sandbox.withdrawals.simulate(id, end);
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("derives its key from base URL, namespace and order, not from the parameters or the secret", async () => {
    const key = async (options: object, changes: object = {}) => {
      const { withdrawals } = clientOf(createSandbox(), options);
      const call = withdrawals.createOnce({ ...payout, ...changes });
      return (await call.withResponse()).idempotencyKey;
    };
    const usual = await key({});
    expect(await key({}, { amountInCents: 1000 })).toBe(usual);
    expect(await key({}, { orderId: "payout_2" })).not.toBe(usual);
    expect(await key({ idempotencyNamespace: "books" })).not.toBe(usual);
    expect(await key({ baseUrl: "https://sandbox.example" })).not.toBe(usual);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["a 500", () => new Response("", { status: 500 })],
    ["a reset", () => Promise.reject(new TypeError("fetch failed"))],
    ["an unreadable success", () => new Response("<html>", { status: 200 })],
    ["a success without id", () => Response.json({ status: "pending" }, { status: 201 })],
    ["a 409", () => new Response("", { status: 409 })],
  ])("finds the withdrawal it made when the response was %s", async (_, lost) => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox, { fetch: losing(sandbox, lost) });
    const withdrawal = await withdrawals.createOnce(payout);
    expect(await existing(sandbox)).toMatchObject([{ id: withdrawal.id }]);
    expect(calls("withdrawals.create")).toBe(1);
  });

  test("looks up the order with backoff until the deadline, sends no second request and says what to check", async () => {
    const sandbox = createSandbox();
    let sent = 0;
    const { withdrawals, time } = clientOf(sandbox, {
      fetch: (url, init) => {
        const request = new Request(url, init);
        if (request.method !== "POST") return sandbox.fetch(request);
        sent += 1;
        return Promise.reject(new TypeError("fetch failed"));
      },
    });
    const error = await withdrawals.createOnce(payout).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown", attempts: 1 });
    expect(error.message).toContain("the last one ended in ConnectionError connection_failed.");
    expect(error.message).toContain("It did not appear in the list before the deadline.");
    expect(error.cause).toMatchObject({ name: "ConnectionError" });
    expect(error.message).toContain("withdrawals.findByOrderId");
    expect(error.idempotencyKey).toEqual(expect.any(String));
    expect(sent).toBe(1);
    expect(time.current).toBeGreaterThanOrEqual(89_900);
    expect(time.current).toBeLessThanOrEqual(90_000);
    expect(time.waits.slice(0, 3)).toEqual([500, 750, 1125]);
  });

  test("sends nothing when the lookup before it fails", async () => {
    const { withdrawals } = clientOf(createSandbox(), {
      fetch: () => Promise.resolve(new Response("", { status: 500 })),
    });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({
      name: "ServerError",
      outcome: "not_sent",
    });
  });

  test("rejects when the service rejects the withdrawal", async () => {
    const sandbox = createSandbox();
    const call = clientOf(sandbox).withdrawals.createOnce({ ...payout, amountInCents: 99 });
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", outcome: "rejected" });
  });

  test("requires an orderId", async () => {
    const { orderId, ...rest } = payout;
    const call = clientOf(createSandbox()).withdrawals.createOnce(rest as typeof payout);
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", param: "orderId" });
    expect(orderId).toBeDefined();
  });
});
