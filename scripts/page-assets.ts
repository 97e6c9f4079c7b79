import type { Plugin } from "esbuild";
import { browserAssets } from "../src/sandbox/pages/browser-assets.ts";

/** Replaces the module that builds the assets of the sandbox's pages with the built assets. */
export function pageAssets(plugins: Plugin[]): Plugin {
  return {
    name: "page-assets",
    setup(build) {
      build.onLoad({ filter: /sandbox[\\/]pages[\\/]browser-assets\.ts$/ }, async () => {
        const entries = JSON.stringify([...(await browserAssets(plugins))]);
        return { contents: `export const browserAssets = async () => new Map(${entries});` };
      });
    },
  };
}
