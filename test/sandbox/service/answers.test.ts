import fc from "fast-check";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { answerError, pageOf, type ServiceEnv } from "../../../src/sandbox/service/answers.ts";

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

/** A list that counts reads of its values. */
function watched(values: number[]) {
  let reads = 0;
  const list = new Proxy(values, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name);
    },
  });
  return { list, reads: () => reads };
}

describe("a page", () => {
  it("is a slice of the list, with the list's own counts", () => {
    const selection = fc.record({
      length: fc.nat(40),
      limit: fc.integer({ min: 1, max: 15 }),
      offset: fc.nat(45),
    });
    fc.assert(
      fc.property(selection, ({ length, limit, offset }) => {
        const found = numbers(length);
        const { data, pagination } = pageOf(found, { limit, offset });
        expect(data).toEqual(found.slice(offset, offset + limit));
        expect(pagination).toEqual({
          total: found.length,
          limit,
          offset,
          hasMore: found.length > offset + data.length && offset <= found.length,
          totalPages: Math.ceil(found.length / limit),
          currentPage: Math.floor(offset / limit) + 1,
        });
      }),
    );
  });

  it("of a long list reads only its own values", () => {
    const { list, reads } = watched(numbers(100_000));
    const page = pageOf(list, { limit: 10, offset: 50_000 });
    expect(page.data).toHaveLength(10);
    expect(reads()).toBe(10);
  });

  it("has a hundred values by default", () => {
    expect(pageOf(numbers(200), {}).data).toHaveLength(100);
  });
});

it("an exception is answered 500, and the message calls it a bug in settlekit", async () => {
  const app = new Hono<ServiceEnv>();
  app.onError(answerError);
  app.get("/", () => {
    throw new TypeError("nothing is defined");
  });
  const response = await app.request("/");
  expect([response.status, await response.json()]).toEqual([
    500,
    {
      error: {
        type: "api_error",
        code: "server_error",
        message: expect.stringMatching(/bug in settlekit: nothing is defined/),
      },
    },
  ]);
});
