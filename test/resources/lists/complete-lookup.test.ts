import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Withdrawals } from "../../../src/resources/withdrawals.ts";
import { httpTo } from "../../http/http-to.ts";

// The invariant of this file: findByOrderId returns no match only after it has read every item of the list.

interface Item {
  readonly id: string;
  readonly orderId: string;
  readonly createdAt: string;
}

const start = Date.parse("2026-01-01T00:00:00Z");

/** Items, newest first, a minute apart; item 0 is the oldest. */
function items(count: number): Item[] {
  return Array.from({ length: count }, (_, age) => count - 1 - age).map((number) => ({
    id: `w${number}`,
    orderId: `order_${number}`,
    createdAt: new Date(start + number * 60_000).toISOString(),
  }));
}

interface Asked {
  readonly offset: number;
  readonly limit: number;
  /** The number of the request, from 1. */
  readonly request: number;
}

const page = (all: readonly Item[], { offset, limit }: Pick<Asked, "offset" | "limit">) => {
  const data = all.slice(offset, offset + limit);
  const hasMore = offset + data.length < all.length;
  return { data, pagination: { total: all.length, limit, offset, hasMore } };
};

/** The withdrawals of a service whose list has these responses. */
function listing(answer: (asked: Asked) => object): Withdrawals {
  let request = 0;
  const fetch = async (url: string) => {
    const { searchParams } = new URL(url);
    const [offset, limit] = ["offset", "limit"].map((name) => Number(searchParams.get(name)));
    return Response.json(answer({ offset: offset ?? 0, limit: limit ?? 0, request: ++request }));
  };
  return new Withdrawals(httpTo({ url: "https://api.example" }, { fetch, maxRetries: 0 }));
}

