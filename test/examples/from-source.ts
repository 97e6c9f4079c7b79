// Resolves settlekit to this repository's source: `node --import ./from-source.ts`. Without it, examples would look
// for an installed package. A program outside the repository, such as one of a guide, finds other packages
// here as well.

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { entries } from "../../scripts/entries.ts";

const repository = new URL("../../", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const entry = Object.entries(entries).find(
      ([name]) => specifier === `settlekit${name.slice(1)}`,
    );
    if (entry) {
      const url = `${repository}${entry[1]}`;
      // require() takes paths where import takes URLs.
      const isRequired = context.conditions.includes("require");
      return nextResolve(isRequired ? fileURLToPath(url) : url, context);
    }
    // As the build does for `settlekit/schemas`; zod has every function that the wire schemas use.
    const isOnWire = context.parentURL?.startsWith(`${repository}src/wire/`);
    if (specifier === "zod/mini" && isOnWire) return nextResolve("zod", context);
    const isHere = context.parentURL === undefined || context.parentURL.startsWith(repository);
    const parentURL = isHere || /^[./]|:/.test(specifier) ? context.parentURL : repository;
    return nextResolve(specifier, { ...context, parentURL });
  },
});
