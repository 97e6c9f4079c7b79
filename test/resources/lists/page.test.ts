import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, ChangingList, collect, type Item, ids } from "./changing-list.ts";

describe("a list", () => {
  test("resolves to its first page", async () => {
    const page = await new ChangingList(5).list({ limit: 2 });
    expect(ids(page.data)).toEqual(["old-0", "old-1"]);
    expect(page.pagination).toMatchObject({ total: 5, limit: 2, offset: 0, hasMore: true });
  });

  test("returns page after page with next(), then undefined", async () => {
    const seen: string[][] = [];
    let page = await new ChangingList(5).list({ limit: 2 });
    for (let next: typeof page | undefined = page; next; next = await page.next()) {
      page = next;
      seen.push(ids(page.data));
    }
    expect(seen).toEqual([["old-0", "old-1"], ["old-2", "old-3"], ["old-4"]]);
    expect(await page.next()).toBeUndefined();
  });

  test("returns the same next page every time", async () => {
    const list = new ChangingList(5);
    const page = await list.list({ limit: 2 });
    expect(await page.next()).toBe(await page.next());
    expect(list.reads).toHaveLength(2);
  });

  test("iterates over all its items, in pages that overlap by one", async () => {
    const list = new ChangingList(7);
    expect(ids(await collect(list.list({ limit: 3 })))).toEqual(ids(list.items));
    expect(list.reads).toEqual([
      { offset: 0, limit: 3 },
      { offset: 2, limit: 4 },
      { offset: 5, limit: 4 },
    ]);
  });

  test("iterates over its pages with pages()", async () => {
    const pages = await collect(new ChangingList(5).list({ limit: 2 }).pages());
    expect(pages.map(({ data }) => ids(data))).toEqual([
      ["old-0", "old-1"],
      ["old-2", "old-3"],
      ["old-4"],
    ]);
  });

  test("returns no more items after its iterator is closed", async () => {
    const iterator = new ChangingList(5).list()[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ done: false, value: { id: "old-0" } });
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test("returns at most as many items as toArray's limit, and reads no further", async () => {
    const list = new ChangingList(500);
    expect(await list.list({ limit: 10 }).toArray({ limit: 25 })).toHaveLength(25);
    expect(list.reads).toHaveLength(3);
    expect(await new ChangingList(3).list().toArray({ limit: 25 })).toHaveLength(3);
    await expect(list.list().toArray({ limit: -1 })).rejects.toMatchObject({ param: "limit" });
    const unbounded = undefined as unknown as { limit: number };
    await expect(list.list().toArray(unbounded)).rejects.toMatchObject({ param: "limit" });
  });

  test("that is empty has one page, no items and no next page", async () => {
    const page = await new ChangingList(0).list();
    expect(page.data).toEqual([]);
    expect(await page.next()).toBeUndefined();
    expect(await collect(new ChangingList(0).list())).toEqual([]);
  });

  test("that repeats an item on one page returns it once", async () => {
    const list = new ChangingList(5);
    list.items.splice(1, 0, { id: "old-0" });
    expect(ids(await collect(list.list({ limit: 3 })))).toEqual(
      [0, 1, 2, 3, 4].map((n) => `old-${n}`),
    );
  });

  test("without hasMore is read until a page is not full", async () => {
    const list = new ChangingList(25);
    const page = list.page.bind(list);
    list.page = (offset, limit) => {
      const { data, pagination } = page(offset, limit);
      const { hasMore: _, ...rest } = pagination ?? {};
      return { data, pagination: rest as typeof pagination };
    };
    expect(await collect(list.list({ limit: 10 }))).toHaveLength(25);
    expect(list.reads).toHaveLength(3);
  });

  test("with null as an item is iterated to its end", async () => {
    const list = new ChangingList(3);
    list.items[1] = null as never;
    expect(await collect(list.list({ limit: 10 }))).toEqual(list.items);
  });

  test("can begin at an offset", async () => {
    const items = await collect(new ChangingList(6).list({ limit: 2, offset: 3 }));
    expect(ids(items)).toEqual(["old-3", "old-4", "old-5"]);
  });

  test("can be iterated again, from its beginning", async () => {
    const promise = new ChangingList(5).list({ limit: 2 });
    expect(await collect(promise)).toEqual(await collect(promise));
  });

  test("keeps pages of a thousand within the service's limit", async () => {
    const list = new ChangingList(2500);
    expect(await collect(list.list({ limit: 1000 }))).toHaveLength(2500);
    expect(list.reads.map(({ limit }) => limit)).toEqual([1000, 1000, 1000]);
  });

  test.each([
    [{ limit: 0 }, 0, "limit"],
    [{ limit: 1001 }, 0, "limit"],
    [{ offset: -1 }, 0, "offset"],
    [{ offset: Symbol("a") as never }, 0, "offset"],
    [{}, 17, "prefetch"],
    [{}, 0.5, "prefetch"],
  ])("refuses %o with prefetch %d", async (query, prefetch, param) => {
    const list = new ChangingList(5);
    const message = expect.stringMatching(/ (whole|positive) number/);
    await expect(list.list(query, prefetch)).rejects.toMatchObject({ param, message });
    expect(list.reads).toEqual([]);
  });
});

describe("a list that changes while it is read", () => {
  const runs = Number(process.env.SETTLEKIT_FAULT_RUNS ?? 100);
  const change: fc.Arbitrary<Change> = fc.record({
    added: fc.nat(6),
    removed: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 6 }),
  });

  const timeout = 120_000 + runs * 500;
  test("yields every item that was there throughout exactly once", { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(4),
        fc.array(change, { maxLength: 30 }),
        async (length, limit, prefetch, changes) => {
          const list = new ChangingList(length);
          const script = changes.values();
          list.beforeRead = () => {
            const { value } = script.next();
            // The iteration begins with the first read, so changes before it do not count.
            if (value && list.reads.length > 1) list.apply(value);
          };
          const given = ids(await collect(list.list({ limit }, prefetch)));
          const throughout = ids(list.items).filter((id) => id.startsWith("old-"));
          expect(new Set(given).size).toBe(given.length);
          expect(given).toEqual(expect.arrayContaining(throughout));
        },
      ),
      { numRuns: runs },
    );
  });

  test("yields every item even if the service sorts equal ones differently in each read", async () => {
    const list = new ChangingList(4);
    const [first, second, third, fourth] = list.items as [Item, Item, Item, Item];
    list.beforeRead = () => {
      if (list.reads.length === 2) list.items = [first, third, second, fourth];
    };
    const given = ids(await collect(list.list({ limit: 2 })));
    expect(given).toEqual(["old-0", "old-1", "old-2", "old-3"]);
  });

  test("yields nothing before its offset when items are added", async () => {
    const list = new ChangingList(7);
    list.beforeRead = () => {
      if (list.reads.length === 2) list.apply({ added: 2, removed: [] });
    };
    const given = ids(await collect(list.list({ limit: 2, offset: 3 })));
    expect(given).toEqual(["old-3", "old-4", "old-5", "old-6"]);
  });

  test("is read again from an earlier offset when a whole page is removed", async () => {
    const list = new ChangingList(30);
    list.beforeRead = () => {
      if (list.reads.length === 2) list.items.splice(0, 10);
    };
    const given = ids(await collect(list.list({ limit: 10 })));
    expect(given).toEqual(Array.from({ length: 30 }, (_, index) => `old-${index}`));
  });
});

