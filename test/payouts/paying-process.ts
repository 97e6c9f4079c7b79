// A shop's process that plans, approves and sends payouts, concurrently with others, until it is ended.

import pg from "pg";
import { MerchantClient } from "../../src/index.ts";
import { createPayouts } from "../../src/payouts/index.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store, StoreMode } from "../../src/stores/store.ts";
import { orderOf, type ProcessSettings } from "./paid-orders.ts";

const settings = JSON.parse(process.env.FLEET_SETTINGS ?? "") as ProcessSettings;
const { database, serviceUrl, secretKey, quietMs, limits, orders, startedAt, skewMs } = settings;

// The clock of another machine.
const { now } = Date;
const wallClock = () => now() + skewMs;
Date.now = wallClock;

const store = (
  database.startsWith("postgres:")
    ? postgres(new pg.Pool({ connectionString: database, max: 8 }))
    : sqlite(database)
) as Store<unknown, StoreMode>;
const quiet = { warn() {}, error() {} };
const payouts = createPayouts({
  client: new MerchantClient({
    environment: "sandbox",
    baseUrl: serviceUrl,
    secretKey,
    timeoutMs: quietMs,
  }),
  store,
  quietMs,
  limits,
  logger: quiet,
});
await payouts.migrate();
const worker = payouts.start({ concurrency: 4, pollMs: 100 });
process.once("SIGTERM", async () => {
  await worker.stop();
  process.exit();
});

// A shop plans all due orders again whenever it starts.
for (let index = 0; index < orders; index++) {
  const dueInMs = startedAt + index * settings.everyMs - now();
  if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
  const order = orderOf(index);
  for (;;) {
    try {
      await payouts.plan(order, { by: "shop" });
      if (order.amountInCents > (limits.approveAbove ?? 0)) {
        // Another process may have approved it, or sent it already.
        await payouts.approve(order.orderId, { by: "ann" }).catch(() => {});
      }
      break;
    } catch {
      // The database is busy: the shop retries.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
