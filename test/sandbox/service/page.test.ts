import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageOf } from "../../../src/sandbox/service/answers.ts";

const numbers = (length: number) => Array.from({ length }, (_, index) => index);

/** A list that tells how many of its values were looked at. */
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
  it("is what slicing the turned list gives, with the list's own counts", () => {
    const selection = fc.record({
      length: fc.nat(40),
      limit: fc.integer({ min: 1, max: 15 }),
      offset: fc.nat(45),
      from: fc.constantFrom("first" as const, "last" as const),
    });
    fc.assert(
      fc.property(selection, ({ length, limit, offset, from }) => {
        const values = numbers(length);
        const found = numbers(length);
        if (from === "last") found.reverse();

        const { data, pagination } = pageOf(values, { limit, offset }, from);
        expect(data).toEqual(found.slice(offset, offset + limit));
        expect(pagination).toEqual({
          total: found.length,
          limit,
          offset,
          hasMore: found.length > offset + data.length && offset <= found.length,
          totalPages: Math.ceil(found.length / limit),
          currentPage: Math.floor(offset / limit) + 1,
        });
        expect(values).toEqual(numbers(length));
      }),
    );
  });

  it.each(["first", "last"] as const)(
    "of a long list looks at nothing but its own values, from the %s",
    (from) => {
      const { list, reads } = watched(numbers(100_000));
      const page = pageOf(list, { limit: 10, offset: 50_000 }, from);
      expect(page.data).toHaveLength(10);
      expect(reads()).toBe(10);
    },
  );

  it("has a hundred values unless another limit is given", () => {
    expect(pageOf(numbers(200), {}, "first").data).toHaveLength(100);
  });
});
