import { describe, expect, test, vi } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, payout } from "./payout.ts";

describe("the memory of createOnce", () => {
  /** A list that never shows anything. */
  const lagging = (sandbox: Sandbox) => async (url: string, init: RequestInit) => {
    const isList = init.method === "GET" && url.includes("limit=");
    if (!isList) return sandbox.fetch(new Request(url, init));
    return Response.json({ data: [], pagination: { total: 0, offset: 0, hasMore: false } });
  };

  test("keeps a withdrawal for ten minutes and reads it instead of the list", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls, time } = clientOf(sandbox, { fetch: lagging(sandbox) });
    const { id } = await withdrawals.createOnce(payout);
    time.current += 599_000;
    await sandbox.withdrawals.simulate(id, "complete");
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id, status: "completed" });
    expect(calls("withdrawals.create")).toBe(1);
  });

  test("keeps a withdrawal of another process that a lookup found, too", async () => {
    const sandbox = createSandbox();
    const { id } = await clientOf(sandbox).withdrawals.create(payout);
    let isLagging = false;
    const { withdrawals, calls } = clientOf(sandbox, {
      fetch: (url, init) =>
        isLagging ? lagging(sandbox)(url, init) : sandbox.fetch(new Request(url, init)),
    });
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    isLagging = true;
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(calls("withdrawals.create")).toBe(0);
  });

  test("lasts no longer: then the order is looked up again", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls, time } = clientOf(sandbox);
    const { id } = await withdrawals.createOnce(payout);
    time.current += 600_000;
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id });
    expect(calls("withdrawals.get")).toBe(0);
    expect(calls("withdrawals.list")).toBe(2);
  });

  test("detects a conflict with a request for another amount", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox, { fetch: lagging(sandbox) });
    await withdrawals.createOnce(payout);
    const call = withdrawals.createOnce({ ...payout, amountInCents: 1 });
    await expect(call).rejects.toMatchObject({ code: "idempotency_conflict", outcome: "not_sent" });
  });

  test("keeps a request whose outcome is unknown, and allows no other one for two minutes", async () => {
    const sandbox = createSandbox();
    let sent = 0;
    const { withdrawals, time } = clientOf(sandbox, {
      timeoutMs: 5000,
      fetch: async (url, init) => {
        if (init.method !== "POST") return lagging(sandbox)(url, init);
        sent += 1;
        // Arrives late.
        if (sent === 1) throw new TypeError("fetch failed");
        return sandbox.fetch(new Request(url, init));
      },
    });
    const options = { deadlineMs: 5000 };
    const first = await withdrawals.createOnce(payout, options).catch((error) => error);
    expect(first).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect(first.message).toContain("Wait two minutes");
    const second = await withdrawals.createOnce(payout, options).catch((error) => error);
    expect(second).toMatchObject({ name: "OutcomeUnknownError", attempts: 0 });
    expect(sent).toBe(1);
    time.current = 100_000;
    await expect(withdrawals.createOnce(payout, options)).rejects.toThrow("Wait two minutes");
    expect(sent).toBe(1);
    time.current = 125_000;
    await withdrawals.createOnce(payout, options);
    expect(sent).toBe(2);
  });

  describe("of an unanswered request has the next call look up the order until it can no longer arrive", () => {
    /** A call whose request was lost, and then one with more time. */
    async function lostThenAgain(answersTo = Number.POSITIVE_INFINITY) {
      const sandbox = createSandbox();
      const sentAt: number[] = [];
      const { withdrawals, time } = clientOf(sandbox, {
        fetch: async (url, init) => {
          if (time.current > answersTo) return new Response("", { status: 503 });
          const isLost = init.method === "POST" && sentAt.push(time.current) === 1;
          if (isLost) throw new TypeError("fetch failed");
          return sandbox.fetch(new Request(url, init));
        },
      });
      const first = withdrawals.createOnce(payout, { deadlineMs: 5_000 });
      await expect(first).rejects.toMatchObject({ outcome: "unknown" });
      const second = withdrawals.createOnce(payout, { deadlineMs: 300_000 });
      return { sandbox, sentAt, second };
    }

    test("and then send another", async () => {
      const { sandbox, sentAt, second } = await lostThenAgain();
      const { id } = await second;
      expect(await existing(sandbox)).toMatchObject([{ id }]);
      expect(sentAt[1]).toBeCloseTo(120_000, -3);
    });

    test("and send none if the list cannot be read then", async () => {
      const { sentAt, second } = await lostThenAgain(60_000);
      await expect(second).rejects.toMatchObject({
        name: "OutcomeUnknownError",
        outcome: "unknown",
        cause: { name: "ServerError" },
      });
      expect(sentAt).toHaveLength(1);
    });
  });

  test("drops a withdrawal that a sandbox has rolled back", async () => {
    const sandbox = createSandbox();
    const { withdrawals, time } = clientOf(sandbox);
    const fresh = sandbox.snapshot();
    const { id } = await withdrawals.createOnce(payout);
    sandbox.restore(fresh);
    expect(await withdrawals.createOnce(payout)).toMatchObject({ id, status: "pending" });
    expect(await existing(sandbox)).toHaveLength(1);
    sandbox.restore(fresh);
    const other = await withdrawals.createOnce({ ...payout, orderId: "payout_2" });
    const again = await withdrawals.createOnce(payout);
    expect(again.orderId).toBe(payout.orderId);
    expect(other.id).toBe(id);
    expect(time.waits).toEqual([]);
  });

  test("outside a sandbox keeps a withdrawal even while it cannot be read", async () => {
    const sandbox = createSandbox();
    let isHidden = false;
    const { withdrawals, calls } = clientOf(sandbox, {
      environment: "testnet",
      baseUrl: "https://testnet.example",
      fetch: (url, init) => {
        const isRead = init.method === "GET" && !url.includes("limit=");
        if (!isRead || !isHidden) return lagging(sandbox)(url, init);
        const body = { code: "not_found", message: "No such withdrawal" };
        return Promise.resolve(Response.json(body, { status: 404 }));
      },
    });
    const { id } = await withdrawals.createOnce(payout);
    isHidden = true;
    const error = await withdrawals.createOnce(payout).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", cause: { name: "NotFoundError" } });
    expect(error.message).toContain(`an earlier call returned the withdrawal ${id}`);
    expect(calls("withdrawals.create")).toBe(1);
  });

  test.each([
    ["returned a withdrawal", 201, "an earlier call returned the withdrawal"],
    ["sent a request", 500, "an earlier call sent a request that may still take effect"],
  ])("does not claim that nothing was sent when an earlier call %s", async (_, status, fact) => {
    const sandbox = createSandbox();
    let isDown = false;
    let whenDown = () => {};
    const { withdrawals } = clientOf(sandbox, {
      fetch: async (url, init) => {
        if (isDown) whenDown();
        if (isDown) return new Response("", { status: 503 });
        const answer = await sandbox.fetch(new Request(url, init));
        isDown = init.method === "POST";
        return isDown && status === 500 ? new Response("", { status }) : answer;
      },
    });
    const once = (signal?: AbortSignal) =>
      withdrawals.createOnce(payout, { deadlineMs: 5000, signal }).catch((error) => error);
    await once();
    const error = await once();
    expect(error).toMatchObject({ name: "OutcomeUnknownError", attempts: 0 });
    expect(error).toMatchObject({ outcome: "unknown", cause: { name: "ServerError" } });
    expect(error.message).toContain(fact);
    const controller = new AbortController();
    whenDown = () => controller.abort();
    for (const signal of [controller.signal, AbortSignal.abort()]) {
      const aborted = await once(signal);
      expect(aborted).toMatchObject({ name: "AbortError", outcome: "unknown" });
    }
  });

  test("keeps nothing of a request that could not leave", async () => {
    const sandbox = createSandbox();
    let isDown = true;
    const refused = Object.assign(new Error("refused"), {
      code: "ECONNREFUSED",
      syscall: "connect",
    });
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      if (init.method === "POST" && isDown) throw new TypeError("fetch failed", { cause: refused });
      return sandbox.fetch(new Request(url, init));
    });
    const { withdrawals, time } = clientOf(sandbox, { fetch: undefined });
    await expect(withdrawals.createOnce(payout, { maxRetries: 0 })).rejects.toMatchObject({
      name: "ConnectionError",
      outcome: "not_sent",
    });
    isDown = false;
    expect(await withdrawals.createOnce(payout)).toMatchObject({ status: "pending" });
    expect(time.waits).toEqual([]);
  });

  test("keeps nothing of a request that the service rejected", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const tooSmall = withdrawals.createOnce({ ...payout, amountInCents: 99 });
    await expect(tooSmall).rejects.toMatchObject({ outcome: "rejected" });
    expect(await withdrawals.createOnce(payout)).toMatchObject({ status: "pending" });
  });
});
