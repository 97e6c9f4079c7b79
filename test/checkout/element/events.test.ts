import { expect, test } from "vitest";
import { EventDispatcher } from "../../../src/checkout/element/events.ts";
import { nothingKnown } from "../../../src/checkout/element/state.ts";
import { payment } from "./facts.ts";

test("a paid payment that is confirmed later is reported as paid once", () => {
  const target = new EventTarget();
  const told: string[] = [];
  for (const name of ["settlekit-change", "settlekit-paid"])
    target.addEventListener(name, () => told.push(name));
  const events = new EventDispatcher(target, payment.id);
  for (const status of ["pending", "completed", "completed", "confirmed"])
    events.change({ ...nothingKnown, payment: { ...payment, status } });
  expect(told).toEqual([
    "settlekit-change",
    "settlekit-change",
    "settlekit-paid",
    "settlekit-change",
  ]);
});
