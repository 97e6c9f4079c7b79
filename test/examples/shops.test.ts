import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox, type Sandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { signedDelivery } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";
import type { Run } from "./run.ts";
import { scratchFolder } from "./scratch-folder.ts";

interface ShopExample {
  readonly folder: string;
  /** The script that serves it. Default `start`. */
  readonly script?: string;
  /** A script that must run first. */
  readonly build?: string;
  readonly needs: readonly string[];
  /** Arguments to append to the script's command. */
  readonly more?: (port: number) => string;
  /** Whether its orders are in the SQLite file of `DATABASE_FILE`, where a test can count them. */
  readonly hasFile?: boolean;
  /** The exit code after SIGTERM. Default 0; the frameworks' own servers report the signal. */
  readonly exitCode?: number;
  /** The status of the page that says that a payment could not be started. Default 503. */
  readonly failureStatus?: number;
}

const shops: readonly ShopExample[] = [
  { folder: "express-shop", needs: ["express"], hasFile: true },
  { folder: "fastify-shop", needs: ["fastify"], hasFile: true },
  { folder: "hono-shop", needs: ["hono", "@hono/node-server"], hasFile: true },
  {
    folder: "hono-shop",
    script: "start:worker",
    needs: ["wrangler"],
    exitCode: 143,
    more: (port) => `--port ${port} --inspector-port 0 --var PUBLIC_URL:http://127.0.0.1:${port}`,
  },
  {
    folder: "next-shop",
    build: "build",
    needs: ["next"],
    hasFile: true,
    more: () => "--hostname 127.0.0.1",
    exitCode: 143,
    failureStatus: 200,
  },
];

/** A running shop, with a sandbox of its own that sends it webhooks. */
interface OpenShop {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly service: SandboxServer;
  readonly run: Run;
  readonly databaseFile: string;
}

/** The shops that can run here. `npm run test:examples` installs what the others need. */
const examples = shops.flatMap((shop) => {
  const example = new Example(shop.folder);
  if (example.missing(...shop.needs)) return [];
  const script = shop.script ?? "start";
  return [{ ...shop, example, script, title: `${example.name}, npm run ${script},` }];
});

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
const open = new Map<string, OpenShop>();

beforeAll(async () => {
  scratch = await scratchFolder();
  // Concurrently, because starting is mostly waiting.
  await Promise.all(examples.map(async (shop) => open.set(shop.title, await opened(shop))));
});

afterAll(async () => {
  // Not with SIGKILL: processes that a framework's command started would survive it.
  await Promise.all([...open.values()].map(({ run }) => run.stop()));
  for (const { service } of open.values()) await service.close();
  await scratch[Symbol.asyncDispose]();
});

async function opened({ example, script, build, more, folder }: (typeof examples)[number]) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sandbox = createSandbox({ webhookUrl: `${url}/webhooks` });
  const service = await sandbox.listen({ port: 0 });
  const databaseFile = join(scratch.path, `${folder}-${script.replace(":", "-")}.sqlite`);
  const variables = {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
    PORT: String(port),
    PUBLIC_URL: url,
    DATABASE_FILE: databaseFile,
  };
  if (build) {
    // Without variables, because a build must not need secrets.
    const building = await example.run(build);
    expect([await building.ended(), building.output]).toEqual([0, expect.anything()]);
  }
  const run = await example.run(script, variables, more?.(port));
  await run.answers(`${url}/health`);
  return { url, sandbox, service, run, databaseFile };
}

