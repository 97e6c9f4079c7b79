import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "../../src/cli/parse.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const sandbox = createSandbox({ seed: "payouts" });
const recipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
let server: SandboxServer;
let folder: string;

beforeEach(async () => {
  server = await sandbox.listen({ port: 0 });
  folder = await mkdtemp(join(tmpdir(), "settlekit-cli-"));
  vi.stubEnv("SETTLEKIT_ENVIRONMENT", "sandbox");
  vi.stubEnv("SETTLEKIT_SANDBOX_URL", server.url);
  vi.stubEnv("SETTLEKIT_SECRET_KEY", sandbox.secretKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  sandbox.reset();
  await server.close();
  await rm(folder, { recursive: true });
});

/** Runs a command in this process; like a process, but quick. */
async function run(...args: string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const output = { write() {} };
  const terminal = createTerminal({ stdout, stderr });
  const outcome = await parse(["payouts", ...args], output)(terminal).catch((error) => error);
  stdout.end();
  stderr.end();
  const printed = await text(stdout);
  return { outcome, printed, said: await text(stderr), lines: printed.trimEnd().split("\n") };
}

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
    const payouts = (...args: string[]) => run(...args, ...database);

    expect((await payouts(...planOf("a"))).outcome).toBe(0);
    await payouts(...planOf("b", "500"));
    await payouts(...planOf("c", "700"));
    const table = await payouts("list");
    expect(table.lines[0]).toMatch(/^orderId +chainId +state +amountInCents +recipientAddress$/);
    const work = ["run", "--approve-above", "1000", "--json"];
    await payouts("reject", "c", "--by", "ann", "--reason", "unknown seller");
    expect((await payouts(...work)).lines.map((line) => JSON.parse(line))).toMatchObject([
      { orderId: "b", state: "sent" },
    ]);
    const same = await payouts("approve", "a", "--by", "bob");
    expect(same.outcome).toMatchObject({ code: "same_person" });
    // Whoever approves needs no secret key.
    vi.stubEnv("SETTLEKIT_SECRET_KEY", "");
    expect((await payouts("approve", "a", "--by", "ann")).printed).toMatch(/^state +approved$/m);
    vi.stubEnv("SETTLEKIT_SECRET_KEY", sandbox.secretKey);
    await payouts(...work);
    expect(sandbox.withdrawals.all().map(({ orderId }) => orderId)).toEqual(["b", "a"]);

    const shown = await payouts("show", "a");
    expect(shown.printed).toMatch(/planned {2}\{.*"by":"bob".*\}\n.*approved {2}\{.*"by":"ann"/);
    expect((await payouts("show", "none")).outcome).toMatchObject({ code: "no_payout" });
    expect((await payouts("status")).printed).toMatch(/^states\.sent +2$/m);
    expect((await payouts("verify")).printed).toMatch(/^ok +true\nentries +\d+$/m);
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
  const payouts = (...args: string[]) => run(...args, "--sqlite", join(folder, "shop.db"));

  it("leaves what is wrong to a person, who resolves it", async () => {
    await payouts(...planOf("a"));
    sandbox.faults.reset("POST /withdrawals", { when: "before" });
    await payouts("run");
    const early = await payouts("resolve", "a", "--by", "ann", "--never-sent");
    expect(early.outcome).toMatchObject({ code: "contradicted" });
    const both = await payouts("resolve", "a", "--by", "ann");
    expect(String(both.outcome)).toMatch(/Pass either --withdrawal-id ID or --never-sent/);
    const { MerchantClient } = await import("../../src/index.ts");
    const input = { amountInCents: 12_500, chainId: 84_532, recipientAddress: recipient };
    const found = await new MerchantClient().withdrawals.create({ ...input, orderId: "a" });
    const resolved = await payouts("resolve", "a", "--by", "ann", "--withdrawal-id", found.id);
    expect(resolved.printed).toMatch(/^state +sent$/m);
    expect((await payouts("reopen", "--by", "ann", "--reason", "x")).said).toMatch(/not stopped/);
  });

  it("says that a journal was altered, by its exit code, too", async () => {
    await payouts(...planOf("a"));
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    const db = new DatabaseSync(join(folder, "shop.db"));
    db.exec("UPDATE settlekit_payout_journal SET at = 1");
    db.close();
    const verified = await payouts("verify", "--json");
    expect(verified.outcome).toBe(5);
    expect(JSON.parse(verified.printed)).toMatchObject({ ok: false, at: 1 });
    expect((await payouts("status")).printed).toMatch(/^stopped\.reason +The journal is not/m);
  });

  it("sends nothing in production without being told so", async () => {
    await payouts(...planOf("a"));
    vi.stubEnv("SETTLEKIT_ENVIRONMENT", "production");
    vi.stubEnv("SETTLEKIT_BASE_URL", "https://pay.example");
    vi.stubEnv("SETTLEKIT_SECRET_KEY", "sk_live_1234567890");
    expect(String((await payouts("run")).outcome)).toMatch(/would move real money/);
  });

  it("needs a database, and prints its tables", async () => {
    vi.stubEnv("DATABASE_URL", "");
    expect(String((await run("list")).outcome)).toMatch(/no database. Set DATABASE_URL/);
    expect((await run("sql", "--postgres", "--schema", "money")).printed).toMatch(
      /CREATE TABLE "money"\.payouts/,
    );
    expect((await run("sql", "--sqlite")).printed).toContain("CREATE TABLE settlekit_payouts");
    expect(String((await run("sql")).outcome)).toMatch(/Pass --postgres or --sqlite/);
    expect((await payouts("list")).outcome).toMatchObject({ code: "not_migrated" });
  });
});
