// Sends every due payout exactly once, no matter how often the job runs or how many copies of it run at once.

import { setTimeout } from "node:timers/promises";
import { MerchantClient } from "settlekit";
import { createPayouts } from "settlekit/payouts";
import { sqlite } from "settlekit/sqlite";
import { readPayouts } from "./read-payouts.ts";

const { PAYOUTS_FILE = "payouts.json", DATABASE_FILE = "payouts.sqlite" } = process.env;
const { PAYOUTS_QUIET_SECONDS = "120", PAYOUTS_TIMEOUT_SECONDS = "30" } = process.env;

const payouts = createPayouts({
  client: new MerchantClient({ timeoutMs: Number(PAYOUTS_TIMEOUT_SECONDS) * 1_000 }),
  store: sqlite(DATABASE_FILE),
  quietMs: Number(PAYOUTS_QUIET_SECONDS) * 1_000,
  limits: { perPayout: 50_000, perDay: 200_000 },
  // Other programs may have paid the same order ids.
  lookFirst: true,
});
await payouts.migrate();
// The whole list is read and checked first, so that an invalid entry cannot stop a run halfway.
const due = readPayouts(PAYOUTS_FILE);
for (const payout of due) await payouts.plan(payout, { by: "payouts-job" });
console.log(`${due.length} payouts planned`);

let isStopping = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    isStopping = true;
  });
}

// The ledger looks up a payout in doubt once the quiet time has passed.
do await payouts.runDue();
while (!isStopping && (await isAnyUnderWay()) && (await setTimeout(200, true)));

const rows = await Promise.all(due.map(({ orderId }) => payouts.get(orderId)));
console.table(rows, ["orderId", "amountInCents", "state", "withdrawalId", "problem"]);
// Exit code for cron and other schedulers: 1 while a payout in the list needs another run or a person.
process.exitCode = rows.every((row) => row?.state === "sent" || row?.state === "completed") ? 0 : 1;

/** Whether a run is still sending or looking up a payout. Those with a problem wait for the next run. */
async function isAnyUnderWay(): Promise<boolean> {
  // The breaker is open: a person has to check first.
  if ((await payouts.stats()).stopped) return false;
  const planned = await payouts.list({ state: "planned", limit: 10_000 });
  if (planned.some(({ problem }) => problem === undefined)) return true;
  return (await payouts.list({ state: "sending", limit: 1 })).length > 0;
}
