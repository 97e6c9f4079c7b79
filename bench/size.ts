/**
 * What settlekit adds to a bundle, minified by esbuild and gzipped, beside its limit.
 *
 * Run with `npm run build && node bench/size.ts`. Fails above a limit, and when anything beyond the
 * package's own code would come along.
 */
import { bundleSize } from "./bundle-size.ts";

interface Bundle {
  readonly name: string;
  readonly source: string;
  readonly limitBytes: number;
}

const bundles: readonly Bundle[] = [
  {
    name: "MerchantClient",
    source: 'export { MerchantClient } from "../dist/index.js"',
    limitBytes: 30_000,
  },
  {
    name: "CheckoutClient, with its QR codes",
    source: 'export { CheckoutClient } from "../dist/checkout.js"',
    limitBytes: 24_000,
  },
  {
    name: "settlekit/webhooks, everything",
    source: 'export * from "../dist/webhooks.js"',
    limitBytes: 6_000,
  },
  {
    name: "Webhooks alone",
    source: 'export { Webhooks } from "../dist/webhooks.js"',
    limitBytes: 6_000,
  },
  {
    name: "everything, and settlekit/webhooks/fastify",
    source: 'export * from "../dist/webhooks.js"; export * from "../dist/webhooks/fastify.js"',
    limitBytes: 6_000,
  },
];

console.log("bytes min + gzip   limit");
for (const { name, source, limitBytes } of bundles) {
  const { bytes, inputs } = await bundleSize(source, "browser");
  const foreign = inputs.filter((input) => !/^(dist\/|<stdin>$)/.test(input));
  if (foreign.length > 0) throw new Error(`The bundle holds ${foreign.join(", ")}.`);
  const isWithin = bytes < limitBytes;
  const columns = [String(bytes).padStart(16), String(limitBytes).padStart(7), name];
  console.log(columns.join("  ") + (isWithin ? "" : "  TOO LARGE"));
  if (!isWithin) process.exitCode = 1;
}
