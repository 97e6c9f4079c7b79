import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../../../src/checkout/element/connect.ts";
import { clockOf, Prices } from "../../../src/checkout/element/prices.ts";
import { type Known, nothingKnown } from "../../../src/checkout/element/state.ts";
import { paymentRequest } from "../../../src/checkout/payment-request.ts";
import { ConnectionError } from "../../../src/errors.ts";
import type { Payment } from "../../../src/wire/payment.ts";
import type { Quote } from "../../../src/wire/quote.ts";
import type { Token } from "../../../src/wire/token.ts";
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

/** What the prices of a payment have made known and reported. */
interface Shown {
  known: Known;
  readonly reports: unknown[];
}

/** The prices of a payment whose service returns the given quotes in turn; undefined for one that fails. */
function pricesOf(
  payment: Payment,
  quotes: (Quote | undefined)[],
  tokens: Promise<{ data: readonly Token[] }> = Promise.resolve({ data: [] }),
) {
  const shown: Shown = { known: { ...nothingKnown, payment }, reports: [] };
  const checkout = {
    quotes: {
      create: () => ({
        async withResponse() {
          const data = quotes.shift();
          if (data === undefined)
            throw new ConnectionError("There is no connection.", { code: "connection_failed" });
          return { data, headers: new Headers({ date: "now" }) };
        },
      }),
    },
    paymentRequest: (...request: Parameters<typeof paymentRequest>) =>
      paymentRequest(request[0], request[1], () => created),
  };
  const prices = new Prices({
    known: () => shown.known,
    update: (facts) => {
      shown.known = { ...shown.known, ...facts };
    },
    report: (error) => shown.reports.push(error),
    connection: () => ({ checkout, tokens: { list: () => tokens } }) as unknown as Connection,
    signal: () => new AbortController().signal,
    reread: async () => {},
  });
  return { prices, shown };
}

describe("a new price", () => {
  let reports: unknown[];

  /** Requests each of the quotes in turn; undefined for one that fails. */
  async function afterQuotes(...quotes: (Quote | undefined)[]): Promise<Known> {
    const { prices, shown } = pricesOf(payment, quotes);
    reports = shown.reports;
    while (quotes.length > 0) {
      shown.known = { ...shown.known, choice: undefined };
      await prices.ask();
    }
    return shown.known;
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

test("a price that could not be loaded is requested again after ten seconds", async () => {
  const { prices, shown } = pricesOf(payment, [undefined, quote]);
  await prices.ask();
  expect(shown.known.priceFailure?.kind).toBe("priceFailed");
  prices.tick(performance.now() + 9_000);
  expect(shown.known.priceFailure?.kind).toBe("priceFailed");
  prices.tick(performance.now() + 11_000);
  // The request is still under way.
  prices.tick(performance.now() + 12_000);
  await expect.poll(() => shown.known.offer?.quote).toEqual(quote);
});

describe("a deposit without quotes", () => {
  const deposit: Payment = { ...payment, type: "deposit", quotes: [] };
  const { token } = quote;
  const chain = { chainId: 84_532, name: "Base Sepolia", nativeSymbol: "ETH", nativeDecimals: 18 };

  test("offers the tokens that the service accepts now, on the chains that it has enabled", async () => {
    const at = (digit: number) => ({ contractAddress: `0x${String(digit).repeat(40)}` });
    const { prices, shown } = pricesOf(
      deposit,
      [],
      Promise.resolve({
        data: [
          { ...token, ...at(1), symbol: "WETH", type: "volatile" },
          token,
          { ...token, ...at(2), symbol: "GONE", status: "blocked" },
          { ...token, ...at(3), symbol: "OFF", chain: { ...chain, isEnabled: false } },
        ],
      }),
    );
    await prices.take(deposit.quotes);
    expect(shown.known.choices.map(({ symbol }) => symbol)).toEqual(["WETH", "USDC"]);
    expect(shown.known.choice?.symbol).toBe("USDC");
  });

  test("can be paid in the service's default token if they cannot be listed", async () => {
    const { prices, shown } = pricesOf(deposit, [quote], Promise.reject(new Error("refused")));
    await prices.take(deposit.quotes);
    shown.known = { ...shown.known, depositInCents: 2_500 };
    await prices.ask();
    expect(shown.known.offer?.choice.symbol).toBe("USDC");
  });
});
