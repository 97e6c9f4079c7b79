/**
 * The size of bundles, minified by esbuild and gzipped, with everything they need.
 *
 * Run with `npm run build && node bench/bundles.ts`; with `--quick` without other packages. Fails when a bundle grows
 * beyond its gate, which is its size with some room.
 */
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { printTable, type Row } from "./table.ts";

interface Bundle {
  readonly name: string;
  readonly source: string;
  readonly aimBytes: number;
  /** A larger bundle fails the check. */
  readonly gateBytes?: number;
  /** Packages left out of the bundle. */
  readonly without?: readonly string[];
  /** Another bundle, whose size is subtracted. */
  readonly beyond?: string;
}

const bundles: readonly Bundle[] = [
  {
    name: "MerchantClient",
    source: 'export { MerchantClient } from "../dist/index.js"',
    aimBytes: 42_000,
    gateBytes: 55_000,
  },
  {
    // From the source, because the package already contains the library that draws QR codes.
    name: "CheckoutClient without its QR codes",
    source: 'export { CheckoutClient } from "../src/checkout/index.ts"',
    without: ["uqr"],
    aimBytes: 40_000,
    gateBytes: 44_000,
  },
  {
    // From the package, whose chunks decide whether languages, QR codes and the like are loaded on demand.
    name: "the checkout element",
    source: 'export { defineCheckoutElement } from "../dist/checkout/element.js"',
    beyond: "CheckoutClient without its QR codes",
    aimBytes: 20_000,
  },
  {
    name: "CheckoutClient",
    source: 'export { CheckoutClient } from "../dist/checkout.js"',
    aimBytes: 49_500,
  },
  {
    name: "settlekit/webhooks",
    source: 'export * from "../dist/webhooks.js"',
    aimBytes: 6_000,
  },
];

const peers: Readonly<Record<string, string>> = {
  stripe: 'export { default } from "stripe"',
  openai: 'export { default } from "openai"',
  standardwebhooks: 'export { Webhook } from "standardwebhooks"',
  svix: 'export { Webhook } from "svix"',
};

const comparisons: readonly [ours: string, peer: string][] = [
  ["MerchantClient", "stripe"],
  ["MerchantClient", "openai"],
  ["CheckoutClient", "stripe"],
  ["settlekit/webhooks", "standardwebhooks"],
  ["settlekit/webhooks", "svix"],
];

export async function bundleRows({ quick }: { quick: boolean }): Promise<Row[]> {
  const sizes = new Map<string, number>();
  const rows: Row[] = [];
  for (const { name, source, aimBytes, gateBytes = Infinity, without, beyond } of bundles) {
    // A browser build fails if the code imports one of Node's modules.
    const whole = await bundleSize(source, "browser", without);
    sizes.set(name, whole);
    const bytes = whole - (beyond === undefined ? 0 : (sizes.get(beyond) ?? Number.NaN));
    const aim = { text: `at most ${kilobytes(aimBytes)}`, isMet: bytes <= aimBytes };
    const what = `bundle of ${name}${beyond === undefined ? "" : `, beyond ${beyond}`}`;
    rows.push({ what, ours: kilobytes(bytes), aim, isFailure: bytes > gateBytes });
  }
  if (quick) return rows;
  for (const [name, source] of Object.entries(peers)) {
    sizes.set(name, await bundleSize(source, "node"));
  }
  const bytes = (name: string) => sizes.get(name) ?? Number.NaN;
  for (const [ours, peer] of comparisons) {
    rows.push({
      what: `bundle of ${ours}`,
      ours: kilobytes(bytes(ours)),
      peer: `${peer} ${kilobytes(bytes(peer))}`,
      ratio: bytes(ours) / bytes(peer),
    });
  }
  return rows;
}

async function bundleSize(
  source: string,
  platform: "browser" | "node",
  without: readonly string[] = [],
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    // Code that is loaded on demand becomes separate files, which do not count.
    splitting: true,
    outdir: "bundle",
    entryNames: "entry",
    minify: true,
    format: "esm",
    target: "es2023",
    platform,
    external: [...without],
    write: false,
    // esbuild warns about bare imports of modules without side effects.
    logLevel: "error",
  });
  // The entry and its static imports: chunks that it shares with code that is loaded on demand.
  const loaded = ["entry.js"];
  const fileOf = (name: string) => outputFiles.find(({ path }) => basename(path) === name);
  for (const name of loaded) {
    const imports = fileOf(name)?.text.matchAll(/(?:from|import)"\.\/([^"]+)"/g) ?? [];
    for (const [, other = ""] of imports) if (!loaded.includes(other)) loaded.push(other);
  }
  const code = Buffer.concat(loaded.map((name) => fileOf(name)?.contents ?? new Uint8Array()));
  return code.length === 0 ? Number.NaN : gzipSync(code, { level: 9 }).length;
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

if (import.meta.main) {
  printTable(await bundleRows({ quick: process.argv.includes("--quick") }));
}
