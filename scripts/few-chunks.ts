import { readdirSync } from "node:fs";
import { resolve } from "node:path";

type Options = import("tsup").Options;

// Every file that an entry imports costs about half a millisecond when a process starts, and entries
// that share code are made of many. These two keep the chunks few.

/**
 * Puts all error classes into one chunk. Entries use different ones, which would make a chunk of each.
 * The bundlers of users still leave out the classes that they do not use.
 */
export function errorsTogether(): NonNullable<Options["esbuildPlugins"]>[number] {
  const folder = resolve("src/errors");
  return {
    name: "errors-together",
    setup(build) {
      build.onResolve({ filter: /-error\.ts$/ }, ({ path, importer, resolveDir, namespace }) => {
        const target = resolve(resolveDir, path);
        if (!target.startsWith(folder)) return undefined;
        const isInside = namespace === "errors-together" || importer.startsWith(folder);
        // A file with side effects is kept even where nothing of it is used.
        if (isInside) return { path: target, sideEffects: true };
        return { path: "errors", namespace: "errors-together", sideEffects: true };
      });
      build.onLoad({ filter: /^errors$/, namespace: "errors-together" }, () => ({
        contents: readdirSync(folder)
          .map((file) => `export * from "./${file}";`)
          .join("\n"),
        resolveDir: folder,
      }));
    },
  };
}

/**
 * Takes out imports of chunks from which nothing is used, such as the one with esbuild's own helpers:
 * no module of this package does anything by being imported.
 */
export function noBareImports(): NonNullable<Options["plugins"]>[number] {
  return {
    name: "no-bare-imports",
    // The line stays, so that the source map is right.
    renderChunk: (code, { map = null }) => ({
      code: code.replace(/^import "\.{1,2}\/chunk-\w+\.js";$/gm, ""),
      map,
    }),
  };
}
