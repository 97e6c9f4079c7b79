import { expect, test, vi } from "vitest";
import { type InboxEvent, log } from "../../src/inbox/events.ts";

const item = { kind: "payment", id: "p" } as const;
const error = new Error("out of stock");

const retried = { type: "retried", ...item, error, effects: ["ship"], failures: 1, waitMs: 10 };
const parked = { type: "parked", ...item, reason: "out of stock" };
const unread = { type: "failed", kind: "payment", error };

test.each([
  [retried, "", "Settling payment p failed in ship; next attempt in 1 s."],
  [retried, "dan", 'Settling payment p of the tenant "dan" failed in ship; next attempt in 1 s.'],
  [parked, "", "The payment p is parked; `settlekit inbox parked` lists it. out of stock"],
  [
    parked,
    "dan",
    'The payment p of the tenant "dan" is parked; `settlekit inbox parked` lists it. out of stock',
  ],
  [unread, "", "Reading payments from the service failed; it will be retried."],
  [
    unread,
    "dan",
    'Reading payments of the tenant "dan" from the service failed; it will be retried.',
  ],
  [{ type: "failed", error }, undefined, "The inbox failed; it will be retried."],
])("logs %o with the tenant %j", (event, tenant, line) => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  log({ ...event, tenant } as InboxEvent, logger);
  const lines = [...logger.warn.mock.calls, ...logger.error.mock.calls];
  expect(lines.map(([message]) => message)).toEqual([line]);
});
