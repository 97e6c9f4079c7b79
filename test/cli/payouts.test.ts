import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { settlekit, type Variables } from "./command-line.ts";

const sandbox = createSandbox({ seed: "payouts" });
const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
let server: SandboxServer;
let folder: string;

beforeEach(async () => {
  server = await sandbox.listen({ port: 0 });
  folder = await mkdtemp(join(tmpdir(), "settlekit-cli-"));
});
afterEach(async () => {
  sandbox.reset();
  await server.close();
  await rm(folder, { recursive: true });
});

async function run(args: readonly string[], variables: Variables = {}) {
  const ofSandbox = {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: server.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
  };
  const ended = await settlekit(["payouts", ...args], { ...ofSandbox, ...variables });
  return { ...ended, lines: ended.stdout.trimEnd().split("\n") };
}

/** The error that `--json` prints. */
const errorOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).error;

const planOf = (orderId: string, amount = "12500") => [
  ...["plan", orderId, "--amount-in-cents", amount, "--chain-id", "84532"],
  ...["--recipient-address", recipient, "--by", "bob"],
];
const server_ = await postgresServer();

describe.each(["SQLite", ...(server_ ? ["PostgreSQL"] : [])])("settlekit payouts on %s", (name) => {
  it("runs the payouts of a small shop", async () => {
    const created =
      name === "SQLite"
        ? { url: "", drop: async () => {} }
        : await createPostgresDatabase(server_ ?? "");
    const database =
      name === "SQLite" ? ["--sqlite", join(folder, "shop.db")] : ["--database-url", created.url];
    const payouts = (...args: string[]) => run([...args, ...database]);

    expect((await payouts(...planOf("a"))).code).toBe(0);
    await payouts(...planOf("b", "500"));
    await payouts(...planOf("c", "700"));
    const table = await payouts("list");
    expect(table.lines[0]).toMatch(/^orderId +chainId +state +amountInCents +recipientAddress$/);
    const work = ["run", "--approve-above", "1000", "--json"];
    await payouts("reject", "c", "--by", "ann", "--reason", "unknown seller");
    expect((await payouts(...work)).lines.map((line) => JSON.parse(line))).toMatchObject([
      { orderId: "b", state: "sent" },
    ]);
    const same = await payouts("approve", "a", "--by", "bob", "--json");
    expect(errorOf(same)).toMatchObject({ code: "same_person" });
    // Whoever approves needs no secret key.
    const keyless = { SETTLEKIT_SECRET_KEY: "" };
    const approved = await run(["approve", "a", "--by", "ann", ...database], keyless);
    expect(approved.stdout).toMatch(/^state +approved$/m);
    await payouts(...work);
    expect(sandbox.withdrawals.all().map(({ orderId }) => orderId)).toEqual(["b", "a"]);

    const shown = await payouts("show", "a");
    expect(shown.stdout).toMatch(/planned {2}\{.*"by":"bob".*\}\n.*approved {2}\{.*"by":"ann"/);
    const missing = await payouts("show", "none", "--json");
    expect(errorOf(missing)).toMatchObject({ code: "no_payout" });
    expect((await payouts("status")).stdout).toMatch(/^states\.sent +2$/m);
    expect((await payouts("verify")).stdout).toMatch(/^ok +true\nentries +\d+$/m);
    const books = await payouts("export");
    expect(books.lines).toHaveLength(4);
    expect(books.lines[0]).toMatch(
      /^orderId,state,amountInCents,.*recipientAddress,withdrawalId,transactionHash,plannedBy,approvedBy,/,
    );
    const entries = (await payouts("export", "--journal")).lines.map((line) => JSON.parse(line));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    expect((await payouts("export", "--json")).lines.map((line) => JSON.parse(line).state)).toEqual(
      ["sent", "sent", "refused"],
    );
    await created.drop();
  });
});

describe("settlekit payouts", () => {
  const inFile = (args: readonly string[], variables?: Variables) =>
    run([...args, "--sqlite", join(folder, "shop.db")], variables);
  const payouts = (...args: string[]) => inFile(args);

  it("leaves what is wrong to a person, who resolves it", async () => {
    await payouts(...planOf("a"));
    sandbox.faults.reset("POST /withdrawals", { when: "before" });
    await payouts("run");
    const early = await payouts("resolve", "a", "--by", "ann", "--never-sent", "--json");
    expect(errorOf(early)).toMatchObject({ code: "contradicted" });
    const both = await payouts("resolve", "a", "--by", "ann");
    expect(both.stderr).toMatch(/Pass either --withdrawal-id ID or --never-sent/);
    const { secretKey } = sandbox;
    const client = new MerchantClient({ environment: "sandbox", baseUrl: server.url, secretKey });
    const input = { amountInCents: 12_500, chainId: 84_532, recipientAddress: recipient };
    const found = await client.withdrawals.create({ ...input, orderId: "a" });
    const resolved = await payouts("resolve", "a", "--by", "ann", "--withdrawal-id", found.id);
    expect(resolved.stdout).toMatch(/^state +sent$/m);
    expect((await payouts("reopen", "--by", "ann", "--reason", "x")).stderr).toBe(
      "Payouts were not stopped.\n",
    );
  });

  it("tells a mistake from an answer of the service by its exit code", async () => {
    await payouts(...planOf("a"));
    expect(await payouts("approve", "nope", "--by", "ann")).toMatchObject({ code: 2 });
    expect(await payouts("show", "nope")).toMatchObject({ code: 2 });
    const conflict = await payouts(...planOf("a", "900"));
    expect(conflict).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("with another amountInCents"),
    });
  });

  it("says that a journal was altered, by its exit code, too", async () => {
    await payouts(...planOf("a"));
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(join(folder, "shop.db"));
    db.exec("UPDATE settlekit_payout_journal SET at = 1");
    db.close();
    const verified = await payouts("verify", "--json");
    expect(verified.code).toBe(5);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: false, at: 1 });
    expect((await payouts("status")).stdout).toMatch(/^stopped\.reason +The journal is not/m);
    const { code, stderr } = await payouts("run");
    expect(code).toBe(5);
    expect(stderr).toMatch(/All payouts are stopped\. The journal is not .* reopen\.$/m);
  });

  const linesOf = ({ stderr }: { stderr: string }) => stderr.trimEnd().split("\n");

  it("tells a scheduler that the key was refused, and then what waits for the next try", async () => {
    await payouts(...planOf("a"));
    await payouts(...planOf("b"));
    const refused = await inFile(["run"], { SETTLEKIT_SECRET_KEY: "sk_test_revoked" });
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(linesOf(refused)).toEqual([
      expect.stringMatching(
        /Payouts that wait because of an earlier failure: 2\. The first waits until [\dT:.-]+Z\.$/,
      ),
      expect.stringMatching(/^settlekit: .*Check that the credential is complete/),
    ]);
    const waiting = await payouts("run");
    expect(waiting).toMatchObject({ code: 0, stdout: "" });
    expect(linesOf(waiting)).toEqual([
      expect.stringMatching(/^Warning: Payouts that wait because of an earlier failure: 2\./),
    ]);
    expect(sandbox.withdrawals.all()).toEqual([]);
  });

  it("ends with the code of what failed, which --json prints as well", async () => {
    await payouts(...planOf("a"));
    const nowhere = { SETTLEKIT_SANDBOX_URL: "http://127.0.0.1:1" };
    const unreachable = await inFile(["run", "--json"], nowhere);
    expect(unreachable.code).toBe(4);
    expect(errorOf(unreachable)).toMatchObject({ name: "ConnectionError" });
    expect(linesOf(unreachable)[0]).toMatch(/wait because of an earlier failure: 1\./);

    const other = (...args: string[]) => run([...args, "--sqlite", join(folder, "other.db")]);
    await other(...planOf("b"));
    sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });
    const doubtful = await other("run", "--json");
    expect(doubtful.code).toBe(5);
    expect(errorOf(doubtful)).toMatchObject({ name: "ServerError", outcome: "unknown" });
  });

  it("says nothing of payouts that only their budget or an approval holds back", async () => {
    await payouts(...planOf("a", "900"));
    await payouts(...planOf("b", "900"));
    const work = ["run", "--per-day", "1000", "--approve-above", "5000"];
    expect(await payouts(...work)).toMatchObject({ code: 0, stderr: "" });
    expect(await payouts(...work)).toMatchObject({ code: 0, stderr: "" });
  });

  it("creates no database, except for a plan", async () => {
    const path = join(folder, "typo.db");
    for (const args of [
      ["list"],
      ["status"],
      ["verify"],
      ["export"],
      ["run"],
      ["show", "a"],
      ["approve", "a", "--by", "ann"],
    ]) {
      const { code, stderr } = await run([...args, "--sqlite", path]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(`There is no database ${JSON.stringify(path)}. Check --sqlite`);
    }
    const uri = await run(["list", "--sqlite", `file:${path}?mode=rwc`]);
    expect(uri.stderr).toContain("There is no database");
    expect(await readdir(folder)).toEqual([]);
    expect((await run([...planOf("a"), "--sqlite", path])).code).toBe(0);
    expect((await run(["list", "--sqlite", `file:${path}`])).code).toBe(0);
  });

  it("sends nothing in production without being told so", async () => {
    await payouts(...planOf("a"));
    const refused = await inFile(["run"], {
      SETTLEKIT_ENVIRONMENT: "production",
      SETTLEKIT_BASE_URL: "https://pay.example",
      SETTLEKIT_SECRET_KEY: "sk_live_1234567890",
    });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("would move real money"),
    });
  });

  it("needs a database, and prints its tables", async () => {
    const none = await run(["list"], { DATABASE_URL: "" });
    expect(none.stderr).toMatch(/no database. Set DATABASE_URL/);
    expect((await run(["sql", "--postgres", "--schema", "money"])).stdout).toMatch(
      /CREATE TABLE "money"\.payouts/,
    );
    expect((await run(["sql", "--sqlite"])).stdout).toContain("CREATE TABLE settlekit_payouts");
    expect((await run(["sql"])).stderr).toMatch(/Pass --postgres or --sqlite/);
    await writeFile(join(folder, "shop.db"), "");
    expect(errorOf(await payouts("list", "--json"))).toMatchObject({ code: "not_migrated" });
  });
});
