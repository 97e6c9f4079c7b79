import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { scriptedServer, silent } from "../scripted-server.ts";
import { CommandLine, settlekit } from "./command-line.ts";
import { planOf } from "./payouts-command.ts";

const server = await postgresServer();

/** Forwards to PostgreSQL until it is frozen, and then answers nothing. */
const sockets = new Set<Socket>();
let upstream: URL | undefined;
const network = createServer((socket) => {
  sockets.add(socket.on("error", () => {}).resume());
  if (upstream === undefined) return;
  const database = connect(Number(upstream.port), upstream.hostname);
  sockets.add(database.on("error", () => {}));
  socket.pipe(database).pipe(socket);
});
function freeze(): void {
  upstream = undefined;
  for (const socket of sockets) socket.unpipe().resume();
}
function refuse(): void {
  network.close();
  for (const socket of sockets) socket.destroy();
}

beforeEach(async () => {
  await once(network.listen(0, "127.0.0.1"), "listening");
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  network.close();
});
const urlOf = (database = "postgres://shop@localhost/shop") => {
  const url = new URL(database);
  url.host = `127.0.0.1:${(network.address() as AddressInfo).port}`;
  return url.href;
};

it("ends a command after ten seconds if PostgreSQL accepts its connection and says nothing", async () => {
  upstream = undefined;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const ended = settlekit(["inbox", "status"], { DATABASE_URL: urlOf() });
  await once(network, "connection");
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await ended).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("did not accept a connection within 10000 ms"),
  });
});

it.skipIf(server === undefined).each([
  ["no longer answers", freeze],
  ["refuses connections", refuse],
])("ends payouts run after Ctrl-C although PostgreSQL %s", async (_, fail) => {
  const database = await createPostgresDatabase(server ?? "");
  upstream = new URL(database.url);
  const pagination = { total: 0, limit: 1000, offset: 0, hasMore: false };
  await using service = await scriptedServer({ body: { data: [], pagination } }, silent);
  const variables = {
    DATABASE_URL: urlOf(database.url),
    SETTLEKIT_ENVIRONMENT: "sandbox",
    SETTLEKIT_SANDBOX_URL: service.url,
    SETTLEKIT_SECRET_KEY: "sk_test_1",
  };
  const { stdout: tables } = await settlekit(["payouts", "sql", "--postgres"]);
  const admin = new pg.Client(database.url);
  await admin.connect();
  await admin.query(tables);
  await admin.end();
  await settlekit(["payouts", ...planOf("a")], variables);
  await using running = new CommandLine(["payouts", "run", "--no-limits"], variables);
  await vi.waitFor(() => expect(service.requests.at(-1)?.method).toBe("POST"));
  fail();
  expect(await running.stop()).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(/^Warning: Interrupted\./),
  });
  await database.drop();
});
