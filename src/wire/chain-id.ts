import * as z from "zod/mini";

/**
 * An EVM chain id. The interface document has a number; newer descriptions have a CAIP-2 string such
 * as `eip155:8453`, which is read as its number. Other namespaces are passed through as drift.
 */
export const chainIdSchema = z.union([
  z.number(),
  z.pipe(
    z.string().check(z.regex(/^eip155:[1-9][0-9]{0,14}$/)),
    z.transform((caip2) => Number(caip2.slice("eip155:".length))),
  ),
]);
