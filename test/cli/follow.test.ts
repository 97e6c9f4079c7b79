import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { scriptedServer } from "../scripted-server.ts";
import { CommandLine, main } from "./command-line.ts";
import { sandboxFor, sandboxInProcess } from "./running-sandbox.ts";

const { server, client } = await sandboxInProcess("follow");

const create = () => client.payments.create({ amount: 2500, orderId: "order_1" });

describe("settlekit events --follow", () => {
  test("prints events as they happen, until the sandbox stops", async () => {
    const other = createSandbox();
    const short = await other.listen({ port: 0 });
    await using following = new CommandLine([
      ...["events", "--follow", "--json", "--type", "payment", "--url", short.url],
    ]);
    const { secretKey } = other;
    const buyer = new MerchantClient({ environment: "sandbox", baseUrl: short.url, secretKey });
    // The stream may open after a payment is created, so create payments until one is printed.
    const printed = following.json("payment.created");
    let isPrinted = false;
    void printed.then(() => {
      isPrinted = true;
    });
    while (!isPrinted) await buyer.payments.create({ amount: 2500, orderId: "order_1" });
    expect(await printed).toMatchObject({ orderId: "order_1", status: "pending" });
    await short.close();
    expect(await following.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("prints a webhook of the followed order, whose payment was created before", async () => {
    await using shop = await scriptedServer({ status: 200 });
    await using own = await sandboxFor(shop.url);
    await using following = new CommandLine([
      ...["events", "--follow", "--json", "--order-id", "order_1", "--url", own.url],
    ]);
    const printed = following.json("webhook.attempted");
    let isPrinted = false;
    void printed.then(() => {
      isPrinted = true;
    });
    // The stream may open after a webhook is resent.
    while (!isPrinted) await own.webhooks.replay(own.deliveryId);
    expect(await printed).toMatchObject({ event: "payment.created", orderId: "order_1" });
  });

  test("exits when its output is no longer read", async () => {
    await using following = new CommandLine(["events", "--follow", "--url", server.url]);
    let hasEnded = false;
    void following.ended.then(() => {
      hasEnded = true;
    });
    void following.stdout.next(() => true).then(() => following.process.stdout?.destroy());
    while (!hasEnded) await create();
    expect(await following.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("stops at the first signal once the sandbox has stopped, even if nothing reads its output", async () => {
    const event = { type: "clock.advanced", at: "2026-01-01T00:00:00Z", until: "2026-01-02" };
    // More than a pipe holds.
    const body = `data: ${JSON.stringify(event)}\n\n`.repeat(10_000);
    await using stopped = await scriptedServer({
      headers: { "content-type": "text/event-stream" },
      body,
    });
    const child = spawn(process.execPath, [...[main, "events", "--follow", "--url", stopped.url]]);
    expect(String(await once(child.stderr, "data"))).toContain("has stopped");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([143, null]);
  });
});
