import { defineConfig } from "tsup";
import {
  bundledPackages,
  globalElement,
  lateFeatureTests,
  mergedChunks,
  ownRegistry,
  pageAssets,
  usersZod,
} from "./scripts/build-plugins.ts";
import { entries, outputName } from "./scripts/entries.ts";

/** The modules that users import; only these have declarations. */
const modules = Object.fromEntries(
  Object.entries(entries).map(([entry, source]) => [outputName(entry), source]),
);

/** Apart from the client, so that a bundle with a helper alone does not have the libraries of the client. */
const helpers = {
  "helpers/payment-uri": "src/evm/payment-uri.ts",
  "helpers/idempotency": "src/http/idempotency.ts",
  "helpers/payment-status": "src/wire/payment-status.ts",
};

const inventory = bundledPackages({
  notices: "dist/THIRD_PARTY_NOTICES.txt",
  sbom: "dist/sbom.cdx.json",
});

export default defineConfig({
  entry: {
    ...modules,
    cli: "src/cli/main.ts",
    ...helpers,
  },
  format: "esm",
  target: "es2023",
  platform: "neutral",
  // Shared code becomes chunks, so that an error class is one class across entries.
  splitting: true,
  sourcemap: true,
  clean: true,
  // Declares `Symbol.asyncDispose` for consumers with an older target.
  dts: {
    entry: modules,
    banner: '/// <reference lib="esnext.disposable" />',
    // Constructors that only a client calls would pull the core into the declarations.
    compilerOptions: { stripInternal: true },
  },
  // Everything is bundled, because the package has no runtime dependencies; the others here, and the zod of
  // `./schemas`, are optional peers.
  noExternal: [/^(?!node:|msw$|react$|@opentelemetry\/|@modelcontextprotocol\/)/],
  external: [/^node:/, "msw", "react", /^@opentelemetry\//, /^@modelcontextprotocol\//],
  removeNodeProtocol: false,
  esbuildOptions(options) {
    // Shorter but still readable: names and lines stay, and source maps contain the source.
    options.minifySyntax = true;
    // Modules are UTF-8, whatever the page that loads them is.
    options.charset = "utf8";
  },
  esbuildPlugins: [
    usersZod(),
    lateFeatureTests(),
    ownRegistry(),
    pageAssets([inventory]),
    globalElement([inventory]),
    inventory,
  ],
  plugins: [
    mergedChunks([
      ["index"],
      ["checkout"],
      ["checkout/element"],
      ["webhooks"],
      ["inbox"],
      Object.keys(helpers),
    ]),
  ],
});
