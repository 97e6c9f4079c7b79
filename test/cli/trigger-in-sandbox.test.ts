import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { sandboxInProcess } from "./running-sandbox.ts";

const { sandbox, server, client, run, runWith } = await sandboxInProcess("trigger");

const unsent =
  "Warning: Nothing was sent: the sandbox has no --webhook-url. Restart it with one, or pass --to.\n";

describe("settlekit trigger with a sandbox", () => {
  test("creates a real payment, moves it to the status and sends the sandbox's webhook", async () => {
    await using shop = await scriptedServer({});
    const { code, stderr } = await run(
      ...["trigger", "payment.updated", "--status", "refunded"],
      ...["--order-id", "order_7", "--to", shop.url],
    );
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^payment\.updated → /),
    });
    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    const { data } = new Webhooks({ secret: sandbox.webhookSecret }).verifySync(received);
    const refunded = { orderId: "order_7", status: "refunded" };
    expect(data).toMatchObject(refunded);
    expect(await client.payments.get(String(data.id))).toMatchObject(refunded);
  });

  test("lets the sandbox send the webhook without --to, and says if it has nowhere to send it", async () => {
    const { code, stdout, stderr } = await run("trigger", "withdrawal.updated", "--json");
    expect(code).toBe(0);
    expect(stderr).toBe(unsent);
    const { type, data } = JSON.parse(stdout);
    expect(type).toBe("created");
    expect(await client.withdrawals.get(data.id)).toMatchObject({ status: "completed" });
    expect(sandbox.webhooks.deliveries()).toHaveLength(2);
  });

  test.each([
    [{ status: 204 }, 0, "answered 204 in"],
    [
      { status: 401, body: "who are you" },
      3,
      "compare the secrets on both sides.\n  who are you\n",
    ],
    [{ status: 500 }, 5, "answered 500 in"],
    [reset, 4, "did not respond: the connection broke"],
  ])(
    "reports how the sandbox's endpoint answered: %j exits with %i",
    async (answer, code, text) => {
      await using shop = await scriptedServer(...[{ status: 200 }, answer, { status: 200 }]);
      await using own = await createSandbox({ webhookUrl: shop.url }).listen({ port: 0 });
      const triggered = await run("trigger", "payment.updated", "--url", own.url);
      expect(triggered).toMatchObject({
        code,
        stdout: expect.stringMatching(/^payment\.updated {2}completed {2}order_1 /),
        stderr: expect.stringContaining(text),
      });
    },
  );

  test("prints the answer of the sandbox's endpoint with --json as it does with --to", async () => {
    await using shop = await scriptedServer({ status: 403, body: "no" });
    await using own = await createSandbox({ webhookUrl: shop.url }).listen({ port: 0 });
    const { code, stdout, stderr } = await run(
      ...["trigger", "payment.created", "--url", own.url, "--json"],
    );
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    const { data, ...sent } = JSON.parse(stdout);
    expect(data).toMatchObject({ status: "pending", orderId: "order_1" });
    expect(sent).toMatchObject({
      ...{ type: "sent", url: `${shop.url}/`, event: "payment.created", detached: false },
      ...{ status: 403, body: "no", headers: {}, durationMs: expect.any(Number) },
    });
  });

  test("does not wait for a webhook that the sandbox holds back", async () => {
    const delaying = createSandbox({ deliver: () => new Response() });
    delaying.webhooks.disorder("delay", { event: "payment.created" });
    await using own = await delaying.listen({ port: 0 });
    const { code, stderr } = await run("trigger", "payment.created", "--url", own.url);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Warning: Nothing was sent yet: a disorder .* until 2\d+-/),
    });
  });

  test("says that the sandbox was reset while its webhook was under way", async () => {
    const forgetful = createSandbox({
      deliver() {
        forgetful.reset();
        return new Response();
      },
    });
    await using own = await forgetful.listen({ port: 0 });
    const { code, stderr } = await run("trigger", "payment.created", "--url", own.url);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining("it was reset meanwhile"),
    });
  });

  test("creates the object for another merchant", async () => {
    const several = createSandbox({ merchants: [{}, {}] });
    await using shared = await several.listen({ port: 0 });
    const { merchantId, webhookSecret = "" } = several.merchants[1] ?? {};
    await using shop = await scriptedServer({});
    const { code } = await run(
      ...["trigger", "payment.updated", "--url", shared.url, "--to", shop.url],
      ...["--merchant-id", String(merchantId), "--secret", webhookSecret],
    );
    expect(code).toBe(0);
    expect(several.payments.all()).toMatchObject([{ merchantId, status: "completed" }]);
    expect(several.merchants[0]?.merchantId).not.toBe(merchantId);
    const [received] = shop.requests;
    if (received === undefined) throw new Error("nothing was received");
    const { data } = new Webhooks({ secret: webhookSecret }).verifySync(received);
    expect(data).toMatchObject({ merchantId });
    const unknown = await run("trigger", "payment.created", "--merchant-id", "nobody");
    const message = `settlekit: merchantId must be one of this sandbox's: ${sandbox.merchantId}.\n`;
    expect(unknown).toMatchObject({ code: 5, stderr: message });
  });

  test.each([
    [["payment.updated", "--set", "amountInCents=990"], "--set needs --detached"],
    [["payment.updated", "--status", "pending"], "only with completed, failed, expired"],
    [["payment.updatd"], 'Did you mean "payment.updated"?'],
    [["payment.confirmed"], "settlekit: A sandbox sends only payment.created, "],
  ])("%j needs --detached", async (args, hint) => {
    const { code, stderr } = await run("trigger", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
    expect(sandbox.requests()).toEqual([]);
  });

  test("creates nothing with a --secret that it would not use, or without one that it needs", async () => {
    const unused = await run("trigger", "payment.updated", "--secret", "whsec_c2VjcmV0");
    expect(unused).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass --to URL") });
    const withoutSecret = { SETTLEKIT_WEBHOOK_SECRET: "" };
    const missing = await runWith(withoutSecret, "trigger", "payment.updated", "--to", server.url);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("--secret") });
    expect(sandbox.requests()).toEqual([]);
  });

  test("takes an empty SETTLEKIT_ENVIRONMENT for one that is not set", async () => {
    const unset = { SETTLEKIT_ENVIRONMENT: "" };
    const { code, stderr } = await runWith(unset, "trigger", "payment.created");
    expect({ code, stderr }).toEqual({ code: 0, stderr: unsent });
  });

  test("creates nothing when the environment is not a sandbox", async () => {
    const elsewhere = { SETTLEKIT_ENVIRONMENT: "testnet" };
    const { code, stderr } = await runWith(elsewhere, "trigger", "payment.updated");
    expect(code).toBe(2);
    expect(stderr).toContain('SETTLEKIT_ENVIRONMENT is "testnet"');
    expect(sandbox.requests()).toEqual([]);
  });
});
