import { describe, expect, test } from "vitest";
import { Withdrawals } from "../../../src/resources/withdrawals.ts";
import { httpTo } from "../../http/http-to.ts";

/** A list that is not sorted by time. Each page has its items' ids and days in January 2026. */
function listOf(...pages: (readonly [id: string, day: number][])[]) {
  const bodies = pages.map((items, index) => ({
    data: items.map(([id, day]) => ({ id, orderId: id, createdAt: `2026-01-0${day}T00:00:00Z` })),
    pagination: { total: 9, limit: 1000, offset: 0, hasMore: index < pages.length - 1 },
  }));
  const fetch = () => Promise.resolve(Response.json(bodies.shift()));
  return new Withdrawals(httpTo({ url: "https://api.example" }, { fetch, maxRetries: 0 }));
}

// Each page begins with the last item of the page before.
describe("findByOrderId with createdAfter", () => {
  const createdAfter = "2026-01-04T00:00:00Z";

  test("reads past an older item at the end of a page whose items are not newest first", async () => {
    const withdrawals = listOf(
      [
        ["a", 5],
        ["b", 8],
        ["c", 1],
      ],
      [
        ["c", 1],
        ["wanted", 6],
      ],
    );
    expect(await withdrawals.findByOrderId("wanted", { createdAfter })).toHaveLength(1);
  });

  test("reads past an older item when an earlier page was not newest first", async () => {
    const withdrawals = listOf(
      [
        ["a", 5],
        ["b", 8],
      ],
      [
        ["b", 8],
        ["c", 7],
        ["d", 1],
      ],
      [
        ["d", 1],
        ["wanted", 6],
      ],
    );
    expect(await withdrawals.findByOrderId("wanted", { createdAfter })).toHaveLength(1);
  });
});
