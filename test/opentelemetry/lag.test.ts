import { afterEach, expect, test, vi } from "vitest";
import { instrument } from "../../src/opentelemetry/index.ts";
import { createTelemetry } from "./telemetry.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  ["an inbox", "settlekit.inbox.lag", { parked: () => {} }],
  ["a payout ledger", "settlekit.payouts.lag", { approve: () => {} }],
])("the lag of %s grows while its database cannot be read", async (_, name, methods) => {
  await using telemetry = createTelemetry();
  let now = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  let isDown = false;
  const stats = async () => {
    if (isDown) throw new Error("The database is down.");
    return { lagMs: 2_000, states: {} };
  };
  const target = { ...methods, tenant: "", observe: () => () => {}, stats };
  instrument(target as unknown as Parameters<typeof instrument>[0], telemetry.options);
  const expectLag = async (value: number) =>
    expect(await telemetry.points(name)).toEqual([{ attributes: {}, value }]);
  await expectLag(2);
  isDown = true;
  now += 600_000;
  await expectLag(602);
  isDown = false;
  await expectLag(2);
});
