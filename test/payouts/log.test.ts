import { expect, test, vi } from "vitest";
import { log, type PayoutsEvent } from "../../src/payouts/events.ts";

const payout = { orderId: "o", state: "needs_decision", problem: "Two withdrawals." };

test.each([
  [
    { type: "stopped", reason: "Why." },
    'All payouts of the tenant "dan" are stopped. Why. See settlekit/docs/payout-decisions.md before you reopen them.',
  ],
  [
    { type: "changed", payout },
    'The payout o of the tenant "dan" needs a decision. Two withdrawals. See settlekit/docs/payout-decisions.md.',
  ],
  [
    { type: "doubt", orderId: "o" },
    'The payout o of the tenant "dan" is in doubt; the ledger will find out.',
  ],
  [
    { type: "failed", orderId: "o" },
    'A step of payout o of the tenant "dan" failed; it will be retried.',
  ],
  [{ type: "failed" }, 'The payout worker of the tenant "dan" failed; it will be retried.'],
])("logs %o with its tenant, if there is one", (event, line) => {
  const logger = { warn: vi.fn(), error: vi.fn() };
  for (const tenant of ["dan", ""]) log({ ...event, tenant } as PayoutsEvent, logger);
  const lines = [...logger.warn.mock.calls, ...logger.error.mock.calls];
  const plain = line.replace(' of the tenant "dan"', "");
  expect(lines.map(([message]) => message)).toEqual([line, plain]);
});
