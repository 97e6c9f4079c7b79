import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { leftovers, nothing } from "../http/leftovers.ts";

const one = () => sql("SELECT 1 AS one");

it("adds no listeners to a pool that another store already uses", () => {
  const pool = new pg.Pool();
  for (const schema of ["shop_1", "shop_2", "shop_3"]) postgres(pool, { schema });
  expect(pool.listenerCount("error")).toBe(1);
  expect(pool.listenerCount("connect")).toBe(1);
});

const server = await postgresServer();

describe.skipIf(server === undefined)("a store that gets no client from its pool", () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  beforeAll(async () => {
    database = await createPostgresDatabase(server ?? "");
  });
  afterAll(() => database.drop());

  it("reports that the pool has no free client, instead of waiting forever", async () => {
    const small = new pg.Pool({ connectionString: database.url, max: 1 });
    const taken = await small.connect();
    const waiting = postgres(small, { connectTimeoutMs: 20 }).transaction(() => one());
    await expect(waiting).rejects.toThrow(/^All 1 clients of the pool were in use for 20 ms/);
    taken.release();
    // The client that came too late went back to the pool.
    await (await small.connect()).release();
    await small.end();
  });

  it("reports that even if the pool's own limit is shorter", async () => {
    const small = new pg.Pool({ connectionString: database.url, max: 1 });
    const taken = await small.connect();
    small.options.connectionTimeoutMillis = 20;
    await expect(postgres(small).transaction(() => one())).rejects.toMatchObject({
      code: "no_free_client",
      message: expect.stringMatching(/^All 1 clients of the pool were in use for \d+ ms/),
    });
    taken.release();
    await small.end();
  });

  it("reports that the server cannot be reached", async () => {
    const lost = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    await expect(postgres(lost).transaction(() => one())).rejects.toEqual(
      expect.objectContaining({ code: "store_unavailable" }),
    );
    await lost.end();
  });

  it("reports that the server does not answer", async () => {
    const silent = { connect: () => new Promise(() => {}), options: { max: 1 }, totalCount: 0 };
    const reading = postgres(silent as never, { connectTimeoutMs: 20 }).transaction(() => one());
    await expect(reading).rejects.toThrow("did not accept a connection within 20 ms");
  });

  it("reports why none of a host's addresses can be reached", async () => {
    const refused = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
    const unreachable = { connect: () => Promise.reject(refused) } as never;
    const reading = postgres(unreachable).transaction(() => one());
    await expect(reading).rejects.toThrow("PostgreSQL failed: ECONNREFUSED. Check");
  });

  it.each(["08006", "57P03"])("reports that it may be available later after %s", async (code) => {
    const refused = Object.assign(new Error("starting up"), { code });
    const starting = { connect: () => Promise.reject(refused) } as never;
    const reading = postgres(starting).transaction(() => one());
    await expect(reading).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("leaves no timer behind that would keep a finished process running", async () => {
    const unreachable = { connect: () => Promise.reject(new Error("refused")) } as never;
    const read = () => postgres(unreachable).transaction(() => one());
    expect(await leftovers(read)).toEqual(nothing);
  });
});
