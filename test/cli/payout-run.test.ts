import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { scriptedServer, silent } from "../scripted-server.ts";
import { CommandLine } from "./command-line.ts";
import { errorOf, linesOf, payoutsCommand, planOf, recipient } from "./payouts-command.ts";

const { sandbox, url, path, run, payouts, payoutsWith } = payoutsCommand("payout run");
const revoked = { SETTLEKIT_SECRET_KEY: "sk_test_revoked" };

/** Payouts that were tried or sent are due again after five seconds, which the next commands may take. */
function postpone(): void {
  const db = new DatabaseSync(path());
  db.exec("UPDATE settlekit_payouts SET due_at = due_at + 3600000");
  db.close();
}

describe("settlekit payouts run", () => {
  it("exits with 3 when the key is refused, and counts the payouts that wait for a retry", async () => {
    await payouts(...planOf("a"));
    await payouts(...planOf("b"));
    const refused = await payoutsWith(revoked, "run", "--no-limits");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(linesOf(refused.stderr)).toEqual([
      expect.stringMatching(/Payouts to be retried after a failure: 2, the first at [\dT:.-]+Z\.$/),
      expect.stringMatching(/^settlekit: .*Check that the credential is complete/),
    ]);
    postpone();
    const waiting = await payouts("run", "--no-limits");
    expect(waiting).toMatchObject({ code: 0, stdout: "" });
    expect(linesOf(waiting.stderr)).toEqual([
      expect.stringMatching(/^Warning: Payouts to be retried after a failure: 2, the first at /),
    ]);
    expect(sandbox.withdrawals.all()).toEqual([]);
  });

  it("exits with the code of the failure, which --json prints as well", async () => {
    const nowhere = { SETTLEKIT_SANDBOX_URL: "http://127.0.0.1:1" };
    await payoutsWith(nowhere, ...planOf("a"));
    const unreachable = await payoutsWith(nowhere, "run", "--no-limits", "--json");
    expect(unreachable.code).toBe(4);
    expect(errorOf(unreachable)).toMatchObject({ name: "ConnectionError" });
    expect(linesOf(unreachable.stderr)[0]).toMatch(/retried after a failure: 1, /);

    const other = (...args: string[]) => run([...args, "--sqlite", path("other.db")]);
    await other(...planOf("b"));
    sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });
    const doubtful = await other("run", "--no-limits", "--json");
    expect(doubtful.code).toBe(5);
    expect(errorOf(doubtful)).toMatchObject({ name: "ServerError", outcome: "unknown" });
  });

  it("says once why the breaker is open, and which command closes it", async () => {
    const { secretKey } = sandbox;
    const client = new MerchantClient({ environment: "sandbox", baseUrl: url(), secretKey });
    const other = {
      orderId: "a",
      amountInCents: 700,
      chainId: 84_532,
      recipientAddress: recipient,
    };
    await client.withdrawals.create(other);
    await payouts(...planOf("a"));
    const { code, stdout, stderr } = await payouts("run", "--no-limits", "--look-first");
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout: expect.stringMatching(/^a {2}needs_decision {2}Its withdrawal .* than planned\.\n$/),
    });
    expect(linesOf(stderr)).toEqual([
      "Warning: Payouts that need a decision: 1. See settlekit payouts list --state needs_decision.",
      expect.stringMatching(
        /^Warning: All payouts are stopped\. .* See settlekit payouts status and reopen\.$/,
      ),
    ]);
  });

  it("counts the payouts that it leaves unsent, with the reason", async () => {
    for (const orderId of ["a", "b", "c"]) await payouts(...planOf(orderId, "900"));
    await payouts(...planOf("d", "6000"));
    const work = ["run", "--per-day", "1000", "--approve-above", "5000"];
    for (const round of ["first", "second"]) {
      const ended = await payouts(...work);
      expect({ round, ...ended }).toMatchObject({ code: 0 });
      expect(linesOf(ended.stderr)).toEqual([
        "Warning: Payouts waiting for an approval: 1 (d). See settlekit payouts approve.",
        expect.stringMatching(
          /^Warning: Payouts held back by the limits: 2, the first until [\d-]+T00:00:00\.000Z\. A raised limit takes effect within ten minutes\.$/,
        ),
      ]);
    }
    const json = await payouts(...work, "--json");
    expect(json).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining("held back by the limits: 2"),
    });
    const { stdout } = await payouts("list", "--state", "planned");
    expect(stdout).toMatch(/^c .* limits\.perDay is 1000 cents/m);
  });

  it("names the first payouts that wait for an approval", async () => {
    const orderIds = Array.from({ length: 12 }, (_, index) => `p${index + 1}`);
    for (const orderId of orderIds) await payouts(...planOf(orderId), "--approve-above", "100");
    const { stderr } = await payouts("run", "--approve-above", "100");
    expect(stderr).toContain(
      "Payouts waiting for an approval: 12 (p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, and 2 more).",
    );
    const { stdout } = await payouts("list", "--state", "planned");
    expect(stdout).toMatch(/^p1 .* above limits\.approveAbove of 100 cents, and waits/m);
  });

  it("counts the payouts in doubt, and the due ones that it did not try after failures", async () => {
    const orderIds = ["a", "b", "c", "d", "e", "f"];
    for (const orderId of orderIds) await payouts(...planOf(orderId, "900"));
    sandbox.faults.reset("POST /withdrawals", { when: "after" });
    const doubtful = await payouts("run", "--no-limits");
    expect(doubtful.stderr).toMatch(
      /Payouts whose request has no response yet: 1\. A run after [\dT:.-]+Z finds out/,
    );
    postpone();
    for (const orderId of ["g", "h", "i", "j", "k", "l"]) await payouts(...planOf(orderId, "900"));
    const refused = await payoutsWith(revoked, "run", "--no-limits");
    expect(refused.stderr).toMatch(/retried after a failure: 1, /);
    expect(refused.stderr).toMatch(/are due, but were not tried: 5\.$/m);
  });

  it("counts the payouts that need a decision, while the breaker is open", async () => {
    for (const orderId of ["a", "b"]) await payouts(...planOf(orderId));
    const db = new DatabaseSync(path());
    db.exec("UPDATE settlekit_payouts SET state = 'needs_decision' WHERE order_id = 'a'");
    db.exec("UPDATE settlekit_payout_journal SET at = 1");
    db.close();
    const { code, stderr } = await payouts("run", "--no-limits");
    expect(code).toBe(5);
    expect(stderr).toContain(
      "Payouts that need a decision: 1. See settlekit payouts list --state needs_decision.",
    );
    expect(stderr).toContain("Payouts that are due, but were not tried: 1.");
  });

  it("says in which state Ctrl-C leaves a payout", async () => {
    const pagination = { total: 0, limit: 1000, offset: 0, hasMore: false };
    await using service = await scriptedServer({ body: { data: [], pagination } }, silent);
    await payoutsWith({ SETTLEKIT_SANDBOX_URL: service.url }, ...planOf("a"));
    const args = ["payouts", "run", "--no-limits", "--sqlite", path()];
    await using running = new CommandLine(args, {
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: service.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
    });
    await vi.waitFor(() => expect(service.requests.at(-1)?.method).toBe("POST"));
    const ended = await running.stop();
    expect(ended).toMatchObject({ code: 130, stdout: "" });
    expect(linesOf(ended.stderr)).toEqual([
      expect.stringMatching(
        /^Warning: Interrupted\. .* stays in the state sending, until a later run/,
      ),
      expect.stringMatching(/^Warning: Payouts whose request has no response yet: 1\./),
    ]);
    expect((await payouts("show", "a")).stdout).toMatch(/^state +sending$/m);
  });

  it("accepts every limit of the ledger", async () => {
    const other = "0x00000000000000000000000000000000000000a1";
    for (const [orderId, amount] of Object.entries({ a: "900", b: "900", c: "100" })) {
      await payouts(...planOf(orderId, amount));
    }
    const held = async (...args: string[]) => (await payouts("run", ...args)).stderr;
    expect(await held("--recipient", other, "--recipient", `${other.slice(0, -1)}2`)).toMatch(
      /held back by the limits: 3, /,
    );
    const plan = [...planOf("d", "900"), "--per-24-hours", "500"];
    expect(await payouts(...plan)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("above limits.per24Hours of 500 cents"),
    });
    const { stderr } = await payouts("run", "--recipient", "0x12", "--no-limits");
    expect(stderr).toMatch(/--recipient.*The address/s);
  });

  it.each([
    ["--per-24-hours", /limits\.per24Hours is 1000 cents/],
    ["--per-recipient-and-day", /limits\.perRecipientAndDay is 1000 cents/],
  ])("holds back payouts above %s", async (flag, problem) => {
    for (const orderId of ["a", "b"]) await payouts(...planOf(orderId, "900"));
    expect((await payouts("run", flag, "1000")).stderr).toMatch(/held back by the limits: 1, /);
    expect((await payouts("list", "--state", "planned")).stdout).toMatch(problem);
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("sends nothing without a limit, unless --no-limits is passed", async () => {
    await payouts(...planOf("a"));
    const forgotten = await payouts("run");
    expect(forgotten).toMatchObject({ code: 2, stdout: "" });
    expect(forgotten.stderr).toMatch(
      /Nothing was sent, because no limit was passed.* Pass --per-payout, --per-day, --per-24-hours, .*--no-limits/,
    );
    const both = await payouts("run", "--no-limits", "--per-day", "1");
    expect(both.stderr).toContain("Pass limits or --no-limits, not both.");
    expect(sandbox.withdrawals.all()).toEqual([]);
    await payouts("run", "--no-limits");
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("sends nothing with another merchant's key than the tenant's", async () => {
    const cyd = { SETTLEKIT_SECRET_KEY: String(sandbox.merchants[1]?.secretKey) };
    const ofCyd = ["--tenant", "cyd"];
    await payoutsWith(cyd, ...planOf("a"), ...ofCyd);
    await payoutsWith(cyd, "run", "--no-limits", ...ofCyd);
    postpone();
    await payoutsWith(cyd, ...planOf("b"), ...ofCyd);
    const annKey = await payouts("run", "--no-limits", ...ofCyd, "--json");
    expect(errorOf(annKey)).toMatchObject({ name: "ConfigurationError", code: "other_merchant" });
    expect(sandbox.withdrawals.all()).toHaveLength(1);
    expect(await payoutsWith(cyd, "run", "--no-limits", ...ofCyd)).toMatchObject({ code: 0 });
  });

  it("sends nothing in production without --production", async () => {
    await payouts(...planOf("a"));
    const live = {
      SETTLEKIT_ENVIRONMENT: "production",
      SETTLEKIT_BASE_URL: "https://pay.example",
      SETTLEKIT_SECRET_KEY: "sk_live_1234567890",
    };
    const refused = await payoutsWith(live, "run", "--no-limits");
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("would move real money"),
    });
  });
});
