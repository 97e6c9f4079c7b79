import { connect, createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { call, migrate, sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const postgresUrl = await postgresServer();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** The port of a new server. */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object(server.address()).port;
}

/** A message of PostgreSQL's protocol. */
function message(type: string, content: string): Buffer {
  const body = Buffer.from(content, "latin1");
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

it("survives a new connection that PostgreSQL closes at once", async () => {
  const welcome = [message("R", "\0\0\0\0"), message("Z", "I")];
  const fatal = message("E", "SFATAL\0C57P01\0Mterminating connection\0\0");
  const port = await listening((socket) =>
    socket.once("data", () => socket.end(Buffer.concat([...welcome, fatal]))),
  );
  const pool = new pg.Pool({ host: "127.0.0.1", port, user: "shop", ssl: false });
  const uncaught = vi.fn();
  process.prependListener("uncaughtException", uncaught);
  const working = postgres(pool).transaction(() => sql("SELECT 1"));
  await expect(working).rejects.toMatchObject({ code: "store_unavailable" });
  process.removeListener("uncaughtException", uncaught);
  expect(uncaught).not.toHaveBeenCalled();
  await pool.end();
});

describe.skipIf(postgresUrl === undefined)(
  "a store on PostgreSQL whose network silently stops forwarding",
  () => {
    let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
    let pool: pg.Pool;
    const sockets = new Set<Socket>();
    /** Leaves existing connections open but dead. New ones work. */
    const freeze = () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.resume();
      }
    };
    beforeEach(async () => {
      database = await createPostgresDatabase(postgresUrl ?? "");
      const { port: serverPort, hostname } = new URL(database.url);
      const port = await listening((socket) => {
        const upstream = connect(Number(serverPort), hostname);
        for (const each of [socket, upstream]) {
          sockets.add(each.on("error", () => {}));
        }
        socket.pipe(upstream).pipe(socket);
      });
      const url = new URL(database.url);
      url.host = `127.0.0.1:${port}`;
      pool = new pg.Pool({ connectionString: url.href, max: 2 });
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    });
    afterEach(async () => {
      vi.useRealTimers();
      await pool.end();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await database.drop();
    });

    it.each(["BEGIN", "a statement", "COMMIT", "ROLLBACK"])(
      "fails a transaction that waits for %s, and runs the next one",
      async (waiting) => {
        const store = postgres(pool);
        await store.transaction(() => sql("SELECT 1"));
        const frozen = Promise.withResolvers<void>();
        const cut = () => {
          freeze();
          frozen.resolve();
        };
        if (waiting === "BEGIN") cut();
        const stuck = store.transaction(function* () {
          yield* call(cut);
          if (waiting === "a statement") yield* sql("SELECT 1");
          if (waiting === "ROLLBACK") throw new Error("undo");
        });
        const failed = expect(stuck).rejects.toMatchObject({
          code: "store_unavailable",
          message: expect.stringContaining("did not finish a transaction within 120 s"),
        });
        await frozen.promise;
        await vi.advanceTimersByTimeAsync(120_000);
        await failed;
        expect(await store.transaction(() => sql("SELECT 1 AS one"))).toEqual([{ one: 1 }]);
      },
    );

    it("begins on a new connection if the pool's has died unnoticed", async () => {
      const store = postgres(pool);
      await store.transaction(() => sql("SELECT 1"));
      for (const socket of sockets) socket.destroy();
      expect(await store.transaction(() => sql("SELECT 1 AS one"))).toEqual([{ one: 1 }]);
    });

    it("closes without waiting for a dead listening connection", async () => {
      const store = postgres(pool);
      store.listen("inbox", () => {});
      pool.on("acquire", freeze);
      await vi.waitFor(() => expect(pool.totalCount - pool.idleCount).toBe(1));
      await store[Symbol.asyncDispose]();
      expect(pool.totalCount).toBe(0);
    });

    it("does not time out a migration that waits for another one", async () => {
      const other = new pg.Client(database.url);
      await other.connect();
      await other.query("SELECT pg_advisory_lock(hashtext('settlekit.migrate.settlekit'))");
      const migrations = [["CREATE TABLE {orders} (id TEXT PRIMARY KEY)"]];
      const migrated = migrate(postgres(pool), { name: "payouts", migrations });
      await vi.waitFor(async () => {
        // Other test files use the server at the same time.
        const { rows } = await other.query(
          "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        expect(rows).toHaveLength(1);
      });
      await vi.advanceTimersByTimeAsync(600_000);
      await other.end();
      expect(await migrated).toBe(1);
    });
  },
);
