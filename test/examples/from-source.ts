// Has a process find settlekit in this repository's source: `node --import ./from-source.ts`. Examples are
// folders of their own, so that without it they would look for an installed package. A program that lies
// elsewhere, such as one of a guide, finds other packages here as well.

import { registerHooks } from "node:module";

const repository = new URL("../../", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, entry] = /^settlekit(?:\/(.+))?$/.exec(specifier) ?? [];
    const isSettlekit = specifier === "settlekit" || entry !== undefined;
    const file = entry === undefined ? "index.ts" : `${entry}/index.ts`;
    if (isSettlekit) return nextResolve(`${repository}src/${file}`, context);
    const isHere = context.parentURL === undefined || context.parentURL.startsWith(repository);
    const parentURL = isHere || /^[./]|:/.test(specifier) ? context.parentURL : repository;
    return nextResolve(specifier, { ...context, parentURL });
  },
});
