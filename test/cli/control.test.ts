import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { scriptedServer } from "../scripted-server.ts";
import { settlekit } from "./command-line.ts";
import { sandboxFor, sandboxInProcess } from "./running-sandbox.ts";

const { sandbox, server, client, run } = await sandboxInProcess("control");
afterEach(() => vi.restoreAllMocks());

const create = (orderId = "order_1") => client.payments.create({ amount: 2500, orderId });

describe("a running sandbox", () => {
  test("plays a customer with simulate", async () => {
    const { paymentId } = await create();
    const { code, stdout } = await run("simulate", paymentId, "success", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: paymentId, status: "completed" });
    expect(await client.payments.get(paymentId)).toMatchObject({ status: "completed" });
    const again = await run("simulate", paymentId, "success");
    expect(again).toMatchObject({ code: 5, stdout: "" });
    const { code: unknown, stderr } = await run("simulate", "nowhere", "fail");
    expect(unknown).toBe(5);
    expect(stderr).toMatch(/no withdrawal with that id.* --url or SETTLEKIT_SANDBOX_URL selects/);
    expect(stderr).toContain(`This is the sandbox at ${server.url};`);
  });

  test("prints what matters of a simulated payment, and everything with --json", async () => {
    const { paymentId } = await create();
    const { stdout } = await run("simulate", paymentId, "underpayment");
    expect(stdout.trimEnd().split("\n").sort()).toEqual([
      "amountInCents             2500",
      `id                        ${paymentId}`,
      "orderId                   order_1",
      "receipt.settledAmountUsd  22.50",
      "status                    failed",
    ]);
    const { paymentId: other } = await create();
    const { stdout: json } = await run("simulate", other, "success", "--json");
    expect(JSON.parse(json)).toHaveProperty("receipt.txHash");
  });

  test("refunds a payment, and cancels a payment or a withdrawal by its id", async () => {
    const [paid, unpaid] = [await create("paid"), await create("unpaid")];
    await run("simulate", paid.paymentId, "success");
    const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const payout = { amountInCents: 2500, chainId: 84532, recipientAddress };
    const { id: withdrawalId } = await client.withdrawals.create(payout);
    for (const [scenario, status, id] of [
      ["refund", "refunded", paid.paymentId],
      ["cancel", "cancelled", unpaid.paymentId],
      ["cancel", "cancelled", withdrawalId],
    ] as const) {
      const { stdout } = await run("simulate", id, scenario, "--json");
      expect(JSON.parse(stdout)).toMatchObject({ id, status });
    }
  });

  test("takes --amount for a deposit, and refuses it for anything else", async () => {
    const { paymentId } = await client.payments.create({ type: "deposit", orderId: "order_1" });
    const paying = ["simulate", paymentId, "underpayment", "--amount", "990", "--json"];
    const { stdout } = await run(...paying);
    expect(JSON.parse(stdout)).toMatchObject({
      amountInCents: 990,
      receipt: { settledAmountUsd: "8.91" },
    });
    const { paymentId: fixed } = await create();
    expect(await run("simulate", fixed, "success", "--amount", "990")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("applies to deposits only"),
    });
    expect(await run("simulate", "any", "complete", "--amount", "990")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Leave out --amount"),
    });
    const { stdout: help } = await run("simulate", "--help");
    expect(help).toContain("For a deposit");
  });

  test("moves its clock with advance, which prints what became due", async () => {
    const { paymentId } = await create();
    const { code, stdout, stderr } = await run("advance", "15m");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`→ payment.updated  expired  order_1  ${paymentId}$`, "m"));
    expect(stderr).toBe("The sandbox's clock shows 2026-01-01T00:15:00.000Z.\n");
  });

  test.each(["soon", "15", "1.5h", "9999999999d"])(
    "does not advance by %s, which is not a whole number with a unit, or too large",
    async (duration) => {
      const before = sandbox.clock.now();
      const { code, stderr } = await run("advance", duration);
      expect(code).toBe(2);
      expect(stderr).toContain(
        "Expected a whole number with a unit, as in 90s or 15m; at most 1000000d.",
      );
      expect(sandbox.clock.now()).toEqual(before);
    },
  );

  test("lists what happened with events, filtered by type, order and status", async () => {
    const { paymentId } = await create("order_1");
    await create("order_2");
    await sandbox.payments.simulate(paymentId, "success");
    const typesOf = async (...args: string[]) => {
      const { stdout } = await run("events", "--json", ...args);
      const lines = stdout.split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line).type);
    };
    expect(await typesOf("--type", "payment", "--order-id", "order_1")).toEqual([
      "payment.created",
      "payment.moved",
    ]);
    expect(await typesOf("--order-id", "order_1", "--type", "webhook.created")).toHaveLength(2);
    expect(await typesOf("--status", "completed")).toEqual(["payment.moved"]);
    expect(await typesOf("--type", "clock")).toEqual([]);
  });

  test("says that no event matches, but not to programs", async () => {
    for (const [args, stderr] of [
      [["--order-id", "nobody"], "No events.\n"],
      [["--order-id", "nobody", "--json"], ""],
    ] as const) {
      expect(await run("events", ...args)).toEqual({ code: 0, stdout: "", stderr });
    }
  });

  test("prints created webhooks and applied faults only when events asks for their type", async () => {
    sandbox.faults.next("POST /payments", { status: 503, when: "after" });
    await create("order_1");
    const [{ id } = { id: "" }] = sandbox.webhooks.deliveries();
    const linesOf = async (...args: string[]) => (await run("events", ...args)).stdout;
    expect(await linesOf("--type", "webhook.created")).toMatch(
      new RegExp(`^\\S+  webhook payment.created  created  order_1  ${id}\n$`),
    );
    expect(await linesOf("--type", "fault")).toMatch(
      /^\S+ {2}fault POST \/payments {2}\{"status":503,"when":"after"\}\n$/,
    );
    expect(await linesOf()).not.toMatch(/ fault | {2}created {2}/);
  });

  test("prints events for other programs to filter", async () => {
    await create("order_1");
    const { stdout, stderr } = await run("events");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\S+ {2}→ payment\.created {2}pending {2}order_1 {2}\S+$/m);
  });

  test("is found through a variable in the file of --dotenv", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "settlekit-control-")), ".env");
    await writeFile(path, `SETTLEKIT_SANDBOX_URL=${server.url}\n`);
    const { paymentId } = await create("order_1");
    for (const args of [["simulate", paymentId, "success"], ["advance", "1m"], ["events"]]) {
      const { code, stderr } = await settlekit([...args, "--dotenv", path, "--json"]);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    }
    const missing = await settlekit(["resend", "nowhere", "--dotenv", path]);
    expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining("no webhook") });
    await rm(dirname(path), { recursive: true });
  });

  test.each([
    ["paymnt", "payment"],
    ["webhook.atempted", "webhook.attempted"],
    ["webhook.", "webhook"],
  ])("refuses the event type %s, and suggests the nearest", async (typo, near) => {
    const { code, stderr } = await run("events", "--type", typo);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`--type.*"${typo}".*Did you mean .?${near}.?\\?`, "s"));
  });

  test("delivers a webhook once more with resend", async () => {
    await using shop = await scriptedServer({ status: 500 }, { status: 200 });
    await using own = await sandboxFor(shop.url);
    const { code, stdout } = await run("resend", own.deliveryId, "--url", own.url);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "payment.created  delivered  200\n" });
    expect(shop.requests).toHaveLength(2);
    const refused = await run("resend", "nowhere", "--json");
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stdout)).toMatchObject({ type: "error", error: { status: 404 } });
  });

  test("makes resend exit like trigger when the endpoint refuses the webhook, or does not respond", async () => {
    const shop = await scriptedServer({ status: 500 }, { status: 500 }, { status: 401 });
    await using own = await sandboxFor(shop.url);
    expect((await run("resend", own.deliveryId, "--url", own.url)).code).toBe(5);
    expect((await run("resend", own.deliveryId, "--url", own.url)).code).toBe(3);
    await shop[Symbol.asyncDispose]();
    expect((await run("resend", own.deliveryId, "--url", own.url)).code).toBe(4);
  });

  test.each([["simulate", "id", "success"], ["advance", "1m"], ["events"], ["resend", "id"]])(
    "that does not answer makes %s exit with 4 and say how to start one",
    async (...args) => {
      const { code, stderr } = await settlekit([...args, "--url", "http://127.0.0.1:1"]);
      expect(code).toBe(4);
      expect(stderr).toContain("Start one with: settlekit sandbox");
    },
  );

  test("that never responds makes a command exit with 4, and say so", async () => {
    await using hanging = await scriptedServer(() => {});
    const { timeout } = AbortSignal;
    const limits = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(20));
    const { code, stderr } = await settlekit(["simulate", "id", "success", "--url", hanging.url]);
    expect(limits.mock.calls).toEqual([[60_000]]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("did not respond in time")]);
  });

  test.each([200, 422])(
    "that breaks off a response of %i makes a command exit with 4",
    async (status) => {
      await using dying = await scriptedServer((response) => {
        response.writeHead(status, { "content-length": "1000" });
        response.write("{", () => response.destroy());
      });
      const { code, stderr } = await settlekit(["simulate", "id", "success", "--url", dying.url]);
      expect([code, stderr]).toEqual([4, expect.stringContaining("No sandbox answers at")]);
    },
  );

  test("that stops in the middle of a response makes a command exit with 4", async () => {
    await using hanging = await scriptedServer((response) => {
      response.writeHead(200, { "content-length": "1000" }).write("{");
    });
    const { timeout } = AbortSignal;
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(200));
    const { code, stderr } = await settlekit(["simulate", "id", "success", "--url", hanging.url]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("did not respond in time")]);
  });

  test.each(["localhost:4010", "nowhere", "ftp://127.0.0.1", "http://ann:secret@127.0.0.1:4010"])(
    "is not looked for at %s, which is not a valid URL for a sandbox",
    async (url) => {
      const { code, stderr } = await settlekit(["advance", "1m"], { SETTLEKIT_SANDBOX_URL: url });
      expect(code).toBe(2);
      expect(stderr).toContain("SETTLEKIT_SANDBOX_URL must be a complete http or https URL");
      const option = await settlekit(["advance", "1m", "--url", url]);
      expect(option.code).toBe(2);
      expect(option.stderr).toContain("Expected a complete http or https URL");
    },
  );

  test("is looked for at the default URL when its variable is empty", async () => {
    const { stderr } = await settlekit(["advance", "0s"], { SETTLEKIT_SANDBOX_URL: "" });
    // A sandbox may be listening there.
    expect(stderr).toMatch(/No sandbox answers at http:\/\/127\.0\.0\.1:4010|The sandbox's clock/);
  });

  test.each([
    [404, ["events"]],
    [200, ["events", "--follow"]],
    [200, ["advance", "1m"]],
  ])("is told apart from another server that answers %i", async (status, args) => {
    await using shop = await scriptedServer({ status, body: "<h1>Shop</h1>" });
    const { code, stderr } = await settlekit([...args, "--url", shop.url]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("but it is not a sandbox")]);
  });
});
