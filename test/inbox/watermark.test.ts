import { describe, expect, onTestFinished, vi } from "vitest";
import { type Shop, ship, shops } from "./shop.ts";

describe.each(shops)("a list with items of the last hours, on %s,", (_, it) => {
  const minute = 60_000;
  let now: number;
  it.beforeEach(async ({ shop }) => {
    await shop.inbox.settleDue();
    const [row] = await shop.query("SELECT ms FROM test_clock");
    now = Number(row?.ms);
  });

  const setWatermark = (shop: Shop, minutesAgo: number) =>
    shop.query(`UPDATE {inbox_watermarks} SET watermark = ${now - minutesAgo * minute}`);
  /** Lists items created this many minutes ago; NaN for an unreadable time. */
  const listing = (shop: Shop, items: readonly (readonly [minutesAgo: number, status: string])[]) =>
    vi.spyOn(shop.client.payments, "list").mockImplementation(async function* () {
      for (const [minutesAgo, status] of items) {
        const createdAt = new Date(now - minutesAgo * minute);
        yield {
          id: `p${minutesAgo}`,
          status,
          createdAt: Number.isNaN(minutesAgo) ? "" : createdAt.toISOString(),
        };
      }
    } as never);

  it("is read to the same item in every time zone, even if its times have none", async ({
    shop,
  }) => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    onTestFinished(() => void vi.unstubAllEnvs());
    await setWatermark(shop, 60);
    vi.spyOn(shop.client.payments, "list").mockImplementation(async function* () {
      for (const ago of [10, 20, 66, 70]) {
        const createdAt = new Date(now - ago * minute).toISOString().replace("Z", "");
        yield { id: `p${ago}`, status: "completed", createdAt };
      }
    } as never);
    expect(await shop.inbox.reconcile()).toMatchObject({ listed: 2 });
  });

  it("is compared with the subjects of its own kind, even if one of the other kind has the same id", async ({
    shop,
  }) => {
    ship(shop.inbox);
    const id = await shop.paid("order_1");
    await shop.inbox.settleDue();
    const withdrawal = { id, status: "completed", createdAt: new Date(now).toISOString() };
    vi.spyOn(shop.client.withdrawals, "list").mockImplementation(async function* () {
      yield withdrawal;
    } as never);
    expect(await shop.inbox.reconcile()).toMatchObject({ missed: 1 });
  });

  it.for([
    ["until the first that is too old", [10, 64, 66, 20], 2],
    ["to its end if they are out of order", [30, Number.NaN, 10, 66, 20], 4],
  ] as const)("is read %s", async ([_until, minutes, listed], { shop }) => {
    await setWatermark(shop, 60);
    listing(
      shop,
      minutes.map((ago) => [ago, "completed"]),
    );
    expect(await shop.inbox.reconcile()).toMatchObject({ listed });
  });

  it.for([
    [
      "its newest item",
      60,
      [
        [10, "completed"],
        [40, "completed"],
      ],
      10,
    ],
    [
      "an item that may still change",
      60,
      [
        [10, "completed"],
        [20, "pending"],
        [40, "completed"],
      ],
      20,
    ],
    [
      "where this check began, at the earliest",
      60,
      [
        [10, "completed"],
        [63, "pending"],
      ],
      60,
    ],
    [
      "a week ago, at the earliest",
      8 * 1440,
      [
        [10, "completed"],
        [7.5 * 1440, "pending"],
      ],
      7 * 1440,
    ],
    ["now, at the latest", 60, [[-10, "completed"]], 0],
  ] as const)("is next checked from %s", async ([_from, before, items, after], { shop }) => {
    await setWatermark(shop, before);
    listing(shop, items);
    await shop.inbox.reconcile();
    const [row] = await shop.query(
      "SELECT watermark FROM {inbox_watermarks} WHERE kind = 'payment'",
    );
    expect((now - Number(row?.watermark)) / minute).toBe(after);
  });
});
