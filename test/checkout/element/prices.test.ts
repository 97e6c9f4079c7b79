import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clockOf } from "../../../src/checkout/element/prices.ts";
import { quote } from "./facts.ts";

const unreadable = new Headers();
const created = Date.parse(quote.createdAt);
const minute = 60_000;

describe("the clock of a quote", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["the device's", 4 * minute, 4 * minute],
    ["the quote's creation, when the device's is too fast", 11 * minute, 0],
    ["the quote's creation, when the device's is too slow", -60 * minute, 0],
  ])("without a date is %s", (_, localMs, expectedMs) => {
    vi.setSystemTime(created + localMs);
    const clock = clockOf(quote, unreadable);
    expect(clock.now()).toBe(created + expectedMs);
    vi.advanceTimersByTime(minute);
    expect(clock.now()).toBe(created + expectedMs + minute);
  });

  test("is the service's, wherever the page can read it", () => {
    vi.setSystemTime(created - 60 * minute);
    const date = new Date(created + 11 * minute).toUTCString();
    expect(clockOf(quote, new Headers({ date })).now()).toBe(created + 11 * minute);
  });

  test("does not make a quote payable that the service says has expired", () => {
    vi.setSystemTime(created + 11 * minute);
    const clock = clockOf({ ...quote, status: "expired" }, unreadable);
    expect(clock.now()).toBe(created + 11 * minute);
  });
});
