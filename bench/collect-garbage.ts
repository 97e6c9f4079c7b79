import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// So that nobody has to remember the flag.
setFlagsFromString("--expose-gc");

/** Frees what nothing refers to, so that what is left is what is held. */
export const collectGarbage: () => void = runInNewContext("gc");
