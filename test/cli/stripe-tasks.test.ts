import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScriptedServer, scriptedServer } from "../scripted-server.ts";
import { CommandLine } from "./command-line.ts";
import { sandbox } from "./running-sandbox.ts";

// Everyday tasks of Stripe's command line, in order, with one sandbox and one shop.

let shop: ScriptedServer;
let running: Awaited<ReturnType<typeof sandbox>>;
let listening: CommandLine;
let variables: Record<string, string>;
let paymentId = "";

beforeAll(async () => {
  shop = await scriptedServer({});
  variables = { SETTLEKIT_ENVIRONMENT: "sandbox" };
});
afterAll(async () => {
  await listening?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

/** What a command prints with `--json`. */
async function jsonOf(...args: string[]) {
  const { code, stdout, stderr } = await new CommandLine([...args, "--json"], variables).ended;
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return stdout
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

describe("ten everyday tasks of a Stripe user", () => {
  test("1. listen: webhooks reach the server on this machine", async () => {
    listening = new CommandLine(
      ["listen", "--port", "0", "--forward-to", shop.url, "--tolerance", "Infinity", "--json"],
      { SETTLEKIT_WEBHOOK_SECRET: await webhookSecret() },
    );
    const { url } = await listening.json<{ url: string }>();
    running = await sandbox("--seed", "stripe", "--webhook-url", url);
    variables = {
      ...variables,
      SETTLEKIT_SANDBOX_URL: running.keys.url,
      SETTLEKIT_SECRET_KEY: running.keys.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: running.keys.webhookSecret,
    };
  });

  test("2. payment_intents create", async () => {
    const [created] = await jsonOf(
      "payments",
      "create",
      "--order-id",
      "order_1",
      "--amount",
      "2500",
    );
    paymentId = created.paymentId;
    expect(created).toMatchObject({ payment: { status: "pending", amountInCents: 2500 } });
    expect(await listening.json("webhook")).toMatchObject({ event: "payment.created", ok: true });
  });

  test("3. pay with a test card", async () => {
    const [paid] = await jsonOf("simulate", paymentId, "success");
    expect(paid).toMatchObject({ id: paymentId, status: "completed" });
  });

  test("4. payment_intents retrieve", async () => {
    expect(await jsonOf("payments", "get", paymentId)).toMatchObject([{ status: "completed" }]);
  });

  test("5. payment_intents list and search", async () => {
    expect(await jsonOf("payments", "list", "--status", "completed", "--limit", "5")).toHaveLength(
      1,
    );
    expect(await jsonOf("payments", "find", "order_1")).toMatchObject([{ id: paymentId }]);
  });

  test("6. trigger", async () => {
    const [created] = await jsonOf("trigger", "payment.updated", "--status", "failed");
    expect(created).toMatchObject({ event: "payment.updated", data: { status: "failed" } });
    await expect.poll(() => shop.requests.length).toBeGreaterThanOrEqual(4);
  });

  test("7. events list and logs tail", async () => {
    const deliveries = await jsonOf(
      "events",
      "--type",
      "webhook.attempted",
      "--order-id",
      "order_1",
    );
    expect(deliveries.length).toBeGreaterThanOrEqual(2);
    expect(deliveries[0]).toMatchObject({ event: "payment.created", status: 200 });
    const requests = await jsonOf("events", "--type", "request");
    expect(requests.at(0)).toMatchObject({ method: "POST", status: 201 });
  });

  test("8. events resend", async () => {
    const before = shop.requests.length;
    const [{ deliveryId }] = await jsonOf("events", "--type", "webhook.attempted");
    const [resent] = await jsonOf("resend", deliveryId);
    expect(resent).toMatchObject({ event: "payment.created", status: "delivered" });
    expect(shop.requests).toHaveLength(before + 1);
  });

  test("9. payouts create, and balance retrieve", async () => {
    const [withdrawal] = await jsonOf(
      ...["withdrawals", "create-once", "--order-id", "payout_1", "--amount-in-cents", "900"],
      ...["--chain-id", "84532", "--yes"],
      ...["--recipient-address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    );
    await jsonOf("simulate", withdrawal.id, "complete");
    expect(await jsonOf("withdrawals", "wait", withdrawal.id)).toMatchObject([
      { orderId: "payout_1", status: "completed" },
    ]);
    const [balance] = await jsonOf("balances");
    expect(balance).toMatchObject({ token: { symbol: expect.any(String) } });
    const { stdout } = await new CommandLine(["balances"], variables).ended;
    expect(stdout).toMatch(/^chainId +token\.symbol +amountFormatted\n84532 +[A-Z]+ +\d/);
  });

  test("10. test_clocks advance", async () => {
    const [open] = await jsonOf("payments", "create", "--order-id", "order_2", "--amount", "900");
    const happened = await jsonOf("advance", "15m");
    expect(happened).toContainEqual(
      expect.objectContaining({ type: "payment.expired", paymentId: open.paymentId }),
    );
    expect(happened.at(-1)).toMatchObject({ type: "advanced" });
  });
});

/** The webhook secret of every sandbox with this seed. */
async function webhookSecret(): Promise<string> {
  await using other = await sandbox("--seed", "stripe");
  return other.keys.webhookSecret;
}
