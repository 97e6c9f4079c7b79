import { createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { sql } from "../../src/stores/store.ts";

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

it("outlives a new connection that PostgreSQL ends in the same breath", async () => {
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
