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

/** Answers every creation with a 429, and the lookups after it with `answer`, if it gives a response. */
function limiting(sandbox: Sandbox, retryAfter: string, answer: () => Response | undefined) {
  let isLimited = false;
  return async (url: string, init: RequestInit) => {
    if (init.method === "POST") {
      isLimited = true;
      return limited(retryAfter);
    }
    return (isLimited && answer()) || sandbox.fetch(new Request(url, init));
  };
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
    const fetch = limiting(sandbox, "0", () => Response.json({ data: "none" }));
    const { withdrawals, events } = clientOf(sandbox, { fetch });
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
    const fetch = limiting(sandbox, "200", () => limited("200"));
    const { withdrawals } = clientOf(sandbox, { fetch });
    await expect(withdrawals.createOnce(payout)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      retryAfterMs: 200_000,
    });
  });

  test("reports an unknown outcome after a 429 when a list has too little time to show the withdrawal", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox, { fetch: limiting(sandbox, "1", () => undefined) });
    const call = withdrawals.createOnce(payout, { maxRetries: 0, deadlineMs: 3000 });
    await expect(call).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  });

  test("reports an unknown outcome when it is aborted during the lookup after a 429", async () => {
    const sandbox = createSandbox();
    const controller = new AbortController();
    const fetch = limiting(sandbox, "1", () => {
      controller.abort(new Error("shutdown"));
      return undefined;
    });
    const { withdrawals } = clientOf(sandbox, { fetch });
    const { signal } = controller;
    const error = await withdrawals.createOnce(payout, { maxRetries: 0, signal }).catch((e) => e);
    expect(error).toMatchObject({
      name: "AbortError",
      outcome: "unknown",
      operation: "withdrawals.createOnce",
      idempotencyKey: expect.any(String),
      cause: { message: "shutdown" },
    });
    expect(error.message).toContain("Wait two minutes");
  });

  test.each([
    ["before it sends again", {}],
    ["instead of sending again", { maxRetries: 0 }],
  ])("is a conflict if it finds another process's payout after a 429, %s", async (_, options) => {
    const sandbox = createSandbox();
    const other = clientOf(sandbox);
    const { withdrawals, calls } = clientOf(sandbox, {
      fetch: async (url, init) => {
        if (init.method !== "POST") return sandbox.fetch(new Request(url, init));
        await other.withdrawals.create({ ...payout, amountInCents: 500 });
        return limited();
      },
    });
    await expect(withdrawals.createOnce(payout, options)).rejects.toMatchObject({
      name: "IdempotencyConflictError",
      code: "idempotency_conflict",
      outcome: "unknown",
    });
    expect(await existing(sandbox)).toHaveLength(1);
    expect(calls("withdrawals.list")).toBe(2);
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
