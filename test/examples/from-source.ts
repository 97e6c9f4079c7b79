// Resolves settlekit to this repository's source: `node --import ./from-source.ts`. Without it, examples would look
// for an installed package. A program outside the repository, such as one of a guide, finds other packages
// here as well.

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const repository = new URL("../../", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, entry] = /^settlekit(?:\/(.+))?$/.exec(specifier) ?? [];
    const isSettlekit = specifier === "settlekit" || entry !== undefined;
    const file = entry === undefined ? "index.ts" : `${entry}/index.ts`;
    if (isSettlekit) {
      const url = `${repository}src/${file}`;
      // require() takes paths where import takes URLs.
      const isRequired = context.conditions.includes("require");
      return nextResolve(isRequired ? fileURLToPath(url) : url, context);
    }
    const isHere = context.parentURL === undefined || context.parentURL.startsWith(repository);
    const parentURL = isHere || /^[./]|:/.test(specifier) ? context.parentURL : repository;
    return nextResolve(specifier, { ...context, parentURL });
  },
});
