import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { migrate, sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const orders = {
  name: "payouts" as const,
  migrations: [["CREATE TABLE {orders} (id TEXT PRIMARY KEY)"]],
};
const add = (id: string) => sql("INSERT INTO {orders} VALUES ($1)", [id]);

const server = await postgresServer();

describe.skipIf(server === undefined)("a store on PostgreSQL whose role has few privileges", () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  /** The administrator's pool. */
  let pool: pg.Pool;
  let restricted: pg.Pool;
  const role = `shop_${process.pid}`;
  beforeAll(async () => {
    database = await createPostgresDatabase(server ?? "");
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    await migrate(postgres(pool), orders);
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'shop'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = "shop";
    restricted = new pg.Pool({ connectionString: url.href, max: 2 });
  });
  afterAll(async () => {
    await restricted.end();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await pool.end();
    await database.drop();
  });

  it("migrates in a schema that was created for it", async () => {
    await pool.query(`CREATE SCHEMA made AUTHORIZATION ${role}`);
    const store = postgres(restricted, { schema: "made" });
    expect(await migrate(store, orders)).toBe(1);
    await store.transaction(() => add("a"));
  });

  it.each([
    ["an unknown role", { username: "nobody", password: "x" }],
    ["an unknown database", { pathname: "/nothing" }],
  ])("says to check the connection string because of %s", async (_, wrong) => {
    const { href: connectionString } = Object.assign(new URL(database.url), wrong);
    const unknown = new pg.Pool({ connectionString });
    await expect(postgres(unknown).transaction(() => add("a"))).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(
        /^PostgreSQL failed: .*\. Check the pool's connection string\.$/,
      ),
    });
    await unknown.end();
  });

  // What the work was about must not be taken for the cause: later, it may succeed.
  it.each([
    ["connections", `ALTER ROLE ${role} CONNECTION LIMIT 0`, "Lower the `max` of the pools"],
    ["time", `ALTER ROLE ${role} SET statement_timeout TO 20`, "or raise statement_timeout."],
  ])("is unavailable, but not refused, while its role is short of %s", async (_, limit, cure) => {
    await pool.query(limit);
    const { connectionString } = restricted.options;
    const limited = new pg.Pool({ connectionString });
    const work = () => sql("SELECT pg_sleep(10)");
    await expect(postgres(limited).transaction(work)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(cure),
    });
    await limited.end();
    await pool.query(`ALTER ROLE ${role} CONNECTION LIMIT -1; ALTER ROLE ${role} RESET ALL`);
  });

  it.each([
    ["create a schema", "none", "", /GRANT CREATE ON DATABASE settlekit_\w+ for this role/],
    ["see a schema", "settlekit", "", /GRANT USAGE ON SCHEMA settlekit for this role/],
    [
      "write",
      "settlekit",
      `GRANT USAGE ON SCHEMA settlekit TO ${role}; GRANT SELECT ON settlekit.migrations TO ${role}`,
      /GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA settlekit for this role/,
    ],
  ])("names the grant that it needs to %s", async (_, schema, granted, message) => {
    if (granted) await pool.query(granted);
    const store = postgres(restricted, { schema });
    const working = migrate(store, orders).then(() => store.transaction(() => add("a")));
    await expect(working).rejects.toThrow(
      expect.objectContaining({
        code: "permission_denied",
        message: expect.stringMatching(message),
      }),
    );
  });
});
