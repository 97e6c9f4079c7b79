import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { load } from "../../../src/checkout/element/load.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["rejects", () => Promise.reject(new Error("Failed to fetch the module"))],
  [
    "throws, as webpack's does under Trusted Types",
    (): Promise<unknown> => {
      throw new TypeError("This document requires 'TrustedScriptURL' assignment.");
    },
  ],
])("the element does without a module whose import %s", async (_, module) => {
  const onFail = vi.fn();
  const loaded = load(module, onFail);
  await vi.advanceTimersByTimeAsync(0);
  expect(onFail).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(130_000);
  expect(await loaded).toBeUndefined();
  expect(onFail).toHaveBeenCalledOnce();
});

test("a module is loaded again once the network is back", async () => {
  const module = vi
    .fn<() => Promise<{ name: string }>>()
    .mockRejectedValueOnce(new Error("Failed to fetch the module"))
    .mockRejectedValueOnce(new Error("Failed to fetch the module"))
    .mockResolvedValue({ name: "qr" });
  const loaded = load(module);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await loaded).toEqual({ name: "qr" });
});

test("a module that can be loaded is returned", async () => {
  expect(await load(async () => ({ name: "qr" }))).toEqual({ name: "qr" });
});
