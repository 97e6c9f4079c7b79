/**
 * What packages add to a bundle, minified by esbuild and gzipped, with everything they need.
 *
 * Run with `npm run build && node bench/bundles.ts`. `bench/size.ts` holds the limits.
 */
import { bundleSize } from "./bundle-size.ts";
import { printTable, type Row } from "./table.ts";

/** What is bundled. */
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

export async function bundleRows(): Promise<Row[]> {
  const sizes = new Map(
    await Promise.all(
      Object.entries(sources).map(async ([name, source]) => {
        return [name, (await bundleSize(source, "node")).bytes] as const;
      }),
    ),
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