describe("an error while reading pages", () => {
  test.each([0, 3])("leaves the iterator where it was, with a prefetch of %i", async (prefetch) => {
    const list = new ChangingList(9);
    let failures = 0;
    list.beforeRead = () => {
      if (list.reads.length === 2 || list.reads.length === 3) {
        failures += 1;
        throw new TypeError("fetch failed");
      }
    };
    const iterator = list.list({ limit: 3 }, prefetch)[Symbol.asyncIterator]();
    const given: string[] = [];
    let errors = 0;
    for (;;) {
      const result = await iterator.next().catch(() => "failed" as const);
      if (result === "failed") errors += 1;
      else if (result.done) break;
      else given.push(result.value.id);
    }
    expect(given).toEqual(ids(list.items));
    expect(errors).toBeGreaterThan(0);
    expect(failures).toBe(2);
  });

  test("on the first page can be retried, too", async () => {
    const list = new ChangingList(3);
    list.beforeRead = () => {
      if (list.reads.length === 1) throw new TypeError("fetch failed");
    };
    const iterator = list.list()[Symbol.asyncIterator]();
    await expect(iterator.next()).rejects.toMatchObject({ name: "ConnectionError" });
    expect(ids(await collect(iterator))).toEqual(ids(list.items));
  });

  test("leaves the failed page to be read again at its own offset", async () => {
    const list = new ChangingList(9);
    list.beforeRead = () => {
      if (list.reads.length === 2) throw new TypeError("fetch failed");
    };
    const page = await list.list({ limit: 3 });
    await expect(page.next()).rejects.toMatchObject({ name: "ConnectionError" });
    expect(ids((await page.next())?.data ?? [])).toEqual(["old-3", "old-4", "old-5"]);
    expect(list.reads.map(({ offset }) => offset)).toEqual([0, 2, 2]);
  });
});

describe("prefetch", () => {
  test("reads several pages at the same time", async () => {
    const list = new ChangingList(100);
    let underWay = 0;
    let most = 0;
    list.beforeRead = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    };
    expect(ids(await collect(list.list({ limit: 5 }, 4)))).toEqual(ids(list.items));
    expect(most).toBe(5);
    expect(new Set(list.reads.map(({ offset }) => offset)).size).toBe(list.reads.length);
  });

  /** Serves two reads and lets all later ones hang. Returns their signals. */
  function hangAfterTwoReads(list: ChangingList): AbortSignal[] {
    const hanging: AbortSignal[] = [];
    const { fetch } = list;
    Object.assign(list, {
      fetch: (url: string, { signal }: { signal: AbortSignal }) => {
        if (list.reads.length < 2) return fetch(url);
        hanging.push(signal);
        return new Promise<Response>(() => {});
      },
    });
    return hanging;
  }

  test("aborts the reads of pages that are not needed", async () => {
    const list = new ChangingList(100);
    const ahead = hangAfterTwoReads(list);
    expect(await list.list({ limit: 5 }, 3).toArray({ limit: 6 })).toHaveLength(6);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ahead.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  test("aborts the reads beyond the end of a list that has become shorter", async () => {
    const list = new ChangingList(100);
    const ahead = hangAfterTwoReads(list);
    list.beforeRead = () => {
      if (list.reads.length === 2) list.items.length = 8;
    };
    expect(await collect(list.list({ limit: 5 }, 3))).toHaveLength(8);
    expect(ahead.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  test("does not read beyond the end", async () => {
    const list = new ChangingList(12);
    await collect(list.list({ limit: 5 }, 4));
    expect(Math.max(...list.reads.map(({ offset }) => offset))).toBeLessThan(12);
  });
});
