import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { createCore } from "../../../src/sandbox/core.ts";
import { answerError, Refusal, type ServiceEnv } from "../../../src/sandbox/service/answers.ts";
import {
  createIdempotencyStore,
  type WithdrawalIdempotency,
} from "../../../src/sandbox/service/idempotency.ts";
import { createMerchants } from "../../../src/sandbox/service/merchants.ts";
import type { Handlers } from "../../../src/sandbox/service/operations.ts";
import { createPayments } from "../../../src/sandbox/service/payments.ts";
import type { Replay } from "../../../src/wire/operation.ts";
import { operationTable } from "../../../src/wire/operations.ts";
import { newYear, order, payout } from "../merchant.ts";

// The real module: test/every-answer.ts mocks it to check answers, and would refuse the made-up ones here.
const { serveOperations } = await vi.importActual<
  typeof import("../../../src/sandbox/service/operations.ts")
>("../../../src/sandbox/service/operations.ts");

const examples = {
  safe: [operationTable.listPayments, undefined],
  keyed: [operationTable.createPayment, order],
  unsafe: [operationTable.createWithdrawal, payout],
} as const;

/** Returns a function that requests an operation with this `replay`, in an app in which every operation runs `handle`. */
function callerOf(
  handle: () => unknown,
  replay: Replay = "safe",
  repetition: WithdrawalIdempotency = "ignored",
) {
  const core = createCore({ now: newYear });
  const merchants = createMerchants({}, core.store);
  const payments = createPayments(core, () => {});
  const idempotency = createIdempotencyStore(core);
  idempotency.setOfWithdrawals(repetition);
  const names = Object.keys(operationTable);
  const handlers = Object.fromEntries(names.map((name) => [name, handle])) as unknown as Handlers;
  const app = new Hono<ServiceEnv>();
  app.onError(answerError);
  app.use(async (c, next) => {
    c.set("body", await c.req.text());
    await next();
  });
  serveOperations(app, { ...core, merchants, payments, handlers, idempotency });
  const [{ method, path }, body] = examples[replay];
  const { secretKey } = merchants.first();
  const headers = { "X-Service-Secret-Key": secretKey, "Idempotency-Key": "key-1" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return async () => app.request(path, init);
}

describe("an operation", () => {
  it.each([
    ["safe", "honoured", [1, 2]],
    ["keyed", "ignored", [1, 1]],
    ["unsafe", "ignored", [1, 2]],
    ["unsafe", "honoured", [1, 1]],
  ] as const)(
    "that is %s, with repeated keys %s, returns %j",
    async (replay, repetition, expected) => {
      let count = 0;
      const call = callerOf(() => ++count, replay, repetition);
      const answers: unknown[] = [];
      for (const _ of expected) answers.push(await (await call()).json());
      expect(answers).toEqual(expected);
    },
  );

  it("runs once for simultaneous requests with one key", async () => {
    let count = 0;
    const call = callerOf(() => ++count, "keyed");
    const answers = await Promise.all([call(), call(), call()]);
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([1, 1, 1]);
  });

  it("that is refused leaves its key free", async () => {
    let count = 0;
    const call = callerOf(() => {
      if (++count === 1) throw new Refusal(422, { code: "invalid_request", message: "Not yet." });
      return count;
    }, "keyed");
    expect((await call()).status).toBe(422);
    expect(await (await call()).json()).toBe(2);
    expect(await (await call()).json()).toBe(2);
  });

  it("that throws answers 500, and the message calls it a bug in settlekit", async () => {
    const call = callerOf(() => {
      throw new TypeError("nothing is defined");
    });
    const response = await call();
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        type: "api_error",
        code: "server_error",
        message: expect.stringMatching(/bug in settlekit: nothing is defined/),
      },
    });
  });
});
