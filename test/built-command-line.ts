import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { onDemand } from "./on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A URL that returns the folder of the built package, which is built on the first request. */
    packageBuilder: string;
  }
}

const root = resolve(import.meta.dirname, "..");

/** Builds once for the whole run: a process that starts from the build takes two thirds of the time. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Inside the project, where the built files find the guides and the optional peers.
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "built-"));
  // Hundreds of processes load the same modules.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  const builder = await onDemand(async () => {
    const tsup = join(root, "node_modules/tsup/dist/cli-default.js");
    const args = [tsup, "--no-dts", "--silent", "--out-dir", folder];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    return folder;
  });
  project.provide("packageBuilder", builder.url);
  return async () => {
    await builder.close();
    // Processes that exit meanwhile write their compile cache.
    await rm(folder, { recursive: true, maxRetries: 20 });
  };
}
