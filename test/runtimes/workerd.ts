import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import type { Host } from "./host.ts";
import type { Results } from "./runtimes.ts";

/** Bundles the suite as wrangler does, and serves it with workerd. */
export async function runInWorkerd(
  workerd: string,
  project: string,
  { setting }: Host,
  hasNodeCrypto: boolean,
): Promise<Results> {
  await build({
    entryPoints: [join(project, "worker.mjs")],
    outfile: join(project, "worker.js"),
    bundle: true,
    format: "esm",
    target: "esnext",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    logLevel: "error",
  });
  const file = join(project, "workerd.capnp");
  await writeFile(file, configuration(hasNodeCrypto));

  // workerd prints its port to file descriptor 3.
  const child = spawn(workerd, ["serve", file, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  try {
    const lines = createInterface({ input: child.stdio[3] as Readable });
    const closed = once(lines, "close").then(() => {
      throw new Error("workerd exited before it listened; its output is above.");
    });
    const [line] = await Promise.race([once(lines, "line"), closed]);
    // The output closes after a successful run as well, which is not a failure.
    closed.catch(() => {});
    const { port } = JSON.parse(line);
    const here = { isBrowser: false, hasNodeCrypto, canListen: false };
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify({ ...setting, ...here }),
    });
    return (await response.json()) as Results;
  } finally {
    child.kill();
  }
}

const configuration = (hasNodeCrypto: boolean) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (
      name = "main",
      worker = (
        modules = [(name = "worker", esModule = embed "worker.js")],
        compatibilityDate = "2026-01-01",
        compatibilityFlags = [${hasNodeCrypto ? '"nodejs_compat"' : ""}],
        globalOutbound = "loopback",
      ),
    ),
    (name = "loopback", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
