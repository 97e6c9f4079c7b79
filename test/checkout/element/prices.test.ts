import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../../../src/checkout/element/connect.ts";
import { clockOf, Prices } from "../../../src/checkout/element/prices.ts";
import { type Known, nothingKnown } from "../../../src/checkout/element/state.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import type { Quote } from "../../../src/wire/quote.ts";
import { payment, quote } from "./facts.ts";

const unreadable = new Headers();
const created = Date.parse(quote.createdAt);
const minute = 60_000;

describe("the clock of a quote", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["fast", 11 * minute],
    ["slow", -60 * minute],
  ])("starts at the quote's creation if the device's clock is too %s", (_, localMs) => {
    vi.setSystemTime(created + localMs);
    const clock = clockOf(quote, unreadable);
    expect(clock?.now()).toBe(created);
    vi.advanceTimersByTime(minute);
    expect(clock?.now()).toBe(created + minute);
  });

  test("is the client's if the device's clock may be right", () => {
    vi.setSystemTime(created + 4 * minute);
    expect(clockOf(quote, unreadable)).toBeUndefined();
  });

  test("is the client's if the page can read the service's", () => {
    vi.setSystemTime(created - 60 * minute);
    const date = new Date(created).toUTCString();
    expect(clockOf(quote, new Headers({ date }))).toBeUndefined();
  });

  test("does not make a quote payable that the service says has expired", () => {
    vi.setSystemTime(created + 11 * minute);
    expect(clockOf({ ...quote, status: "expired" }, unreadable)).toBeUndefined();
  });
});

describe("a new price", () => {
  let reports: unknown[];

  /** Requests each of the quotes in turn; undefined for one that fails. */
  async function afterQuotes(...quotes: (Quote | undefined)[]): Promise<Known> {
    let known: Known = { ...nothingKnown, payment };
    reports = [];
    const checkout = {
      quotes: {
        create: () => ({
          async withResponse() {
            const data = quotes.shift();
            if (data === undefined) throw new Error("There is no connection");
            return { data, headers: new Headers({ date: "now" }) };
          },
        }),
      },
      paymentRequest: (...request: Parameters<typeof paymentRequest>) =>
        paymentRequest(request[0], request[1], () => created),
    };
    const prices = new Prices({
      known: () => known,
      update: (facts) => {
        known = { ...known, ...facts };
      },
      report: (error) => reports.push(error),
      connection: () => ({ checkout }) as unknown as Connection,
      signal: () => new AbortController().signal,
      reread: async () => {},
    });
    while (quotes.length > 0) {
      known = { ...known, choice: undefined };
      await prices.ask();
    }
    return known;
  }

  test("that cannot be loaded is reported once, until one was loaded", async () => {
    await afterQuotes(undefined, undefined, undefined);
    expect(reports).toHaveLength(1);
    await afterQuotes(undefined, quote, undefined);
    expect(reports).toHaveLength(2);
  });

  const dearer = { ...quote, expectedAmountAsset: "25100000" };

  test.each<[string, (Quote | undefined)[], boolean]>([
    ["is the first", [quote], false],
    ["has the same amount", [quote, quote], false],
    ["has another amount", [quote, dearer], true],
    ["has another amount, and could not be loaded at first", [quote, undefined, dearer], true],
    ["is in another token", [quote, { ...dearer, chainId: 1 }], false],
  ])(
    "is announced if its amount differs from the one that was seen: it %s",
    async (_, quotes, isRenewed) => {
      const known = await afterQuotes(...quotes);
      expect(known).toMatchObject({ isRenewed, offer: { quote: { id: "quote_1" } } });
    },
  );
});
