import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/cli/exit-codes.ts";
import { faultFrom } from "../../src/cli/faults.ts";
import { createSandbox } from "../../src/sandbox/index.ts";

describe("a fault on the command line", () => {
  test.each([
    ["POST /payments 503", { status: 503, when: "before" }, {}],
    ["POST /payments 503 after x2", { status: 503, when: "after" }, { times: 2 }],
    [
      "* 429 retry-after=3 always",
      { status: 429, when: "before", retryAfter: 3 },
      { times: Infinity },
    ],
    ["GET /payments 800ms always", { latencyMs: 800, when: "after" }, { times: Infinity }],
    ["GET /payments/{paymentId} 2s before", { latencyMs: 2000, when: "before" }, {}],
    ["POST /withdrawals reset", { connection: "reset", when: "before" }, {}],
    ["POST /withdrawals reset mid-answer", { connection: "reset", when: "mid-answer" }, {}],
    ["  *   truncated   x3 ", { connection: "truncated" }, { times: 3 }],
    ["POST /payments 503 after 20%", { status: 503, when: "after" }, { probability: 0.2 }],
    ["* 800ms 0.5%", { latencyMs: 800, when: "after" }, { probability: 0.005 }],
    ["* reset 7% x3", { connection: "reset", when: "before" }, { probability: 0.07, times: 3 }],
  ])("parses %s", (text, fault, options) => {
    const [, route] = /^\s*(\*|\S+ \S+)/.exec(text) ?? [];
    const asked = faultFrom(text);
    expect(asked).toEqual({ route, fault, options });
    // The sandbox accepts it as well.
    if ("fault" in asked) createSandbox().faults.next(asked.route, asked.fault, asked.options);
  });

  test("10/s limits the rate", () => {
    expect(faultFrom("10/s")).toEqual({ rateLimit: { requestsPerSecond: 10 } });
    expect(faultFrom("10/s retry-after=2")).toEqual({
      rateLimit: { requestsPerSecond: 10, retryAfterSeconds: 2 },
    });
  });

  test.each([
    ["", "an empty string does not say what goes wrong"],
    ["POST /payments", '"POST /payments" does not say what goes wrong'],
    ["POST /payments explode", '"explode" is not a valid word in "POST /payments explode"'],
    ["POST /payments 503 afterwards", '"afterwards"'],
    ["POST /payments 5000", '"5000"'],
    ["POST /payments truncated after", '"truncated"'],
    ["POST /payments 800ms retry-after=2", '"retry-after=2"'],
    ["10/s x2", '"x2"'],
    ["POST /payments 503 %", '"%"'],
    ["POST /payments 503 0%", '"0%"'],
    ["POST /payments 503 200%", '"200%"'],
    ["POST /payments 503 x0", '"x0"'],
  ])("%j is refused, and the message names the invalid word", (text, word) => {
    expect(() => faultFrom(text)).toThrow(UsageError);
    expect(() => faultFrom(text)).toThrow(word);
    expect(() => faultFrom(text)).toThrow('Examples: "POST /payments 503 after x2"');
  });
});
