import { either, misfit, number, type Schema, value } from "./schema.ts";

const caip2Pattern = /^eip155:[1-9][0-9]{0,14}$/;

const caip2: Schema<number> = value({ type: "string", pattern: caip2Pattern.source }, (it) =>
  typeof it === "string" && caip2Pattern.test(it) ? Number(it.slice("eip155:".length)) : misfit,
);

/**
 * An EVM chain id. The interface document has a number; newer descriptions have a CAIP-2 string such
 * as `eip155:8453`, which is read as its number. Other namespaces are passed through as drift.
 */
export const chainIdSchema: Schema<number> = either(number, caip2);
