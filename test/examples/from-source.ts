// Has a process find settlekit in this repository's source: `node --import ./from-source.ts`. Examples are
// folders of their own, so that without it they would look for an installed package.

import { registerHooks } from "node:module";

const source = new URL("../../src/", import.meta.url);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, entry] = /^settlekit(?:\/(.+))?$/.exec(specifier) ?? [];
    const isSettlekit = specifier === "settlekit" || entry !== undefined;
    const file = entry === undefined ? "index.ts" : `${entry}/index.ts`;
    return nextResolve(isSettlekit ? new URL(file, source).href : specifier, context);
  },
});
