import * as fc from "fast-check";

/** Any address in lower case, small and sparse ones included. */
export const anyAddress = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((value) => `0x${value.toString(16).padStart(40, "0")}`);
