import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import { inboxTables } from "../../src/inbox/tables.ts";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { settlekit } from "./command-line.ts";

const sandbox = createSandbox({ seed: "inbox-command" });
let folder: string;
let path: string;
let server: SandboxServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "settlekit-inbox-"));
  path = join(folder, "shop.db");
  server = await sandbox.listen({ port: 0 });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  settlekit(["inbox", ...args], {
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: server.url,
    SETTLEKIT_SECRET_KEY: sandbox.secretKey,
  });

describe("settlekit inbox", () => {
  test("creates no database", async () => {
    for (const args of [["status"], ["parked"], ["retry", "task:1"], ["reconcile"]]) {
      const { code, stderr } = await run(...args, "--sqlite", path);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain(`There is no database ${JSON.stringify(path)}. Check --sqlite`);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ["needs pg", undefined, "The package pg is not installed here. Run `npm install pg@8`, or"],
    [
      "does not use pg 7, which never connects",
      { version: "7.18.2", main: "./lib" },
      "The package pg 7.18.2 is too old. Run `npm install pg@8`, or",
    ],
    [
      "uses a pg that does not export its package.json",
      { version: "8.15.6", exports: "./lib/index.js" },
      "pg was loaded",
    ],
  ])("%s", async (_, packageJson, expected) => {
    const project = await mkdtemp(join(tmpdir(), "settlekit-pg-"));
    const pg = join(project, "node_modules/pg");
    await mkdir(join(pg, "lib"), { recursive: true });
    if (packageJson !== undefined) {
      await writeFile(join(pg, "package.json"), JSON.stringify(packageJson));
      const index = `exports.Client = class { constructor() { throw new Error("pg was loaded"); } };`;
      await writeFile(join(pg, "lib/index.js"), index);
    }
    const args = ["inbox", "status", "--database-url", "postgres://127.0.0.1/shop"];
    const { code, stderr } = await settlekit(args, {}, project);
    await rm(project, { recursive: true });
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });

  test("says how to write a password that a URL cannot contain as it is, and does not show it", async () => {
    const url = "postgres://shop:hunter2/3@127.0.0.1/shop";
    const { code, stderr } = await run("status", "--database-url", url);
    expect(code).toBe(2);
    expect(stderr).toContain("Invalid URL. If its password has a / # or ?, write %2F %23 or %3F.");
    expect(stderr).not.toContain("hunter2");
  });

  test("does not blame the password for a certificate that cannot be read", async () => {
    const url = "postgres://shop:hunter@127.0.0.1/shop?sslrootcert=missing.pem";
    const { code, stderr } = await run("status", "--database-url", url);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/missing\.pem.*\. If its password/)]);
  });

  test("says that the tables are missing, and prints them", async () => {
    await writeFile(path, "");
    expect(await run("status", "--sqlite", path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Call inbox.migrate()"),
    });
    const { stdout } = await run("sql", "--sqlite");
    const db = new (process.getBuiltinModule("node:sqlite").DatabaseSync)(path);
    db.exec(stdout);
    db.close();
    expect((await run("status", "--sqlite", path)).code).toBe(0);
    const { stdout: other } = await run("sql", "--postgres", "--schema", "shop");
    expect(other).toContain('CREATE TABLE "shop".inbox_subjects');
  });

  test("prints only the migrations after --from, and refuses a version that does not exist", async () => {
    const { length: newest } = inboxTables.migrations;
    const { stdout } = await run("sql", "--sqlite", "--from", String(newest));
    expect(stdout).not.toMatch(/CREATE TABLE settlekit_inbox|ALTER TABLE/);
    expect(stdout).toMatch(/^BEGIN;\n.*COMMIT;\n$/s);
    const { code, stderr } = await run("sql", "--sqlite", "--from", String(newest + 1));
    expect(code).toBe(2);
    expect(stderr).toContain("--from");
  });

  test.each([
    [
      ["status", "--sqlite", "a.db", "--database-url", "postgres://x"],
      "--sqlite or --database-url",
    ],
    [["status", "--sqlite", "a.db", "--schema", "shop"], "Pass --sqlite or --schema, not both."],
    [["sql", "--sqlite", "--schema", "shop"], "Pass --sqlite or --schema, not both."],
    [["sql", "--postgres", "--schema", 'a"b'], "must be a name of up to 48 lower-case letters"],
  ])("refuses %j, because one option would be ignored or break the SQL", async (args, reason) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reason);
  });

  test("reconciles a payment without a webhook, and counts it in the status", async () => {
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: server.url,
      secretKey: sandbox.secretKey,
    });
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    await sandbox.payments.simulate(paymentId, "success");
    const reconciled = await run("reconcile", "--since", "2020-01-01", "--sqlite", path, "--json");
    expect(JSON.parse(reconciled.stdout)).toEqual({ listed: 1, missed: 1 });
    const status = await run("status", "--sqlite", path, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ changed: 1, parked: 0, missed: 1 });
  });

  test("reconciles a tenant, and asks for one where there are any", async () => {
    const file = join(folder, "tenants.db");
    const store = sqlite(file);
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: server.url,
      secretKey: sandbox.secretKey,
    });
    const webhooks = () => new Webhooks({ secret: "whsec_dan" });
    const inbox = createInbox({ client: () => client, webhooks, store });
    inbox.fetchHandler({ tenant: "dan" });
    await inbox.migrate();
    await store.close();
    const reconcile = (...args: string[]) =>
      run("reconcile", "--since", "2020-01-01", "--sqlite", file, "--json", ...args);
    expect(await reconcile()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /This inbox has tenants, such as "dan". Pass --tenant .*inbox.reconcile\(\{ tenant: "" \}\)/,
      ),
    });
    const { code, stdout } = await reconcile("--tenant", "dan");
    expect({ code, found: JSON.parse(stdout) }).toEqual({
      code: 0,
      found: { listed: 1, missed: 1 },
    });
    expect(await reconcile("--tenant", "dann")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Did you mean .{1,2}dan.{1,2}\?/),
    });
  });

  test("lists parked items, and retries them", async () => {
    const store = sqlite(path);
    await store.transaction(function* () {
      yield {
        text: "UPDATE {inbox_subjects} SET parked_at = 0, problem = 'out of stock'",
        values: [],
      };
    });
    const { stdout } = await run("parked", "--sqlite", path, "--json");
    const { id } = JSON.parse(stdout);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "payment", reason: "out of stock" });
    const table = async () => (await run("parked", "--sqlite", path)).stdout;
    expect(await table()).toMatch(/^id +kind +subject +failures +since +reason\n/);
    await store.transaction(function* () {
      yield { text: "UPDATE {inbox_subjects} SET tenant = 'dan'", values: [] };
    });
    expect(await table()).toMatch(/^id +tenant +kind .*\npayment:1 +dan +payment /);
    expect(await run("retry", id, "--sqlite", path)).toMatchObject({ code: 0 });
    expect(await run("parked", "--sqlite", path, "--json")).toMatchObject({ code: 0, stdout: "" });
    await store.close();
    expect((await run("retry", id, "--sqlite", path)).stderr).toContain(
      "No subject or task that failed has the id",
    );
  });

  test("lists what fails, with its next attempt, and retries all of it", async () => {
    const store = sqlite(path);
    await store.transaction(function* () {
      yield {
        text: "UPDATE {inbox_subjects} SET news = seen + 1, failures = 3, due_at = 4000000000000, problem = 'no stock'",
        values: [],
      };
    });
    await store.close();
    const { stdout } = await run("failing", "--sqlite", path);
    expect(stdout).toMatch(/ +failures +since +nextAttempt +reason\n/);
    expect(stdout).toMatch(/^payment:1 .* 3 .* 2096-10-02T07:06:40.000Z +no stock$/m);
    expect((await run("retry", "all", "--sqlite", path)).stderr).toBe("1 will be retried.\n");
    expect((await run("failing", "--sqlite", path)).stderr).toBe("No results.\n");
  });

  test("asks for a database when none is given", async () => {
    expect(await run("status")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Set DATABASE_URL, or pass --database-url or --sqlite"),
    });
  });
});
