import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, losing, payout } from "./payout.ts";

// The invariant of this file: createOnce sends a creation only right after a lookup that found none, whatever this
// process, a proxy or a lagging list did before.

const limited = (retryAfter = "1") =>
  Response.json(
    { code: "rate_limited", message: "Slow down" },
    {
      status: 429,
      headers: { "retry-after": retryAfter },
    },
  );

/** A proxy that sends the first creation twice. The client gets the response to the second copy. */
function repeating(sandbox: Sandbox, secondAnswer: () => Response) {
  let repeated = false;
  return losing(sandbox, (_, answer) => {
    if (repeated) return answer;
    repeated = true;
    return secondAnswer();
  });
}

describe("createOnce behind a proxy that repeats requests", () => {
  test("looks up the order before it sends again after a 429", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox, { fetch: repeating(sandbox, limited) });
    const { id } = await withdrawals.createOnce(payout);
    expect(await existing(sandbox)).toMatchObject([{ id }]);
    expect(calls("withdrawals.list")).toBe(2);
  });

  test("reports a call that ends with the withdrawal found as a success", async () => {
    const sandbox = createSandbox();
    const { withdrawals, events } = clientOf(sandbox, { fetch: repeating(sandbox, limited) });
    const { attempts, idempotencyKey } = await withdrawals.createOnce(payout).withResponse();
    expect(attempts).toBe(1);
    expect(idempotencyKey).toBeDefined();
    const creation = events.filter(({ operation }) => operation === "withdrawals.create");
    expect(creation.map(({ type }) => type)).toEqual(["start", "attempt", "retry", "end"]);
    expect(creation.at(-1)).toMatchObject({ ok: true, attempts: 1, status: 200 });
  });

  test("counts the requests of a call whose lookup fails", async () => {
    const sandbox = createSandbox();
    let sent = 0;
    const { withdrawals, events } = clientOf(sandbox, {
      fetch: async (url, init) => {
        if (init.method === "POST" && ++sent > 0) return limited("0");
        if (sent > 0) return Response.json({ data: "none" });
        return sandbox.fetch(new Request(url, init));
      },
    });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({ outcome: "unknown" });
    const ends = events.filter((event) => event.type === "end");
    expect(ends.find(({ operation }) => operation === "withdrawals.create")).toMatchObject({
      ok: false,
      attempts: 1,
      error: "UnexpectedResponseError",
    });
  });

  test("gives a lagging list two seconds before it looks up the order", async () => {
    const sandbox = createSandbox();
    let sentAt = 0;
    const proxy = repeating(sandbox, () => {
      sentAt = client.time.current;
      return limited("0");
    });
    const client = clientOf(sandbox, {
      fetch: async (url, init) => {
        const isLagging = init.method === "GET" && client.time.current < sentAt + 1900;
        if (!isLagging) return proxy(url, init);
        return Response.json({ data: [], pagination: { total: 0, offset: 0, hasMore: false } });
      },
    });
    const { id } = await client.withdrawals.createOnce(payout);
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test.each([
    ["no retry is allowed", { maxRetries: 0 }, "1"],
    ["Retry-After is longer than the time left", { deadlineMs: 10_000 }, "200"],
  ])("does not report the withdrawal as rejected when %s", async (_, options, retryAfter) => {
    const sandbox = createSandbox();
    const fetch = repeating(sandbox, () => limited(retryAfter));
    const { id } = await clientOf(sandbox, { fetch }).withdrawals.createOnce(payout, options);
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("reports an unknown outcome after a 429 when no list can be read to prove the rejection", async () => {
    const sandbox = createSandbox();
    let sent = 0;
    const { withdrawals } = clientOf(sandbox, {
      fetch: async (url, init) => {
        if (init.method === "POST") sent += 1;
        if (sent > 0) return limited("200");
        return sandbox.fetch(new Request(url, init));
      },
    });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      retryAfterMs: 200_000,
    });
  });

  test("is rejected after a 429 when the list shows none", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox, {
      fetch: async (url, init) =>
        init.method === "POST" ? limited("200") : sandbox.fetch(new Request(url, init)),
    });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({
      name: "RateLimitError",
      outcome: "rejected",
    });
    expect(calls("withdrawals.list")).toBe(2);
  });
});

test("createOnce looks up the order again if its request had to wait for more than a second", async () => {
  const sandbox = createSandbox();
  const other = clientOf(sandbox);
  let made: { id: string } | undefined;
  const client = clientOf(sandbox, {
    fetch: async (url, init) => {
      if (url.includes("/payments")) return limited("3");
      const answer = await sandbox.fetch(new Request(url, init));
      if (made !== undefined) return answer;
      // After the first lookup, another process makes the withdrawal, and a 429 makes this client wait.
      made = await other.withdrawals.create(payout);
      await client.payments.get("1", { maxRetries: 0 }).catch(() => {});
      return answer;
    },
  });
  const found = await client.withdrawals.createOnce(payout);
  expect(client.time.waits).toContain(3000);
  expect(found).toMatchObject({ id: made?.id });
  expect(await existing(sandbox)).toHaveLength(1);
});

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
    const aborted = await once(controller.signal);
    expect(aborted).toMatchObject({ name: "AbortError", outcome: "unknown" });
  });

  test("keeps nothing of a request that the service rejected", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const tooSmall = withdrawals.createOnce({ ...payout, amountInCents: 99 });
    await expect(tooSmall).rejects.toMatchObject({ outcome: "rejected" });
    expect(await withdrawals.createOnce(payout)).toMatchObject({ status: "pending" });
  });
});

test("the dashboard's createOnce makes one withdrawal, after a lookup, with the bearer token", async () => {
  const sandbox = createSandbox();
  const credentials = new Set<string | null>();
  const { dashboard, calls } = clientOf(sandbox, {
    fetch: (url, init) => {
      credentials.add(new Headers(init?.headers).get("authorization"));
      return sandbox.fetch(url, init);
    },
  });
  const once = () => dashboard(sandbox).withdrawals.createOnce(payout);
  const [first, second] = await Promise.all([once(), once()]);
  expect(second.id).toBe(first.id);
  expect(await once()).toMatchObject({ id: first.id });
  expect(await existing(sandbox)).toHaveLength(1);
  expect(calls("dashboard.withdrawals.create")).toBe(1);
  expect(calls("dashboard.withdrawals.list")).toBe(1);
  expect([...credentials]).toEqual([`Bearer ${sandbox.accessToken}`]);
});
