import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../../src/index.ts";
import { poll } from "../../src/resources/waiting.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { FakeTime } from "../http/fake-time.ts";
import { clientOf } from "./sandbox-client.ts";

const pending = { id: "p1", status: "pending" };

function clientWith(answer: (read: number) => Response, options: ClientOptions = {}) {
  let reads = 0;
  return clientOf(createSandbox(), { fetch: async () => answer(++reads), ...options });
}

test("every read of a wait has the wait's headers and timeoutMs", async () => {
  const sent: unknown[] = [];
  const { payments } = clientOf(createSandbox(), {
    fetch: async (_, init) => {
      sent.push(init.headers["x-trace"]);
      return Response.json({ id: "p1", status: sent.length < 3 ? "pending" : "completed" });
    },
  });
  await payments.waitUntilFinal("p1", { headers: { "X-Trace": "t1" }, timeoutMs: 1000 });
  expect(sent).toEqual(["t1", "t1", "t1"]);
  const refused = payments.waitUntilFinal("p1", { timeoutMs: 0 });
  await expect(refused).rejects.toMatchObject({ param: "timeoutMs" });
});

test("a wait that succeeds counts its reads, as the error of one that fails does", async () => {
  const { payments } = clientWith((read) =>
    Response.json({ id: "p1", status: read < 3 ? "pending" : "completed" }),
  );
  const { attempts } = await payments.waitUntilFinal("p1").withResponse();
  expect(attempts).toBe(3);
});

describe("the error that ends a wait", () => {
  test("names the wait, its reads and the last status at the deadline", async () => {
    const { payments } = clientWith(() => Response.json(pending));
    const error = await payments.waitUntilFinal("p1", { deadlineMs: 5000 }).catch((e) => e);
    expect(error).toMatchObject({
      name: "TimeoutError",
      operation: "payments.waitUntilFinal",
      outcome: "unknown",
      lastStatus: "pending",
    });
    expect(error.attempts).toBeGreaterThan(2);
    expect(error.message).toContain('The last status read is "pending".');
    expect(error.toJSON()).toMatchObject({ lastStatus: "pending" });
  });

  test.each([
    ["during a read", 2],
    ["before the first read", 0],
  ])("names the wait and the last status if it is aborted %s", async (_, after) => {
    const controller = new AbortController();
    if (after === 0) controller.abort("enough");
    const { withdrawals } = clientWith((read) => {
      if (read === after) controller.abort("enough");
      return Response.json(pending);
    });
    const { signal } = controller;
    const error = await withdrawals.waitUntilFinal("p1", { signal }).catch((e) => e);
    expect(error).toMatchObject({
      name: "AbortError",
      operation: "withdrawals.waitUntilFinal",
      outcome: "unknown",
      cause: "enough",
    });
    expect(error.lastStatus).toBe(after === 0 ? undefined : "pending");
  });

  test("names the wait, its reads and the last status if a read is rejected", async () => {
    const { payments } = clientWith((read) =>
      read === 1
        ? Response.json(pending)
        : Response.json({ code: "unauthorized", message: "Who?" }, { status: 401 }),
    );
    await expect(payments.waitUntilFinal("p1")).rejects.toMatchObject({
      name: "AuthenticationError",
      operation: "payments.waitUntilFinal",
      attempts: 2,
      lastStatus: "pending",
      outcome: "rejected",
    });
  });

  test("is not caused by a status that is not text", async () => {
    const { payments } = clientWith((read) =>
      Response.json({ ...pending, status: [7, null, "completed"][read - 1] ?? "completed" }),
    );
    expect(await payments.waitUntilFinal("p1")).toMatchObject({ status: "completed" });
  });
});

test.each([
  ["a fifth less", 0, [800, 1200, 1600, 1600]],
  ["a fifth more", 1 - Number.EPSILON, [1200, 1800, 2400, 2400]],
])("jitter makes polling wait up to %s than its interval", async (_, chance, waits) => {
  const time = new FakeTime();
  const options = {
    time: { ...time, random: () => chance },
    signal: undefined,
    intervalMs: 1000,
    maxIntervalMs: 2000,
  };
  for await (const _ of poll(async () => {}, options)) {
    if (time.waits.length === waits.length) break;
  }
  expect(time.waits.map((ms) => Number(ms.toFixed(3)))).toEqual(waits);
});
