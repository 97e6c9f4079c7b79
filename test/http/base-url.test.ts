import { expect, test } from "vitest";
import { isLoopback } from "../../src/http/base-url.ts";

// What a base URL may be is tested in test/options.test.ts.
test("only loopback addresses are unreachable for other machines", () => {
  const own = ["127.0.0.1", "127.9.9.9", "localhost", "shop.localhost", "::1", "[::1]"];
  expect(own.filter((host) => !isLoopback(host))).toEqual([]);
  const others = [
    "0.0.0.0",
    "::",
    "192.168.0.4",
    "127.example.com",
    "127.0.0.1.example.com",
  ].concat([
    "10.127.0.0.1",
    "not-localhost",
    "localhost.example.com",
    "::1.example.com",
    "a::1",
    "",
  ]);
  expect(others.filter(isLoopback)).toEqual([]);
});
