import { describe, expect, test } from "vitest";
import { clockFinding } from "../../src/cli/doctor.ts";

const noonMs = Date.parse("2026-01-01T12:00:00.500Z");

function findingAt(offsetSeconds: number, environment: "production" | "sandbox" = "production") {
  const exchange = {
    dateText: "Thu, 01 Jan 2026 12:00:00 GMT",
    sentAtMs: noonMs + offsetSeconds * 1000 - 200,
    receivedAtMs: noonMs + offsetSeconds * 1000 + 200,
  };
  return clockFinding(exchange, environment);
}

describe("the clock", () => {
  test.each([
    [0, "ok", 0],
    [29, "ok", 0],
    [-29, "ok", 0],
    [30, "warning", 0],
    [-299, "warning", 0],
    [300, "failure", 2],
    [-4000, "failure", 2],
  ])("being %i s ahead is %s", (offsetSeconds, level, exitCode) => {
    expect(findingAt(offsetSeconds)).toMatchObject({ level, exitCode });
  });

  test("is reported as ahead or behind", () => {
    expect(findingAt(45).message).toContain("45 s ahead of");
    expect(findingAt(-45).message).toContain("45 s behind");
  });

  test("of a sandbox may show any time, because it can be advanced and frozen", () => {
    expect(findingAt(90_000, "sandbox")).toMatchObject({ level: "ok", exitCode: 0 });
  });

  test.each([null, "", "yesterday"])("cannot be compared with the Date header %j", (dateText) => {
    const exchange = { dateText, sentAtMs: 0, receivedAtMs: 0 };
    expect(clockFinding(exchange, "testnet")).toMatchObject({ level: "warning", exitCode: 0 });
  });
});