describe.each(examples)("$title", ({ title, hasFile, ...expected }) => {
  const { exitCode = 0, failureStatus = 503 } = expected;
  const shop = () => {
    const found = open.get(title);
    if (found === undefined) throw new Error(`${title} is not open.`);
    return found;
  };

  /** Buys something, as a browser without scripts would. */
  async function buy(sku: string) {
    const { url, sandbox } = shop();
    expect(await (await fetch(url)).text()).toContain(`value="${sku}"`);
    const answer = await fetch(`${url}/orders`, {
      method: "POST",
      body: new URLSearchParams({ sku }),
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
    const paymentUrl = answer.headers.get("location") ?? "";
    const paymentId = paymentUrl.split("/").at(-1) ?? "";
    const payment = sandbox.payments.all().find(({ id }) => id === paymentId);
    await sandbox.webhooks.idle();
    return { paymentId, orderPage: payment?.redirectUrl ?? "", orderId: payment?.orderId ?? "" };
  }

  const text = async (url: string) => (await fetch(url)).text();

  const countEffects = (paymentId: string) => {
    using database = new DatabaseSync(shop().databaseFile, { readOnly: true });
    const count = "SELECT count(*) AS count FROM effects WHERE payment_id = ?";
    return database.prepare(count).get(paymentId)?.count;
  };

  it("marks an order as paid when the webhook reports its payment", async () => {
    const { sandbox } = shop();
    const { paymentId, orderPage } = await buy("mug");
    expect(await text(orderPage)).toContain("awaiting payment");
    await sandbox.payments.simulate(paymentId, "success");
    await sandbox.webhooks.idle();
    const page = await text(orderPage);
    expect(page).toContain("Mug, $25.00");
    expect(page).toContain("<strong>paid</strong>");
  });

  it("does not treat an underpaid order as paid", async () => {
    const { sandbox } = shop();
    const { paymentId, orderPage } = await buy("shirt");
    await sandbox.payments.simulate(paymentId, "underpayment");
    await sandbox.webhooks.idle();
    expect(await text(orderPage)).toContain("<strong>not paid</strong>");
  });

  it("refuses tampered, forged and unsigned webhooks", async () => {
    const { sandbox, url } = shop();
    const { paymentId, orderId, orderPage } = await buy("mug");
    const event = {
      event: "payment.updated",
      data: { id: paymentId, orderId, status: "completed" },
    };
    const genuine = signedDelivery({ event, secret: sandbox.webhookSecret });
    const forged = signedDelivery({ event, secret: "whsec_forged" });
    const deliver = async (body: string, headers: Record<string, string>) =>
      (await fetch(`${url}/webhooks`, { method: "POST", headers, body })).status;
    expect(await deliver(`${genuine.body} `, genuine.headers)).toBe(401);
    expect(await deliver(forged.body, forged.headers)).toBe(401);
    expect(await deliver(genuine.body, { "content-type": "application/json" })).toBe(401);
    // A valid signature, but the service has received no money.
    expect(await deliver(genuine.body, genuine.headers)).toBe(200);
    expect(await text(orderPage)).toContain("awaiting payment");
  });

  if (hasFile) {
    it("ships once, however often its webhook arrives", async () => {
      const { sandbox } = shop();
      const { paymentId } = await buy("mug");
      await sandbox.payments.simulate(paymentId, "success");
      await sandbox.webhooks.idle();
      const paid = sandbox.webhooks.deliveries().at(-1);
      await Promise.all([1, 2, 3].map(() => sandbox.webhooks.replay(paid?.id ?? "")));
      await sandbox.webhooks.idle();
      const again = sandbox.webhooks.deliveries().slice(-3);
      expect(again.map(({ data, status }) => [data.id, status])).toEqual(
        Array(3).fill([paymentId, "delivered"]),
      );
      expect(countEffects(paymentId)).toBe(1);
    });
  }

  it("says when the payment cannot be started, and offers to try again", async () => {
    const { sandbox, url } = shop();
    sandbox.faults.next("POST /payments", { status: 400, when: "before" });
    const body = new URLSearchParams({ sku: "mug" });
    const failed = await fetch(`${url}/orders`, { method: "POST", body });
    expect(failed.status).toBe(failureStatus);
    const page = await failed.text();
    expect(page).toContain("Nothing was charged");
    const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
    const answer = await fetch(url + action, { method: "POST", redirect: "manual" });
    expect(answer.headers.get("location")).toContain("/payment/");
  });

  it("finds the payment of an event that has only the documented fields", async () => {
    const { sandbox, service, url } = shop();
    sandbox.faults.next("POST /payments", { status: 400, when: "before" });
    const body = new URLSearchParams({ sku: "mug" });
    const failed = await fetch(`${url}/orders`, { method: "POST", body });
    const [, orderId = ""] = /action="\/orders\/([^/]+)\/payment"/.exec(await failed.text()) ?? [];
    const event = { event: "payment.updated", data: { status: "completed", orderId } };
    const deliver = async () => {
      const delivery = signedDelivery({ event, secret: sandbox.webhookSecret });
      return (await fetch(delivery.request(`${url}/webhooks`))).status;
    };
    expect(await deliver()).toBe(500);

    // The payment exists, but the shop crashed before it could save its id.
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: service.url,
      secretKey: sandbox.secretKey,
    });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId });
    sandbox.webhooks.disorder("delay", { event: "payment.updated", by: "20m" });
    await sandbox.payments.simulate(paymentId, "success");
    expect(await deliver()).toBe(200);
    expect(await text(`${url}/orders/${orderId}`)).toContain("<strong>paid</strong>");
  });

  it("answers 404 for unknown orders and products", async () => {
    const { url } = shop();
    expect((await fetch(`${url}/orders/order_none`)).status).toBe(404);
    const body = new URLSearchParams({ sku: "castle" });
    expect((await fetch(`${url}/orders`, { method: "POST", body })).status).toBe(404);
  });

  it("answers malformed requests with 4xx", async () => {
    const { url } = shop();
    const json = "application/json";
    for (const [type, body] of [
      [json, "{"],
      [json, "null"],
      [json, '{"sku":{"a":1}}'],
      ["multipart/form-data; boundary=a", "--b"],
    ] as const) {
      const headers = { "content-type": type };
      const { status } = await fetch(`${url}/orders`, { method: "POST", headers, body });
      expect([400, 404, 415]).toContain(status);
    }
    const long = new URLSearchParams({ sku: "a".repeat(200_000) });
    const { status } = await fetch(`${url}/orders`, { method: "POST", body: long });
    expect([404, 413]).toContain(status);
  });

  it("shuts down cleanly on SIGTERM", async () => {
    expect(await shop().run.stop("SIGTERM")).toBe(exitCode);
  });
});
