import { expect, test } from "vitest";
import { isLoopback } from "../../src/http/base-url.ts";

// What a base URL may be is tested in test/options.test.ts.
test("only loopback addresses are unreachable for other machines", () => {
  expect(["127.0.0.1", "127.9.9.9", "localhost", "::1"].every(isLoopback)).toBe(true);
  expect(["0.0.0.0", "::", "192.168.0.4", "127.example.com", ""].some(isLoopback)).toBe(false);
});
