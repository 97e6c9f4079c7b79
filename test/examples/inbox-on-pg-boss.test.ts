import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";

const example = new Example("inbox-on-pg-boss");
const missing = example.missing("pg", "pg-boss");
const server = await postgresServer();

describe.skipIf(missing !== undefined || server === undefined)("the inbox on pg-boss", () => {
  it("ships each paid order once", async () => {
    const { url, drop } = await createPostgresDatabase(server ?? "");
    const port = await freePort();
    const sandbox = createSandbox({ webhookUrl: `http://127.0.0.1:${port}/`, seed: "pg-boss" });
    const service = await sandbox.listen({ port: 0 });
    const shop = await example.run("start", {
      DATABASE_URL: url,
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: service.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
    });
    await shop.printed(/Receiving webhooks/);
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: service.url,
      secretKey: sandbox.secretKey,
    });
    const database = new pg.Client(url);
    await database.connect();
    // Only the jobs of webhooks are tested: without them, settle-due would ship the orders within a minute.
    await database.query("DELETE FROM pgboss.schedule");
    // The order b has two payments.
    for (const orderId of ["a", "b", "b", "c"]) {
      const { paymentId } = await client.payments.create({ amount: 2500, orderId });
      await sandbox.webhooks.idle();
      // Paid right after the job of its creation ended: the change needs a job of its own.
      await vi.waitFor(async () => {
        const { rows } = await database.query(
          "SELECT FROM pgboss.job WHERE name = 'settle' AND state <> 'completed'",
        );
        expect(rows).toEqual([]);
      });
      await sandbox.payments.simulate(paymentId, "success");
      await sandbox.webhooks.idle();
    }
    await vi.waitFor(async () => {
      const { rows } = await database.query("SELECT order_id FROM shipments ORDER BY order_id");
      expect(rows).toEqual([{ order_id: "a" }, { order_id: "b" }, { order_id: "c" }]);
    });
    await shop.printed(/b was shipped before/);
    await database.end();
    await shop.stop("SIGKILL");
    await service.close();
    await drop();
  });
});
