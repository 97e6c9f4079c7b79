import { describe, expect, it } from "vitest";
import { createApp } from "../../src/sandbox/app.ts";
import { createClock } from "../../src/sandbox/clock.ts";
import { createIdempotencyStore } from "../../src/sandbox/idempotency.ts";
import { route } from "../../src/sandbox/routing.ts";
import { createPayment, type Operation } from "../../src/wire/operations.ts";
import { newYear, order } from "./merchant.ts";

/** An app whose only operation does what the test says. */
function appFor(operation: Operation<unknown>, handle: () => unknown) {
  const clock = createClock({ frozenAt: newYear, quiet: async () => {} });
  return createApp({
    routes: [route(operation, handle)],
    secretKey: "sk_test_1",
    idempotency: createIdempotencyStore(clock),
  });
}

const request = () =>
  new Request(`http://sandbox.test${createPayment.path}`, {
    method: "POST",
    headers: { "X-Service-Secret-Key": "sk_test_1", "Idempotency-Key": "key-1" },
  });
const received = { bodyText: JSON.stringify(order) };

describe("an operation", () => {
  it.each([
    ["keyed", [1, 1]],
    ["unsafe", [1, 2]],
  ] as const)("that is %s answers a repeated key with %j", async (replay, expected) => {
    let count = 0;
    const app = appFor({ ...createPayment, replay }, () => ++count);
    const answers: unknown[] = [];
    for (const _ of expected) answers.push(await (await app.fetch(request(), received)).json());
    expect(answers).toEqual(expected);
  });

  it("that fails in the sandbox itself answers 500 and says whose mistake it is", async () => {
    const app = appFor(createPayment, () => {
      throw new TypeError("nothing is defined");
    });
    const response = await app.fetch(request(), received);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        type: "api_error",
        code: "server_error",
        message: expect.stringMatching(/mistake in settlekit: nothing is defined/),
      },
    });
  });
});