describe("findByOrderId with a list that may be incomplete", () => {
  const all = items(2500);
  const uncounted = { data: items(3), pagination: { total: 0, limit: 1000, hasMore: false } };
  test.each<[string, string, (asked: Asked) => object]>([
    [
      "when the list is empty but has a total",
      "after 0 different items, although pagination.total is 5",
      () => ({ data: [], pagination: { total: 5, limit: 1000, offset: 0, hasMore: false } }),
    ],
    [
      "when the list ends before its total",
      "after 1000 different items, although pagination.total is 2500",
      (asked) => ({
        ...page(all, asked),
        pagination: { ...page(all, asked).pagination, hasMore: false },
      }),
    ],
    [
      "when pages are capped and claim to be the last",
      "after 100 different items, although pagination.total is 2500",
      ({ offset }) => ({
        data: all.slice(offset, offset + 100),
        pagination: { total: 2500, limit: 1000, offset, hasMore: false },
      }),
    ],
    [
      "when the offset is ignored",
      "returns nothing new",
      ({ limit }) => page(all, { offset: 0, limit }),
    ],
    [
      "when a page is empty but is not the last",
      "returns nothing new",
      ({ offset }) => ({ data: [], pagination: { total: 0, limit: 1000, offset, hasMore: true } }),
    ],
    [
      "when the service does not say that the list ended",
      "pagination.hasMore",
      () => ({ data: items(3), pagination: { total: 3, limit: 1000, offset: 0 } }),
    ],
    [
      "when the service does not say how long the list is",
      "pagination.total",
      () => ({ data: items(3), pagination: { limit: 1000, offset: 0, hasMore: false } }),
    ],
    ["when the service counts none of its items", "pagination.total", () => uncounted],
    ["when there is no pagination", "pagination", () => ({ data: items(3) })],
    ["when data is not a list", "data is not a list", () => ({ data: "none" })],
    [
      "when an orderId is a number that has lost digits",
      "cannot be read",
      () => ({
        data: [{ ...items(1)[0], orderId: 2 ** 53 }],
        pagination: { total: 1, limit: 1000, offset: 0, hasMore: false },
      }),
    ],
  ])("rejects %s", async (_, oddity, answer) => {
    const error = await listing(answer)
      .findByOrderId("nothing")
      .catch((thrown) => thrown);
    expect(error).toMatchObject({
      name: "UnexpectedResponseError",
      code: "unreadable_list",
      outcome: "not_sent",
      operation: "withdrawals.list",
    });
    expect(error.message).toContain(oddity);
  });

  test("reads past createdAfter after a page whose items all have the same time", async () => {
    const createdAt = "2026-01-01T00:00:00Z";
    const old = items(1000).map((item) => ({ ...item, createdAt }));
    const wanted = { id: "w", orderId: "wanted", createdAt: "2026-02-02T00:00:00Z" };
    const withdrawals = listing((asked) => page([...old, wanted], asked));
    const options = { createdAfter: "2026-02-01T00:00:00Z" };
    expect(await withdrawals.findByOrderId("wanted", options)).toHaveLength(1);
  });

  test.each<[string, (readonly [id: string, day: number][])[]]>([
    [
      "at the end of a page that is not newest first",
      [
        [
          ["a", 5],
          ["b", 8],
          ["old", 1],
        ],
        [
          ["old", 1],
          ["wanted", 6],
        ],
      ],
    ],
    [
      "if an earlier page was not newest first",
      [
        [
          ["a", 5],
          ["b", 8],
        ],
        [
          ["b", 8],
          ["c", 7],
          ["old", 1],
        ],
        [
          ["old", 1],
          ["wanted", 6],
        ],
      ],
    ],
  ])("reads past an item older than createdAfter %s", async (_, pages) => {
    const withdrawals = listing(({ request, offset }) => ({
      data: (pages[request - 1] ?? []).map(([id, day]) => {
        return { id, orderId: id, createdAt: `2026-01-0${day}T00:00:00Z` };
      }),
      pagination: { total: 9, limit: 1000, offset, hasMore: request < pages.length },
    }));
    const options = { createdAfter: "2026-01-04T00:00:00Z" };
    expect(await withdrawals.findByOrderId("wanted", options)).toHaveLength(1);
  });

  test("reads times without a zone as UTC, wherever it runs", async () => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    onTestFinished(() => void vi.unstubAllEnvs());
    const all = items(1200).map((item) => ({ ...item, createdAt: item.createdAt.slice(0, -1) }));
    const withdrawals = listing((asked) => page(all, asked));
    const createdAfter = new Date(start + 100 * 60_000);
    expect(await withdrawals.findByOrderId("order_110", { createdAfter })).toHaveLength(1);
  });

  test("reads past createdAfter after pages that do not overlap", async () => {
    const [newest, ...rest] = items(1200);
    const wanted = { ...newest, orderId: "wanted" } as Item;
    const all = rest.toSpliced(110, 0, wanted);
    // The second page leaves out 20 items after the first, the wanted one among them.
    const withdrawals = listing(({ request, offset }) => {
      const { data } = page(all, { offset: request === 2 ? offset + 20 : offset, limit: 100 });
      return { ...page(all, { offset, limit: 100 }), data };
    });
    const createdAfter = new Date(start + 1085 * 60_000);
    expect(await withdrawals.findByOrderId("wanted", { createdAfter })).toHaveLength(1);
  });

  test("reads past createdAfter after a page from another offset than the requested one", async () => {
    const all = items(300);
    const withdrawals = listing(({ request, offset }) =>
      page(all, { offset: request === 1 ? 5 : offset, limit: 100 }),
    );
    const createdAfter = new Date(start + 250 * 60_000);
    expect(await withdrawals.findByOrderId("order_299", { createdAfter })).toHaveLength(1);
  });
});

