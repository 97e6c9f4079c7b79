import { readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { newestFirst } from "../../src/payouts/stats.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { errorOf, payoutsCommand, planOf, recipient } from "./payouts-command.ts";

const { sandbox, url, path, run, payouts } = payoutsCommand("payouts");
const postgres = await postgresServer();

describe.each(["SQLite", ...(postgres ? ["PostgreSQL"] : [])])(
  "settlekit payouts on %s",
  (name) => {
    it("runs the payouts of a small shop", async () => {
      const created =
        name === "SQLite"
          ? { url: "", drop: async () => {} }
          : await createPostgresDatabase(postgres ?? "");
      const database = name === "SQLite" ? ["--sqlite", path()] : ["--database-url", created.url];
      const inDatabase = (...args: string[]) => run([...args, ...database]);

      if (name === "PostgreSQL") {
        const { stderr } = await inDatabase(...planOf("a"));
        expect(stderr).toMatch(
          /missing .* in the schema settlekit\. .* `settlekit payouts sql --postgres --schema settlekit` prints\. If they are in another schema, pass its name\./,
        );
        const client = new pg.Client(created.url);
        await client.connect();
        await client.query((await run(["sql", "--postgres"])).stdout);
        await client.end();
      }
      // Planning and approving need no secret key.
      const keyless = { SETTLEKIT_SECRET_KEY: "" };
      expect((await run([...planOf("a"), ...database], keyless)).code).toBe(0);
      await inDatabase(...planOf("b", "500"));
      await inDatabase(...planOf("c", "700"));
      const table = await inDatabase("list");
      expect(table.lines[0]?.split(/ +/)).toEqual([
        ...["orderId", "state", "amountInCents", "chainId", "recipientAddress", "withdrawalId"],
        ...["waitsUntil", "problem"],
      ]);
      const work = ["run", "--approve-above", "1000", "--json"];
      await inDatabase("reject", "c", "--by", "ann", "--reason", "unknown seller");
      expect((await inDatabase(...work)).lines.map((line) => JSON.parse(line))).toMatchObject([
        { orderId: "b", state: "sent" },
      ]);
      const same = await inDatabase("approve", "a", "--by", "bob", "--json");
      expect(errorOf(same)).toMatchObject({ code: "same_person" });
      const approved = await run(["approve", "a", "--by", "ann", ...database], keyless);
      expect(approved.stdout).toMatch(/^state +approved$/m);
      await inDatabase(...work);
      expect(sandbox.withdrawals.all().map(({ orderId }) => orderId)).toEqual(["b", "a"]);

      const shown = await inDatabase("show", "a");
      expect(shown.stdout).toMatch(/planned {2}\{.*"by":"bob".*\}\n.*approved {2}\{.*"by":"ann"/);
      const missing = await inDatabase("show", "none", "--json");
      expect(errorOf(missing)).toMatchObject({ code: "no_payout" });
      expect((await inDatabase("status")).stdout).toMatch(/^states\.sent +2$/m);
      expect((await inDatabase("verify")).stdout).toMatch(/^ok +true\nentries +\d+$/m);
      const books = await inDatabase("export");
      expect(books.lines).toHaveLength(4);
      expect(books.lines[0]).toMatch(
        /^orderId,state,amountInCents,.*recipientAddress,withdrawalId,transactionHash,plannedBy,approvedBy,/,
      );
      const entries = (await inDatabase("export", "--journal")).lines.map((line) =>
        JSON.parse(line),
      );
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
      expect(
        (await inDatabase("export", "--json")).lines.map((line) => JSON.parse(line).state),
      ).toEqual(["refused", "sent", "sent"]);
      await created.drop();
    });
  },
);

describe("settlekit payouts", () => {
  it("lets a person resolve a payout in doubt", async () => {
    await payouts(...planOf("a"));
    sandbox.faults.reset("POST /withdrawals", { when: "before" });
    await payouts("run", "--no-limits");
    const early = await payouts("resolve", "a", "--by", "ann", "--never-sent", "--json");
    expect(errorOf(early)).toMatchObject({ code: "contradicted" });
    const both = await payouts("resolve", "a", "--by", "ann");
    expect(both.stderr).toMatch(/Pass either --withdrawal-id ID or --never-sent/);
    const { secretKey } = sandbox;
    const client = new MerchantClient({ environment: "sandbox", baseUrl: url(), secretKey });
    const input = { amountInCents: 12_500, chainId: 84_532, recipientAddress: recipient };
    const found = await client.withdrawals.create({ ...input, orderId: "a" });
    const resolved = await payouts("resolve", "a", "--by", "ann", "--withdrawal-id", found.id);
    expect(resolved.stdout).toMatch(/^state +sent$/m);
    const reopened = await payouts("reopen", "--by", "ann", "--reason", "x");
    expect(reopened).toMatchObject({ code: 0, stdout: expect.stringMatching(/^states.sent +1$/m) });
  });

  it("stops all payouts until they are reopened", async () => {
    await payouts(...planOf("a"));
    const why = ["--by", "ann", "--reason", "a leaked key"];
    const { stdout } = await payouts("stop-all", ...why);
    expect(stdout).toMatch(
      /^stopped\.reason +ann stopped them, with the reason "a leaked key"\.$/m,
    );
    expect((await payouts("stop-all", ...why)).stdout).toBe(stdout);
    const { code, stderr } = await payouts("run", "--no-limits");
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /All payouts are stopped\. ann stopped them, with the reason "a leaked key"/,
    );
    expect((await payouts("reopen", ...why)).stdout).not.toContain("stopped");
    expect((await payouts("run", "--no-limits")).code).toBe(0);
  });

  it("exits with 2 for an unknown payout or a conflicting plan", async () => {
    await payouts(...planOf("a"));
    expect(await payouts("approve", "nope", "--by", "ann")).toMatchObject({ code: 2 });
    expect(await payouts("show", "nope")).toMatchObject({ code: 2 });
    const conflict = await payouts(...planOf("a", "900"));
    expect(conflict).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("with a different amountInCents"),
    });
  });

  it("reports an altered journal, and exits with 5", async () => {
    await payouts(...planOf("a"));
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(path());
    db.exec("UPDATE settlekit_payout_journal SET at = 1");
    db.close();
    const verified = await payouts("verify", "--json");
    expect(verified.code).toBe(5);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: false, at: 1 });
    expect((await payouts("status")).stdout).toMatch(/^stopped\.reason +The journal check failed/m);
    const { code, stderr } = await payouts("run", "--no-limits");
    expect(code).toBe(5);
    expect(stderr).toMatch(/All payouts are stopped\. The journal check failed\. .* reopen\.$/m);
  });

  it("does not migrate an existing database", async () => {
    await writeFile(path(), "");
    for (const args of [planOf("a"), ["run", "--no-limits"], ["list"]]) {
      const { code, stderr } = await payouts(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toMatch(/Call payouts\.migrate\(\) .*`settlekit payouts sql --sqlite`/);
    }
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(path());
    expect(db.prepare("SELECT name FROM sqlite_master").all()).toEqual([]);
    db.close();
  });

  it("lists the newest payouts, and says how many more there are", async () => {
    const orderIds = ["a", "b", "c", "d", "e"];
    for (const orderId of orderIds) await payouts(...planOf(orderId, "900"));
    await payouts("reject", "d", "--by", "ann");
    const listed = async (...args: string[]) => {
      const { lines, stderr } = await payouts("list", ...args);
      const [, ...rows] = lines;
      return { listed: rows.map((row) => row.split(" ")[0]).join(), stderr };
    };
    expect(await listed()).toEqual({ listed: "e,d,c,b,a", stderr: "" });
    expect(await listed("--limit", "2")).toEqual({
      listed: "e,d",
      stderr: "3 more; --all prints them.\n",
    });
    expect(await listed("--state", "planned", "--limit", "3")).toEqual({
      listed: "e,c,b",
      stderr: "1 more; --all prints them.\n",
    });
    expect(await listed("--all")).toEqual({ listed: "e,d,c,b,a", stderr: "" });
    expect((await payouts("list", "--all", "--limit", "1")).stderr).toContain(
      "Pass --limit or --all, not both.",
    );
  });

  it("lists a state without gaps while payouts change theirs", async () => {
    const orderIds = ["a", "b", "c", "d", "e", "f"];
    for (const orderId of orderIds) await payouts(...planOf(orderId, "900"));
    const store = sqlite(path()) as unknown as Store;
    const listed: string[] = [];
    for await (const { data } of newestFirst(store, "", "planned", 2)) {
      listed.push(...data.map(({ orderId }) => orderId));
      await payouts("cancel", orderIds.shift() ?? "", "--by", "ann");
    }
    await store.close();
    expect(listed).toEqual(["f", "e", "d", "c"]);
  });

  it("gives each JSON line a type when there are several kinds", async () => {
    await payouts(...planOf("a"));
    const { lines } = await payouts("show", "a", "--json");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: "payout", orderId: "a", state: "planned" },
      { type: "journal", seq: 1, event: "planned" },
    ]);
    const reopened = await payouts("reopen", "--by", "ann", "--reason", "x", "--json");
    expect(JSON.parse(reopened.stdout)).toMatchObject({ states: { planned: 1 } });
  });

  it.each([
    [["--withdrawal-id", "x", "--do-not-send"], "--do-not-send needs --never-sent."],
    [["--never-sent", "--accept-differences"], "--accept-differences needs --withdrawal-id ID."],
  ])("refuses to resolve with %j, because one option would be ignored", async (args, reason) => {
    const { code, stderr } = await run(["resolve", "a", "--by", "ann", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  it("creates no database, except for a plan", async () => {
    const typo = path("typo.db");
    for (const args of [
      ["list"],
      ["status"],
      ["verify"],
      ["export"],
      ["run", "--no-limits"],
      ["show", "a"],
      ["approve", "a", "--by", "ann"],
    ]) {
      const { code, stderr } = await run([...args, "--sqlite", typo]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(`There is no database ${JSON.stringify(typo)}. Check --sqlite`);
    }
    const uri = await run(["list", "--sqlite", `file:${typo}?mode=rwc`]);
    expect(uri.stderr).toMatch(/There is no database .*, or create it with migrate\(\)/);
    const misconfigured = { SETTLEKIT_ENVIRONMENT: "sandbox", SETTLEKIT_SANDBOX_URL: "nowhere" };
    expect((await run([...planOf("a"), "--sqlite", typo], misconfigured)).code).toBe(2);
    expect(await readdir(dirname(path()))).toEqual([]);
    expect((await run([...planOf("a"), "--sqlite", typo])).code).toBe(0);
    expect((await run(["list", "--sqlite", typo])).code).toBe(0);
  });

  it("requires a database, and prints its tables", async () => {
    for (const notUrl of ["shop.db", "localhost:5432/shop", "mysql://127.0.0.1/shop"]) {
      const other = await run(["list", "--database-url", notUrl], {});
      expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("postgres://") });
    }
    const none = await run(["list"], { DATABASE_URL: "" });
    expect(none.stderr).toMatch(/No database was given. Set DATABASE_URL/);
    expect((await run(["sql", "--postgres", "--schema", "money"])).stdout).toMatch(
      /CREATE TABLE "money"\.payouts/,
    );
    expect((await run(["sql", "--sqlite"])).stdout).toContain("CREATE TABLE settlekit_payouts");
    expect((await run(["sql"])).stderr).toMatch(/Pass --postgres or --sqlite/);
    await writeFile(path(), "");
    expect(errorOf(await payouts("list", "--json"))).toMatchObject({ code: "not_migrated" });
  });
});
