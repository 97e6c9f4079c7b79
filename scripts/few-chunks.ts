type Options = import("tsup").Options;

// Every file that an entry imports costs about half a millisecond when a process starts.

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
