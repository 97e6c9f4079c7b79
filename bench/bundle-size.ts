import { gzipSync } from "node:zlib";
import { build, type Platform } from "esbuild";

interface BundleSize {
  /** Minified and gzipped, as one file. */
  readonly bytes: number;
  /** The files that it is made of. */
  readonly inputs: readonly string[];
}

/** What a module comes to with everything that it needs. Its paths begin at this folder. */
export async function bundleSize(source: string, platform: Platform): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    write: false,
    metafile: true,
    // A bare import of a chunk without side effects is no news.
    logLevel: "error",
  });
  const [file] = outputFiles;
  const bytes = file === undefined ? Number.NaN : gzipSync(file.contents, { level: 9 }).length;
  return { bytes, inputs: Object.keys(metafile.inputs) };
}
