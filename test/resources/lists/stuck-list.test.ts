import { describe, expect, test } from "vitest";
import { ChangingList, collect, type Item, ids } from "./changing-list.ts";

describe("a service that makes no progress", () => {
  /** The items before the error. */
  async function readingUntilError(list: ChangingList, prefetch = 0) {
    const given: Item[] = [];
    const reading = (async () => {
      for await (const item of list.list({ limit: 10 }, prefetch)) given.push(item);
    })();
    await expect(reading).rejects.toMatchObject({
      code: "unreadable_list",
      outcome: "not_sent",
      operation: "items.list",
      body: { pagination: { hasMore: true } },
    });
    return given;
  }

  test.each([0, 4])("ends the loop with an error, with a prefetch of %i", async (prefetch) => {
    const list = new ChangingList(50);
    const first = list.page(0, 10);
    list.page = () => first;
    expect(await readingUntilError(list, prefetch)).toHaveLength(10);
    expect(list.reads.length).toBeLessThan(100);
  });

  test("ends the loop without an error if it has returned as many items as its total", async () => {
    const list = new ChangingList(10);
    const page = list.page.bind(list);
    list.page = (offset, limit) => {
      const body = page(offset, limit);
      return { ...body, pagination: { ...body.pagination, hasMore: true } };
    };
    expect(await collect(list.list({ limit: 10 }))).toHaveLength(10);
  });

  test("can be read further after the error", async () => {
    const list = new ChangingList(50);
    const page = list.page.bind(list);
    let errors = 0;
    list.page = (offset, limit) => {
      const isStuck = errors === 0 && offset >= 20;
      return page(isStuck ? 10 : offset, limit);
    };
    const items = list.list({ limit: 10 })[Symbol.asyncIterator]();
    const given: string[] = [];
    for (;;) {
      const result = await items.next().catch(() => undefined);
      if (result === undefined) errors += 1;
      else if (result.done) break;
      else given.push(result.value.id);
    }
    expect(errors).toBe(1);
    expect(given).toEqual(ids(list.items));
  });

  test("ends the loop with an error when its totals change and it ignores offsets", async () => {
    const list = new ChangingList(50);
    const page = list.page.bind(list);
    let total = 1000;
    list.page = (_, limit) => {
      const body = page(0, limit);
      return { ...body, pagination: { ...body.pagination, total: total++, hasMore: true } };
    };
    await readingUntilError(list);
    expect(list.reads.length).toBeLessThan(150);
  });

  test("and sends odd pagination does not make the client send odd offsets", async () => {
    const list = new ChangingList(30);
    const page = list.page.bind(list);
    list.page = (offset, limit) => {
      const body = page(offset, limit);
      const odd = { limit: "ten", total: null, offset: {} } as unknown as typeof body.pagination;
      const { hasMore } = body.pagination;
      return { ...body, pagination: { ...body.pagination, ...odd, hasMore } };
    };
    expect(await collect(list.list({ limit: 10 }))).toHaveLength(30);
    expect(list.reads.every(({ offset, limit }) => Number.isInteger(offset + limit))).toBe(true);
  });

  test("and returns items without ids loses none of them", async () => {
    const list = new ChangingList(30);
    list.items = list.items.map((item, index) => (index < 10 ? item : ({ index } as never)));
    const given = await collect(list.list({ limit: 10 }));
    expect(given.length).toBeGreaterThanOrEqual(30);
  });

  test("ends the loop with an error when it returns empty pages and promises more", async () => {
    const list = new ChangingList(50);
    const page = list.page.bind(list);
    list.page = (offset, limit) => {
      const body = page(offset, limit);
      return offset === 0
        ? body
        : { ...body, data: [], pagination: { ...body.pagination, hasMore: true } };
    };
    // Read again from the front, a page is one item longer.
    expect(await readingUntilError(list)).toHaveLength(11);
    expect(list.reads.length).toBeLessThan(100);
  });
});
