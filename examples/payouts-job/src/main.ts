// Sends every payout that is due exactly once, however often the job runs.

import { DatabaseSync } from "node:sqlite";
import { MerchantClient } from "settlekit";
import { oneRunAtATime } from "./one-run-at-a-time.ts";
import { followUp, payOut } from "./pay-out.ts";
import { Payouts } from "./payouts.ts";
import { readPayouts } from "./read-payouts.ts";

const { PAYOUTS_FILE = "payouts.json", DATABASE_FILE = "payouts.sqlite" } = process.env;
const quietMs = Number(process.env.PAYOUTS_QUIET_SECONDS ?? 120) * 1_000;
if (!(quietMs >= 0)) throw new Error("PAYOUTS_QUIET_SECONDS must be 0 or more.");

const due = readPayouts(PAYOUTS_FILE);
oneRunAtATime(DATABASE_FILE);
const payouts = new Payouts(new DatabaseSync(DATABASE_FILE));
payouts.plan(due);
console.log(`${due.length} payouts planned`);

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stopping.abort());
}

const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
const options = { client, payouts, quietMs, signal: stopping.signal };
await payOut(options);
await followUp(options);

console.table(
  payouts.all().map(({ orderId, amountInCents, state, withdrawalId, problem }) => {
    return { orderId, amountInCents, state, withdrawalId, problem };
  }),
);
// Exit code for cron and other schedulers: 1 while a payout needs another run or a person.
const done = payouts.inState("sent", "completed");
process.exitCode = done.length === payouts.all().length ? 0 : 1;
