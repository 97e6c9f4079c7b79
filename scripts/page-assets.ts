import { browserAssets } from "../src/sandbox/pages/browser-assets.ts";

type EsbuildPlugin = NonNullable<import("tsup").Options["esbuildPlugins"]>[number];

/** Puts the finished assets of the sandbox's pages in the place of the module that makes them. */
export function pageAssets(): EsbuildPlugin {
  return {
    name: "page-assets",
    setup(build) {
      build.onLoad({ filter: /sandbox[\\/]pages[\\/]browser-assets\.ts$/ }, async () => {
        const entries = JSON.stringify([...(await browserAssets())]);
        return { contents: `export const browserAssets = async () => new Map(${entries});` };
      });
    },
  };
}
