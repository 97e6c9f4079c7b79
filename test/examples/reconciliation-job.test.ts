import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";
import { scratchFolder } from "./scratch-folder.ts";

const shopExample = new Example("express-shop");
const example = new Example("reconciliation-job");

/** The Express shop and the job on one database, with a service whose webhooks may find the shop closed. */
async function openedShop() {
  const scratch = await scratchFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sandbox = createSandbox({ webhookUrl: `${url}/webhooks` });
  const service = await sandbox.listen({ port: 0 });
  const databaseFile = join(scratch.path, "shop.sqlite");
  const variables = {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
    PORT: String(port),
    DATABASE_FILE: databaseFile,
  };
  const open = async () => {
    const run = await shopExample.run("start", variables);
    await run.answers(`${url}/health`);
    return run;
  };
  return {
    sandbox,
    open,
    async buy() {
      const body = new URLSearchParams({ sku: "mug" });
      const answer = await fetch(`${url}/orders`, { method: "POST", body, redirect: "manual" });
      await sandbox.webhooks.idle();
      const paymentId = answer.headers.get("location")?.split("/").at(-1) ?? "";
      const payment = sandbox.payments.all().find(({ id }) => id === paymentId);
      return { paymentId, orderId: payment?.orderId ?? "" };
    },
    async reconcile() {
      const run = await example.run("start", variables);
      expect([await run.ended(), run.output]).toEqual([0, expect.anything()]);
      return run.output;
    },
    state: async (orderId: string) =>
      /<strong>(.*)<\/strong>/.exec(await (await fetch(`${url}/orders/${orderId}`)).text())?.[1],
    effects() {
      using database = new DatabaseSync(databaseFile, { readOnly: true });
      return database
        .prepare("SELECT order_id AS orderId, state FROM effects ORDER BY rowid")
        .all();
    },
    async [Symbol.asyncDispose]() {
      await service.close();
      await scratch[Symbol.asyncDispose]();
    },
  };
}

it("the job fails rather than creates a database", async () => {
  await using scratch = await scratchFolder();
  const databaseFile = join(scratch.path, "mistyped.sqlite");
  const run = await example.run("start", {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SECRET_KEY: "sk_test_1",
    DATABASE_FILE: databaseFile,
  });
  expect(await run.ended()).toBe(1);
  expect(run.output).toContain("unable to open database file");
  expect(existsSync(databaseFile)).toBe(false);
});

describe.skipIf(shopExample.missing("express"))(example.name, () => {
  it("finds a payment made while the shop was closed, and ships it once", async () => {
    await using shop = await openedShop();
    const { sandbox } = shop;
    const first = await shop.open();
    const [paid, unpaid, waiting] = [await shop.buy(), await shop.buy(), await shop.buy()];
    await first.stop();
    await sandbox.payments.simulate(paid.paymentId, "success");
    await sandbox.payments.simulate(unpaid.paymentId, "underpayment");
    expect(shop.effects()).toEqual([]);

    expect(await shop.reconcile()).toContain(`${paid.orderId} is paid; its webhook never arrived`);
    const effects = [
      { orderId: paid.orderId, state: "paid" },
      { orderId: unpaid.orderId, state: "not paid" },
    ];
    const byOrder = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b));
    const seen = () =>
      shop
        .effects()
        .map((row) => ({ ...row }))
        .sort(byOrder);
    expect(seen()).toEqual(effects.sort(byOrder));

    // The webhook arrives after all, twice, while the job runs again.
    const second = await shop.open();
    const [news] = sandbox.webhooks
      .deliveries()
      .filter(({ event, data }) => event === "payment.updated" && data.id === paid.paymentId);
    await Promise.all([
      sandbox.webhooks.replay(news?.id ?? ""),
      sandbox.webhooks.replay(news?.id ?? ""),
      shop.reconcile(),
    ]);
    await sandbox.webhooks.idle();
    expect(seen()).toEqual(effects);
    expect(await shop.state(paid.orderId)).toBe("paid");
    expect(await shop.state(unpaid.orderId)).toBe("not paid");
    expect(await shop.state(waiting.orderId)).toBe("awaiting payment");
    await second.stop();
  });

  it("rehearses with a sandbox of its own", async () => {
    const run = await example.run("dev");
    expect([await run.ended(), run.output]).toEqual([0, expect.anything()]);
    const [, id] = /(order_\S+): success/.exec(run.output) ?? [];
    expect(run.output).toContain(`The first run finds paid: ${id}\n`);
    expect(run.output).toContain("The second run finds paid: nothing");
  });
});
