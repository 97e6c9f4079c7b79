import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const sources = ["payment.ts", "payment.css", "inspector.ts", "inspector.css"];

/**
 * Builds the pages' scripts and style sheets, by file name. The package build replaces this module with the result;
 * from source, it runs when a page is first requested.
 */
export async function browserAssets(plugins: Plugin[] = []) {
  const folder = fileURLToPath(new URL("./browser/", import.meta.url));
  const { outputFiles } = await build({
    entryPoints: sources.map((source) => folder + source),
    outdir: folder,
    write: false,
    bundle: true,
    // The languages of the payment page are loaded on demand.
    splitting: true,
    chunkNames: "[name]-[hash]",
    minify: true,
    format: "esm",
    charset: "utf8",
    target: "es2022",
    platform: "browser",
    legalComments: "none",
    plugins,
  });
  return new Map(outputFiles.map(({ path, text }) => [path.slice(folder.length), text]));
}
