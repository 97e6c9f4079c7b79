import { expect, test } from "vitest";
import { load } from "../../../src/checkout/element/load.ts";

test.each([
  ["rejects", () => Promise.reject(new Error("Failed to fetch the module"))],
  [
    "throws, as webpack's does under Trusted Types",
    (): Promise<unknown> => {
      throw new TypeError("This document requires 'TrustedScriptURL' assignment.");
    },
  ],
])("the element does without a module whose import %s", async (_, module) => {
  expect(await load(module)).toBeUndefined();
});

test("a module that can be loaded is returned", async () => {
  expect(await load(async () => ({ name: "qr" }))).toEqual({ name: "qr" });
});
