// For `node --import`: a program anywhere finds settlekit in the source, and other packages in the project.

import { registerHooks } from "node:module";

const root = new URL("../../", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const entry = /^settlekit(?:\/(.+))?$/.exec(specifier);
    if (entry) return next(`${root}src/${entry[1] ? `${entry[1]}/` : ""}index.ts`, context);
    const isPackage = /^@?[a-z][^:]*$/.test(specifier);
    const isProgram = !context.parentURL?.includes("/node_modules/");
    return next(specifier, isPackage && isProgram ? { ...context, parentURL: root } : context);
  },
});
