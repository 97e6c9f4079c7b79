import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, payout } from "./payout.ts";

describe("createOnce in doubt", () => {
  /** A client of a sandbox that loses its first response to a creation, and then responds to lists like this. */
  function doubtful(sandbox: Sandbox, list: (request: Request) => Response | Promise<Response>) {
    let sent = 0;
    const fetch = async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      if (request.method === "GET") return sent === 0 ? sandbox.fetch(request) : list(request);
      sent += 1;
      await sandbox.fetch(request);
      return new Response("", { status: 500 });
    };
    return clientOf(sandbox, { fetch, wire: { withdrawalIdempotency: "honoured" } });
  }

  test.each([
    ["that is not JSON", () => new Response("<html>Busy</html>")],
    ["that is refused", () => new Response("", { status: 403 })],
  ])("keeps looking until the deadline after a list %s", async (_, list) => {
    const sandbox = createSandbox();
    const { withdrawals, calls, time } = doubtful(sandbox, list);
    const error = await withdrawals.createOnce(payout, { deadlineMs: 20_000 }).catch((e) => e);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    expect(error.message).toContain("The list could not be read");
    expect(calls("withdrawals.create")).toBe(1);
    expect(time.current).toBeGreaterThan(19_000);
    expect(time.current).toBeLessThanOrEqual(20_000);
  });

  test("takes a withdrawal for its own although the service leaves out its metadata", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = doubtful(sandbox, async (request) => {
      const page = await (await sandbox.fetch(request)).json();
      const data = page.data.map((item: object) => ({ ...item, customMetadata: null }));
      return Response.json({ ...page, data });
    });
    const { id } = await withdrawals.createOnce({ ...payout, customMetadata: { a: 1 } });
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("finds a withdrawal that appears just before the deadline", async () => {
    const sandbox = createSandbox();
    const empty = { data: [], pagination: { total: 0, limit: 1000, offset: 0, hasMore: false } };
    const { withdrawals, time } = doubtful(sandbox, (request) =>
      time.current < 19_600 ? Response.json(empty) : sandbox.fetch(request),
    );
    const { id } = await withdrawals.createOnce(payout, { deadlineMs: 20_000 });
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("does not claim that nothing was sent when it finds several withdrawals", async () => {
    const sandbox = createSandbox();
    const two = { ...payout, id: "1", status: "pending", currency: "USD" };
    const page = { data: [two, { ...two, id: "2" }], pagination: { total: 2, hasMore: false } };
    const { withdrawals } = doubtful(sandbox, () => Response.json(page));
    const error = await withdrawals.createOnce(payout).catch((e) => e);
    expect(error).toMatchObject({ code: "several_withdrawals", outcome: "unknown" });
    expect(error.message).not.toContain("Nothing was sent");
  });

  test("reports an abort with the idempotency key and what to check", async () => {
    const sandbox = createSandbox();
    const controller = new AbortController();
    const { withdrawals } = doubtful(sandbox, () => {
      controller.abort();
      return Response.json({ data: [], pagination: { total: 0, hasMore: false } });
    });
    const error = await withdrawals
      .createOnce(payout, { signal: controller.signal })
      .catch((e) => e);
    expect(error).toMatchObject({ name: "AbortError", outcome: "unknown" });
    expect(error.idempotencyKey).toEqual(expect.any(String));
    expect(error.message).toContain("withdrawals.findByOrderId");
  });

  test("says that nothing was sent when it is aborted during the first lookup", async () => {
    const sandbox = createSandbox();
    const controller = new AbortController();
    const fetch = async (url: string, init: RequestInit) => {
      controller.abort(new Error("shutdown"));
      return sandbox.fetch(new Request(url, init));
    };
    const { withdrawals } = clientOf(sandbox, { fetch });
    const call = withdrawals.createOnce(payout, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({
      name: "AbortError",
      message: "withdrawals.createOnce was aborted. Nothing was sent.",
      outcome: "not_sent",
      operation: "withdrawals.createOnce",
      cause: { message: "shutdown" },
    });
    expect(await existing(sandbox)).toEqual([]);
  });

  test("sends nothing when the lookup took the whole deadline", async () => {
    const sandbox = createSandbox();
    const { withdrawals, time, calls } = clientOf(sandbox, {
      fetch: async (url, init) => {
        await time.sleep(950);
        return sandbox.fetch(new Request(url, init));
      },
    });
    await expect(withdrawals.createOnce(payout, { deadlineMs: 1000 })).rejects.toMatchObject({
      name: "TimeoutError",
      outcome: "not_sent",
    });
    expect(calls("withdrawals.create")).toBe(0);
  });

  test("sends nothing when a second lookup took the rest of the deadline", async () => {
    const sandbox = createSandbox();
    let lookups = 0;
    const client = clientOf(sandbox, {
      fetch: async (url, init) => {
        if (url.includes("/payments")) {
          return Response.json({}, { status: 429, headers: { "retry-after": "3" } });
        }
        const answer = await sandbox.fetch(new Request(url, init));
        // After the first lookup, a 429 makes this client wait.
        if (++lookups === 1) await client.payments.get("1", { maxRetries: 0 }).catch(() => {});
        else await client.time.sleep(1950);
        return answer;
      },
    });
    const { withdrawals, calls } = client;
    await expect(withdrawals.createOnce(payout, { deadlineMs: 5000 })).rejects.toMatchObject({
      name: "TimeoutError",
      operation: "withdrawals.createOnce",
      outcome: "not_sent",
    });
    expect(calls("withdrawals.list")).toBe(2);
    expect(await existing(sandbox)).toEqual([]);
  });

  test("does not look up anything when it is already aborted", async () => {
    const { withdrawals, events } = clientOf(createSandbox());
    const call = withdrawals.createOnce(payout, { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: "AbortError", outcome: "not_sent" });
    expect(events).toEqual([]);
  });
});
