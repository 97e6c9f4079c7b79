import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInChromium } from "./chromium.ts";
import type { Host } from "./host.ts";
import { runInWorkerd } from "./workerd.ts";

const run = promisify(execFile);

/** For each check by name: "passed", "does not apply", or the failure. */
export type Results = Readonly<Record<string, string>>;

export interface Place {
  /** The folder of the packed package and the suite's programs. */
  readonly project: string;
  /** The folder in which the runtimes are installed. */
  readonly runtimes: string;
}

export interface Runtime {
  readonly name: string;
  /** Undefined if it could not be installed. */
  version(place: Place): Promise<string | undefined>;
  run(place: Place, host: Host): Promise<Results>;
  /** The User-Agent of its requests; browsers set their own. */
  readonly userAgent: RegExp;
}

const executable = (place: Place, path: string) => join(place.runtimes, "node_modules", path);

async function versionOf(file: string): Promise<string | undefined> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const { stdout } = await run(file, ["--version"]);
  return /\d+(\.\d+)*(-\d+)*/.exec(stdout)?.[0].replaceAll("-", ".");
}

/** A runtime that runs a file. */
function program(
  name: string,
  path: string,
  { flags = [], file, agent }: { flags?: readonly string[]; file: string; agent: string },
): Runtime {
  return {
    name,
    userAgent: new RegExp(`^settlekit/\\S+ ${agent}/\\d`),
    version: (place) => versionOf(executable(place, path)),
    async run(place, { setting }) {
      const here = { isBrowser: false, hasNodeCrypto: true, canListen: true };
      const input = JSON.stringify({ ...setting, ...here });
      const parameters = [...flags, join(place.project, file), input];
      const { stdout } = await run(executable(place, path), parameters, {
        cwd: place.project,
        timeout: 300_000,
      });
      return JSON.parse(stdout);
    },
  };
}

/** One version of Node, with ES modules and with CommonJS. */
const node = (version: string): Runtime[] => [
  program("Node, import", `node-${version}/bin/node`, { file: "module.mjs", agent: "node" }),
  program("Node, require", `node-${version}/bin/node`, { file: "require.cjs", agent: "node" }),
];

/** A worker has Cloudflare's node:crypto only with the flag. */
const workerd = (name: string, hasNodeCrypto: boolean): Runtime => ({
  name,
  userAgent: /^settlekit\/\S+ cloudflare-workers$/,
  version: (place) => versionOf(executable(place, ".bin/workerd")),
  run: (place, host) =>
    runInWorkerd(executable(place, ".bin/workerd"), place.project, host, hasNodeCrypto),
});

export const runtimes: readonly Runtime[] = [
  ...node("22"),
  ...node("24"),
  ...node("26"),
  program("Bun", ".bin/bun", { file: "module.mjs", agent: "bun" }),
  program("Deno", ".bin/deno", {
    file: "module.mjs",
    agent: "deno",
    // No permission to read files or the environment: settlekit only needs the network.
    flags: ["run", "--no-prompt", "--allow-net=127.0.0.1"],
  }),
  workerd("workerd", false),
  workerd("workerd, nodejs_compat", true),
  {
    name: "Chromium",
    userAgent: /^Mozilla\/.*Chrome/,
    ...runInChromium,
  },
];
