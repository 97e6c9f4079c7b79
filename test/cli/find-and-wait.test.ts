import diagnosticsChannel from "node:diagnostics_channel";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ClientEvent } from "../../src/index.ts";
import { type Answer, scriptedServer } from "../scripted-server.ts";
import { answers } from "../wire/answers.ts";
import { settlekit } from "./command-line.ts";

const environment = { SETTLEKIT_ENVIRONMENT: "sandbox", SETTLEKIT_SECRET_KEY: "sk_test_1" };

/** Lets the clock of the test's commands jump. */
function jumpingClock() {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  onTestFinished(() => clock.mockRestore());
  return {
    jump(ms: number) {
      passedMs += ms;
    },
  };
}

test("payments find reads a list that takes longer than the client's calls may", async () => {
  const clock = jumpingClock();
  const pages = [0, 1, 2, 3, 4].map(
    (offset): Answer =>
      (response) => {
        clock.jump(25_000);
        const payment = { ...answers.createPayment.payment, id: `p_${offset}`, orderId: "order_1" };
        const pagination = { total: 5, limit: 1, offset, hasMore: offset < 4 };
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify({ data: [payment], pagination }));
      },
  );
  await using service = await scriptedServer(...pages);
  const variables = { ...environment, SETTLEKIT_SANDBOX_URL: service.url };
  const { code, stdout } = await settlekit(["payments", "find", "order_1", "--json"], variables);
  expect([code, stdout.split("\n").length]).toEqual([0, 6]);
});

test("payments wait says how far it got, and names its own option, when time is up", async () => {
  const clock = jumpingClock();
  const onEvent = (event: unknown) => {
    if ((event as ClientEvent).type === "end") clock.jump(900_000);
  };
  diagnosticsChannel.subscribe("settlekit:client", onEvent);
  onTestFinished(() => void diagnosticsChannel.unsubscribe("settlekit:client", onEvent));
  const pending = { ...answers.createPayment.payment, status: "pending" };
  await using service = await scriptedServer({ body: pending });
  const variables = { ...environment, SETTLEKIT_SANDBOX_URL: service.url };
  const waiting = ["payments", "wait", pending.id, "--timeout", "900"];
  const { code, stderr } = await settlekit(waiting, variables);
  const fact = 'settlekit: The status is still "pending" after 900 s.';
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: `${fact} Run the command again, or pass a longer --timeout.\n`,
  });
});

test.each(["0", "-1", "9e9"])("payments wait refuses --timeout %s", async (timeout) => {
  const { code, stderr } = await settlekit(["payments", "wait", "pay_1", "--timeout", timeout]);
  expect(code).toBe(2);
  expect(stderr).toContain("--timeout");
});
