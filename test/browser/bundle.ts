import { resolve } from "node:path";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../..");

const bundles = new Map<string, Promise<ReadonlyMap<string, string>>>();

/** Bundles a module as a merchant's bundler would, once for all tests. Returns each file's code by its path. */
export function bundleForBrowser(entry: string): Promise<ReadonlyMap<string, string>> {
  const bundled = bundles.get(entry) ?? bundle(entry);
  bundles.set(entry, bundled);
  return bundled;
}

async function bundle(entry: string): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [resolve(root, entry)],
    alias: { "settlekit/checkout": resolve(root, "src/checkout/index.ts") },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    outdir: "/",
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [path, text]));
}
