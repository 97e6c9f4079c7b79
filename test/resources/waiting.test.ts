import { expect, test } from "vitest";
import { poll } from "../../src/resources/waiting.ts";
import { FakeTime } from "../http/fake-time.ts";

test.each([
  ["a fifth less", 0, [800, 1200, 1600, 1600]],
  ["a fifth more", 1 - Number.EPSILON, [1200, 1800, 2400, 2400]],
])("jitter makes polling wait up to %s than its interval", async (_, chance, waits) => {
  const time = new FakeTime();
  const options = {
    time: { ...time, random: () => chance },
    signal: undefined,
    intervalMs: 1000,
    maxIntervalMs: 2000,
  };
  for await (const _ of poll(async () => {}, options)) {
    if (time.waits.length === waits.length) break;
  }
  expect(time.waits.map((ms) => Number(ms.toFixed(3)))).toEqual(waits);
});
