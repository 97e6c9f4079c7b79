import { describe, expect, it } from "vitest";
import { createEvents } from "../../../src/sandbox/events.ts";
import { createMerchants } from "../../../src/sandbox/service/merchants.ts";
import { createApp } from "../../../src/sandbox/serving/app.ts";
import {
  createIdempotencyStore,
  type Repetition,
} from "../../../src/sandbox/serving/idempotency.ts";
import type { Received } from "../../../src/sandbox/serving/received.ts";
import { route } from "../../../src/sandbox/serving/route.ts";
import { createStore } from "../../../src/sandbox/state/store.ts";
import { createClock } from "../../../src/sandbox/time/clock.ts";
import { createPayment } from "../../../src/wire/operations.ts";
import { newYear, order } from "../merchant.ts";

/** An app whose only operation does what the test says. */
function appFor(handle: () => unknown, repetition?: Repetition) {
  const store = createStore();
  const events = createEvents(store);
  const clock = createClock({ frozenAt: newYear, quiet: async () => {}, events, store });
  return createApp({
    routes: [route(createPayment, handle)],
    authenticate: createMerchants({ options: [{}], origin: "app", store }).first,
    idempotency: createIdempotencyStore(clock, events, store),
    repetitionOf: () => repetition,
  });
}

const received: Received = {
  method: "POST",
  url: new URL(`http://sandbox.test${createPayment.path}`),
  headers: new Headers({ "X-Service-Secret-Key": "sk_test_1", "Idempotency-Key": "key-1" }),
  bodyText: JSON.stringify(order),
  onGone: () => {},
};

describe("an operation", () => {
  it.each([
    [undefined, [1, 2]],
    ["ignored", [1, 2]],
    ["honoured", [1, 1]],
  ] as const)("whose repeated keys are %s gives %j", (repetition, expected) => {
    let count = 0;
    const app = appFor(() => ++count, repetition);
    const answers: unknown[] = [];
    for (const _ of expected) answers.push(JSON.parse(app.answer(received).body.text));
    expect(answers).toEqual(expected);
  });

  it("that fails in the sandbox itself answers 500 and says whose mistake it is", () => {
    const app = appFor(() => {
      throw new TypeError("nothing is defined");
    });
    const response = app.answer(received);
    expect(response.status).toBe(500);
    expect(JSON.parse(response.body.text)).toEqual({
      error: {
        type: "api_error",
        code: "server_error",
        message: expect.stringMatching(/mistake in settlekit: nothing is defined/),
      },
    });
  });
});
