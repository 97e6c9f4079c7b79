import { expect, test } from "vitest";
import { realTime, ServiceClock } from "../../src/http/time.ts";

const date = "Tue, 01 Jan 2030 00:00:00 GMT";

/** A service's clock on a device whose own clocks the test controls. */
function clockOn(device: { now: number; wall: number }): ServiceClock {
  const clocks = { now: () => device.now, wallClock: () => device.wall };
  return new ServiceClock({ ...realTime, ...clocks });
}

test.each([
  ["both clocks run", { now: 5_000, wall: 5_000 }, 5_000],
  ["the device sleeps, and its monotonic clock stands still", { now: 0, wall: 720_000 }, 720_000],
  ["the wall clock is set back", { now: 5_000, wall: -3_600_000 }, 5_000],
])("the service's clock keeps running when %s", (_, passed, passedMs) => {
  const device = { now: 100, wall: 1_000_000 };
  const clock = clockOn(device);
  clock.observe(new Headers({ date }));
  device.now += passed.now;
  device.wall += passed.wall;
  expect(clock.now()).toBe(Date.parse(date) + passedMs);
});

test("the service's clock is the device's until a response has a valid Date", () => {
  const clock = clockOn({ now: 100, wall: 1_000_000 });
  clock.observe(new Headers({ date: "now" }));
  expect(clock.now()).toBe(1_000_000);
});
