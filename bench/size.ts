/**
 * What `settlekit/webhooks` adds to a bundle: everything it exports, with every handler and the
 * diagnosis, minified by esbuild and gzipped.
 *
 * Run with `npm run build && node bench/size.ts`. Fails above the limit, and when anything beyond the
 * package's own code would come along.
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const limitBytes = 6000;

/** Minified and gzipped, as one file. */
async function sizeOf(source: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: `${import.meta.dirname}/..` },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
    // A bare import of a chunk without side effects is no news.
    logLevel: "error",
  });
  const foreign = Object.keys(metafile.inputs).filter((input) => !/^(dist\/|<stdin>$)/.test(input));
  if (foreign.length > 0) throw new Error(`The bundle holds ${foreign.join(", ")}.`);
  const [file] = outputFiles;
  return file === undefined ? Number.NaN : gzipSync(file.contents, { level: 9 }).length;
}

const bundles = {
  "settlekit/webhooks, everything": 'export * from "./dist/webhooks.js"',
  "Webhooks alone": 'export { Webhooks } from "./dist/webhooks.js"',
  "everything, and settlekit/webhooks/fastify":
    'export * from "./dist/webhooks.js"; export * from "./dist/webhooks/fastify.js"',
};
for (const [name, source] of Object.entries(bundles)) {
  const bytes = await sizeOf(source);
  console.log(`${String(bytes).padStart(5)} bytes min + gzip: ${name}`);
  if (!(bytes < limitBytes)) {
    console.error(`That is not under ${limitBytes}.`);
    process.exitCode = 1;
  }
}
