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
