import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";
import { scratchFolder } from "./scratch-folder.ts";

const example = new Example("durable-shop");
const missing = example.missing("express", "pg");
const server = await postgresServer();

/** Buys some mugs from two processes, one of which is killed after two were shipped. */
async function shipsOnce(database: Record<string, string>): Promise<void> {
  const ports = [await freePort(), await freePort()];
  const sandbox = createSandbox({
    webhookUrl: `http://127.0.0.1:${ports[1]}/webhooks`,
    seed: "durable-shop",
  });
  const service = await sandbox.listen({ port: 0 });
  const start = (port: number | undefined) =>
    example.run("start", {
      ...database,
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: service.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
    });
  const first = await start(ports[0]);
  await first.printed(/The shop is open/);
  const second = await start(ports[1]);
  await second.printed(/The shop is open/);
  const url = `http://127.0.0.1:${ports[1]}`;
  const buy = async () => {
    const { status } = await fetch(`${url}/orders`, { method: "POST", redirect: "manual" });
    expect(status).toBe(303);
  };
  const shipped = async () => {
    const shipments = (await (await fetch(`${url}/shipments`)).json()) as { times: number }[];
    return shipments.map(({ times }) => times);
  };
  for (let n = 0; n < 4; n++) await buy();
  const [one, two, three, four] = sandbox.payments.all().map(({ id }) => id);
  for (const id of [one, two]) await sandbox.payments.simulate(id ?? "", "success");
  await vi.waitFor(async () => {
    expect(await shipped()).toEqual([1, 1]);
    // Otherwise the killed process may hold a lease, which the other one would wait out.
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ changed: 0 });
  });
  await first.stop("SIGKILL");
  for (const id of [three, four]) await sandbox.payments.simulate(id ?? "", "success");
  await vi.waitFor(async () => {
    expect(await shipped()).toEqual([1, 1, 1, 1]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ changed: 0, parked: 0 });
  });

  // A second payment of an order, another amount, and the order of another system on the same account.
  const [{ orderId = "" } = {}] = sandbox.payments.all();
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: service.url,
    secretKey: sandbox.secretKey,
  });
  await buy();
  const { orderId: open } = sandbox.payments.all().at(-1) ?? {};
  for (const input of [
    { amount: 2500, orderId: String(orderId) },
    { amount: 300, orderId: String(open) },
    { amount: 2500, orderId: "order_of_another_shop" },
  ]) {
    const { paymentId } = await client.payments.create(input);
    await sandbox.payments.simulate(paymentId, "success");
    await second.printed(new RegExp(`Payment ${paymentId} matches no open order`));
  }
  expect(await shipped()).toEqual([1, 1, 1, 1]);
  await second.stop();
  await service.close();
}

describe.skipIf(missing !== undefined)("the durable shop", () => {
  it("ships each order once, from two processes on one SQLite file", async () => {
    await using scratch = await scratchFolder();
    await shipsOnce({ DATABASE_FILE: join(scratch.path, "shop.sqlite") });
  });

  it.skipIf(server === undefined)(
    "ships each order once, from two processes on PostgreSQL",
    async () => {
      const { url, drop } = await createPostgresDatabase(server ?? "");
      await shipsOnce({ DATABASE_URL: url });
      await drop();
    },
  );
});
