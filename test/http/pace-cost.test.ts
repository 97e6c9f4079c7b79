import { expect, test } from "vitest";
import { Pace } from "../../src/http/pace.ts";
import { growth } from "../growth.ts";
import { FakeTime } from "./fake-time.ts";

test("recording a response costs about as much at 8,000 per second as at 1,000", () => {
  const respond = (perSecond: number) => {
    const time = new FakeTime();
    const pace = new Pace(time);
    for (let count = 0; count < 13 * perSecond; count++) {
      time.current += 1000 / perSecond;
      pace.accepted(time.current);
    }
  };
  // More than 8 because of garbage collection. Shifting the whole list for each response made it 1,600.
  expect(growth(respond, 1_000, 3)).toBeLessThan(100);
});