describe("findByOrderId", () => {
  test("reads to the end of a long list, however few items a page has", async () => {
    const all = items(500);
    const withdrawals = listing(({ offset }) => page(all, { offset, limit: 10 }));
    expect(await withdrawals.findByOrderId("order_0")).toMatchObject([{ id: "w0" }]);
    expect(await withdrawals.findByOrderId("order_500")).toEqual([]);
  });

  test("returns a match from a list that is otherwise odd", async () => {
    const withdrawals = listing(() => ({ data: items(3), pagination: { total: 9 } }));
    expect(await withdrawals.findByOrderId("order_1")).toMatchObject([{ id: "w1" }]);
  });

  test("returns a match even if a later page is not a list", async () => {
    const all = items(2500);
    const withdrawals = listing((asked) =>
      asked.request === 1 ? page(all, asked) : { data: "none" },
    );
    const found = await withdrawals.findByOrderId("order_2000");
    expect(found).toMatchObject([{ id: "w2000" }]);
  });

  test("rereads a long list that shifted while it was read", async () => {
    const all = items(3000);
    const capped = { limit: 100 };
    // Items of the first page are removed after it is read, so the second page starts behind those that move up.
    const withdrawals = listing(({ request, offset }) =>
      request === 2
        ? { ...page(all, { offset: offset + 50, ...capped }) }
        : page(all, { offset, ...capped }),
    );
    expect(await withdrawals.findByOrderId("nothing")).toEqual([]);
    const second = listing(({ request, offset }) =>
      page(all, { offset: request === 2 ? offset + 50 : offset, ...capped }),
    );
    expect(await second.findByOrderId("order_2880")).toHaveLength(1);
  });

  test("allows for clocks that differ by five minutes", async () => {
    // A full page of newer items, and behind it one that is four minutes older than createdAfter.
    const all = items(1001);
    const options = { createdAfter: new Date(start + 4 * 60_000) };
    expect(
      await listing((asked) => page(all, asked)).findByOrderId("order_0", options),
    ).toHaveLength(1);
  });

  const runs = Number(process.env.SETTLEKIT_FAULT_RUNS ?? 50);
  const timeout = 120_000 + runs * 500;
  test("never overlooks a match in a list, whatever its pages are", { timeout }, async () => {
    const shape = fc.record({
      count: fc.integer({ min: 1, max: 60 }),
      wanted: fc.nat(),
      cap: fc.integer({ min: 1, max: 25 }),
      /** What is wrong with each request's page, in order. */
      faults: fc.array(
        fc.constantFrom(
          ...["none", "empty", "ended", "no word", "first page", "reversed", "skipped", "shifted"],
        ),
        { maxLength: 12 },
      ),
      createdAfterMinute: fc.option(fc.integer({ min: -5, max: 70 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ count, wanted, cap, faults, createdAfterMinute }) => {
        const all = items(count);
        const number = wanted % count;
        const withdrawals = listing(({ request, offset }) => {
          const fault = faults[request - 1] ?? "none";
          const order = fault === "reversed" ? all.toReversed() : all;
          // Nothing shows that a first page leaves out the newest items.
          const shifted = offset && offset + 3;
          const elsewhere = { "first page": 0, skipped: offset + 3, shifted };
          const at = elsewhere[fault as keyof typeof elsewhere] ?? offset;
          const { data, pagination } = page(order, { offset: at, limit: cap });
          return {
            data: fault === "empty" ? [] : data,
            pagination: {
              ...pagination,
              ...(fault === "shifted" && { offset }),
              ...(fault === "ended" && { hasMore: false }),
              ...(fault === "no word" && { hasMore: undefined }),
            },
          };
        });
        const createdAfter =
          createdAfterMinute === undefined || createdAfterMinute > number
            ? undefined
            : new Date(start + createdAfterMinute * 60_000);
        const found = await withdrawals
          .findByOrderId(`order_${number}`, { createdAfter })
          .catch((error) => error.code);
        expect(found).toSatisfy((it) => it === "unreadable_list" || it.length === 1);
      }),
      { numRuns: runs },
    );
  });
});
