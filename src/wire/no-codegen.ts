import * as z from "zod/mini";

/**
 * Keeps this package's copy of zod from building code out of text. The first object schema of a copy tries
 * whether it may, and a strict content security policy reports that attempt; under `jitless` it does not try,
 * and the copy remembers the answer. The setting is shared with every other copy of zod in the process, so it
 * is put back at once.
 */
export function forbidCodeGeneration(): unknown {
  const config = z.config();
  const before = Object.getOwnPropertyDescriptor(config, "jitless");
  z.config({ jitless: true });
  const first = z.object({});
  if (before) Object.defineProperty(config, "jitless", before);
  else delete config.jitless;
  return first;
}
