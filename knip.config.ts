import type { KnipConfig } from "knip";
import { entries } from "./scripts/entries.ts";

const config: KnipConfig = {
  entry: [
    ...Object.values(entries),
    "src/sandbox/pages/browser/{payment,inspector}.ts",
    "test/{architecture/crossed-files,examples/settle-orders,webhooks/receiving-process,inbox/worker-process,payouts/paying-process}.ts",
    "test/browser/{checkout,react}-page.ts",
    "{examples,scripts}/*.ts",
    "test/examples/settling-process.ts",
    "examples/*/src/{main,node,worker,rehearsal}.ts",
    "examples/own-checkout/page/checkout.ts",
    "test/runtimes/programs/*.{mjs,cjs}",
    "test/types/{compile,consumer/*}.ts",
  ],
  // Found by createRequire, and by the path of their folders, which knip does not follow.
  ignoreDependencies: ["@foundry-rs/anvil", "react-18", "react-dom-18"],
  ignore: ["bench/**", "examples/{next-shop,react-checkout}/**"],
};

export default config;
