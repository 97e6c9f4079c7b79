/**
 * What packages add to a bundle, minified by esbuild and gzipped, with everything they need.
 *
 * Run with `npm run build && node bench/bundles.ts`. `bench/size.ts` holds the limits.
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { printTable, type Row } from "./table.ts";

/** What is bundled; paths begin at this folder. */
const sources: Readonly<Record<string, string>> = {
  MerchantClient: 'export { MerchantClient } from "../dist/index.js"',
  stripe: 'export { default } from "stripe"',
  openai: 'export { default } from "openai"',
  "CheckoutClient with QR codes": 'export { CheckoutClient } from "../dist/checkout.js"',
  Webhooks: 'export { Webhooks } from "../dist/webhooks.js"',
  standardwebhooks: 'export { Webhook } from "standardwebhooks"',
  svix: 'export { Webhook } from "svix"',
};

const comparisons: readonly [ours: string, peer: string][] = [
  ["MerchantClient", "stripe"],
  ["MerchantClient", "openai"],
  ["CheckoutClient with QR codes", "stripe"],
  ["Webhooks", "standardwebhooks"],
  ["Webhooks", "svix"],
];

/** Minified and gzipped, as one file for Node. */
async function bytesOf(name: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: sources[name] ?? "", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    write: false,
    // A bare import of a chunk without side effects is no news.
    logLevel: "error",
  });
  const [file] = outputFiles;
  return file === undefined ? Number.NaN : gzipSync(file.contents, { level: 9 }).length;
}

export async function bundleRows(): Promise<Row[]> {
  const names = Object.keys(sources);
  const sizes = new Map(
    await Promise.all(names.map(async (name) => [name, await bytesOf(name)] as const)),
  );
  const bytes = (name: string) => sizes.get(name) ?? Number.NaN;
  const kilobytes = (name: string) => `${(bytes(name) / 1000).toFixed(1)} kB`;
  return comparisons.map(([ours, peer]) => ({
    what: `bundle of ${ours}`,
    ours: kilobytes(ours),
    peer: `${peer} ${kilobytes(peer)}`,
    ratio: bytes(ours) / bytes(peer),
  }));
}

if (import.meta.main) printTable(await bundleRows());
