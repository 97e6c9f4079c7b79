import { describe, expect, test, vi } from "vitest";
import { type ClientOptions, MerchantClient } from "../../../src/index.ts";
import { version } from "../../../src/runtime.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { existing, payout } from "./payout.ts";

describe("calls for one order in one process", () => {
  test("share one request", async () => {
    const sandbox = createSandbox();
    const { withdrawals, calls } = clientOf(sandbox);
    const made = await Promise.all(
      Array.from({ length: 20 }, () => withdrawals.createOnce(payout)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(calls("withdrawals.create")).toBe(1);
    expect(calls("withdrawals.list")).toBe(1);
  });

  test("share one request across clients of one merchant, but not with another merchant's", async () => {
    const sandbox = createSandbox();
    const other = createSandbox();
    const [a, b, c] = await Promise.all([
      clientOf(sandbox).withdrawals.createOnce(payout),
      clientOf(sandbox).withdrawals.createOnce(payout),
      clientOf(other).withdrawals.createOnce(payout),
    ]);
    expect(b.id).toBe(a.id);
    expect(c.id).not.toBe(a.id);
    expect(await existing(sandbox)).toHaveLength(1);
    expect(await existing(other)).toHaveLength(1);
  });

  test("are not cancelled when one of them is aborted", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const controller = new AbortController();
    const leaving = withdrawals.createOnce(payout, { signal: controller.signal });
    const staying = withdrawals.createOnce(payout);
    controller.abort();
    await expect(leaving).rejects.toMatchObject({ name: "AbortError" });
    const { id } = await staying;
    expect(await existing(sandbox)).toMatchObject([{ id }]);
  });

  test("go on for the others when a caller's signal was aborted before", async () => {
    const sandbox = createSandbox();
    const { withdrawals } = clientOf(sandbox);
    const staying = withdrawals.createOnce(payout);
    const gone = withdrawals.createOnce(payout, { signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ name: "AbortError", outcome: "unknown" });
    expect(await staying).toMatchObject({ status: "pending" });
  });

  describe("with other parameters", () => {
    const other = { ...payout, amountInCents: 500 };

    test("conflict with the first one's withdrawal", async () => {
      const sandbox = createSandbox();
      const fetch = (url: string, init: RequestInit) => sandbox.fetch(new Request(url, init));
      const options = { secretKey: sandbox.secretKey, environment: "sandbox", fetch } as const;
      const { withdrawals } = new MerchantClient(options);
      const calls = [withdrawals.createOnce(payout), withdrawals.createOnce(other)];
      const [first, second] = await Promise.allSettled(calls);
      expect(first).toMatchObject({ status: "fulfilled" });
      expect(second).toMatchObject({ reason: { name: "IdempotencyConflictError" } });
      expect(await existing(sandbox)).toHaveLength(1);
    });

    test("wait for the first one until their own deadline or abort", async () => {
      const fetch = () => new Promise<Response>(() => {});
      const { withdrawals } = new MerchantClient({
        // Its own: what other files of this process left unanswered for this order would count.
        secretKey: "sk_test_waiting_calls",
        environment: "sandbox",
        fetch,
      });
      const [firstAbort, secondAbort] = [new AbortController(), new AbortController()];
      const first = withdrawals.createOnce(payout, { signal: firstAbort.signal });
      await expect(withdrawals.createOnce(other, { deadlineMs: 20 })).rejects.toMatchObject({
        name: "TimeoutError",
        operation: "withdrawals.createOnce",
        outcome: "not_sent",
        message: expect.stringContaining("waiting for another call with the same orderId"),
      });
      const second = withdrawals.createOnce(other, { signal: secondAbort.signal });
      // Now it is waiting.
      await new Promise((resolve) => setImmediate(resolve));
      secondAbort.abort();
      firstAbort.abort();
      for (const call of [first, second]) {
        await expect(call).rejects.toMatchObject({ name: "AbortError", outcome: "not_sent" });
      }
    });
  });
});

/** A client with modules of its own, as some bundlers give each route. */
async function copyOf(sandbox: Sandbox) {
  vi.resetModules();
  const modules = await import("../sandbox-client.ts");
  return modules.clientOf(sandbox);
}

describe("copies of settlekit in one process", () => {
  test("share one request", async () => {
    const sandbox = createSandbox();
    const [one, two] = [await copyOf(sandbox), await copyOf(sandbox)];
    const made = await Promise.all([one, two].map((it) => it.withdrawals.createOnce(payout)));
    expect(made[1]?.id).toBe(made[0]?.id);
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("share their state whatever their versions", async () => {
    await clientOf(createSandbox()).withdrawals.createOnce(payout);
    const shared = Object.getOwnPropertySymbols(globalThis).map(String);
    expect(shared).toEqual(expect.arrayContaining(["Symbol(settlekit.flights.1)"]));
    expect(shared.filter((name) => name.includes(version))).toEqual([]);
  });

  test("remember what another one created with a key that has since been rotated", async () => {
    const sandbox = createSandbox();
    let rotations = 0;
    const options: ClientOptions = {
      environment: "sandbox",
      secretKey: () => `${sandbox.secretKey}_${++rotations}`,
      fetch: async (url, init) => {
        // The list lags.
        if (url.includes("limit=")) {
          return Response.json({ data: [], pagination: { total: 0, hasMore: false } });
        }
        const headers = { ...init.headers, "x-service-secret-key": sandbox.secretKey };
        return sandbox.fetch(new Request(url, { ...init, headers }));
      },
    };
    const made: string[] = [];
    for (const _ of ["one", "two"]) {
      vi.resetModules();
      const copy = await import("../../../src/index.ts");
      const client = new copy.MerchantClient(options);
      made.push((await client.withdrawals.createOnce(payout)).id);
    }
    expect(made[1]).toBe(made[0]);
    expect(await existing(sandbox)).toHaveLength(1);
  });
});

/** A client of another process, which shares nothing with this one. */
async function processOf(sandbox: Sandbox) {
  const values = new Map<string, object>();
  vi.doMock("../../../src/runtime.ts", async (original) => ({
    ...(await original<object>()),
    processWide(name: string, create: () => object) {
      const value = values.get(name) ?? create();
      values.set(name, value);
      return value;
    },
  }));
  const client = await copyOf(sandbox);
  vi.doUnmock("../../../src/runtime.ts");
  // Other files in this worker must not get these modules.
  vi.resetModules();
  return client;
}

describe("two processes at the same moment", () => {
  test.each(["honoured", "conflict"] as const)(
    "make one withdrawal if the service's idempotency mode is %s",
    async (mode) => {
      const sandbox = createSandbox();
      sandbox.withdrawalIdempotency = mode;
      const [a, b] = await Promise.all([
        clientOf(sandbox).withdrawals.createOnce(payout),
        clientOf(sandbox).withdrawals.createOnce(payout),
      ]);
      expect(b.id).toBe(a.id);
      expect(await existing(sandbox)).toHaveLength(1);
    },
  );

  test("with different amounts end in one withdrawal and one conflict if keys are honoured", async () => {
    const sandbox = createSandbox();
    sandbox.withdrawalIdempotency = "honoured";
    const [one, two] = [await processOf(sandbox), await processOf(sandbox)];
    const results = await Promise.allSettled([
      one.withdrawals.createOnce(payout),
      two.withdrawals.createOnce({ ...payout, amountInCents: 500 }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const rejected = results.find(({ status }) => status === "rejected");
    expect(rejected).toMatchObject({ reason: { name: "IdempotencyConflictError" } });
    expect(await existing(sandbox)).toHaveLength(1);
  });

  test("can make two withdrawals if keys are ignored: the race that the guide names", async () => {
    const sandbox = createSandbox();
    const [one, two] = [await processOf(sandbox), await processOf(sandbox)];
    await Promise.all([one.withdrawals.createOnce(payout), two.withdrawals.createOnce(payout)]);
    expect(await existing(sandbox)).toHaveLength(2);
  });
});
