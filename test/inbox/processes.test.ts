import { setTimeout as delay } from "node:timers/promises";
import { MerchantClient } from "settlekit";
import { createSandbox } from "settlekit/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databases, type TestDatabase } from "../databases.ts";
import { buildProgram, Fleet, randomFrom } from "../fleet.ts";
import type { WorkerSettings } from "./shop.ts";

// Real processes are killed and suspended at random, while webhooks arrive twice, late, out of order, or never. Their
// database's clock runs 30 times faster, so a lease lasts one second.

const isWhole = process.env.SETTLEKIT_PROCESS_RUNS === "all";
const scale = isWhole
  ? { payments: 5_000, kills: 200, stops: 100 }
  : { payments: 120, kills: 4, stops: 1 };
const leaseMs = 1_000;

let built: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  built = await buildProgram(new URL("worker-process.ts", import.meta.url));
});
afterAll(() => built.remove());

it.concurrent.each(databases)(
  "two processes on %s that are killed and suspended at random neither repeat nor lose an effect",
  async (name, openDatabase) => {
    const database: TestDatabase = await openDatabase();
    await database.query("CREATE TABLE shipments (order_id TEXT, state TEXT)");
    const sandbox = createSandbox({ seed: "processes", deliver: (request) => deliver(request) });
    const server = await sandbox.listen({ port: 0 });
    sandbox.webhooks.disorder("duplicate", { probability: 0.1 });
    sandbox.webhooks.disorder("reorder", { probability: 0.1, by: "1s" });
    sandbox.webhooks.disorder("delay", { probability: 0.1, by: "1s" });
    const settings: WorkerSettings = {
      database: database.address,
      baseUrl: server.url,
      secretKey: sandbox.secretKey,
      webhookSecret: sandbox.webhookSecret,
      reconcileEveryMs: isWhole ? 5_000 : 1_000,
    };
    const fleet = new Fleet(built.program, 2, () => settings);

    const random = randomFrom(Number(process.env.SETTLEKIT_TEST_SEED));
    const told = { accepted: 0, dropped: 0 };
    let turn = 0;
    /** Delivers to one process after the other until one answers 200, as the service does. */
    async function deliver(request: Request): Promise<Response> {
      const body = await request.text();
      // The service believes that it arrived.
      if (/"order_\d*7"/.test(body)) {
        told.dropped++;
        return new Response();
      }
      for (;;) {
        const port = fleet.printed[turn++ % 2];
        const answer = await fetch(`http://127.0.0.1:${port}/`, {
          method: "POST",
          headers: request.headers,
          body,
          signal: AbortSignal.timeout(5_000),
        }).catch(() => undefined);
        if (answer?.status === 200) {
          told.accepted++;
          return new Response();
        }
        await delay(20);
      }
    }

    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: server.url,
      secretKey: sandbox.secretKey,
    });
    const sell = async (from: number) => {
      for (let n = from; n < scale.payments; n += 4) {
        const { paymentId } = await client.payments.create({ amount: 250, orderId: `order_${n}` });
        await sandbox.payments.simulate(paymentId, "success");
      }
    };
    const stopMs = () => leaseMs * 1.3;
    await Promise.all([
      fleet.disturb({ ...scale, stopMs, killEveryMs: 170, random }),
      ...[0, 1, 2, 3].map(sell),
    ]);
    await sandbox.webhooks.idle();

    const prefix = name === "SQLite" ? "settlekit_" : "settlekit.";
    const count = async (text: string) =>
      Number((await database.query(`SELECT count(*) AS count FROM ${prefix}${text}`))[0]?.count);
    // Rows that were being processed at three kills in a row are parked.
    let parked = 0;
    const tables = ["inbox_subjects", "inbox_tasks"];
    for (;;) {
      for (const table of tables) {
        parked += await count(`${table} WHERE parked_at IS NOT NULL`);
        await database.query(
          `UPDATE ${prefix}${table} SET parked_at = NULL, starts = 0 WHERE parked_at IS NOT NULL`,
        );
      }
      const left =
        scale.payments -
        (await count("inbox_subjects WHERE status IN ('completed', 'confirmed') AND news = seen"));
      if (left + (await count("inbox_tasks")) === 0) break;
      await delay(50);
    }
    await fleet.end();
    await server.close();

    const shipped = await database.query("SELECT order_id FROM shipments");
    const orders = new Set(shipped.map((row) => row.order_id));
    process.stdout.write(
      `inbox on ${name}: ${fleet.kills} SIGKILLs, ${fleet.stops} SIGSTOPs, ${scale.payments} payments, ${told.accepted} webhooks ` +
        `answered with 200, ${told.dropped} dropped: ${shipped.length - orders.size} effects doubled, ` +
        `${scale.payments - orders.size} lost, ${parked} parked\n`,
    );
    expect(shipped).toHaveLength(orders.size);
    expect(orders.size).toBe(scale.payments);
    await database.close();
  },
  1_800_000,
);
