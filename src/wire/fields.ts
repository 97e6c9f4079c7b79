import * as z from "zod/mini";
import { chainIdSchema } from "./chain-id.ts";

// Fields that one description of the service always has, and another leaves out or sets to null.

export const optionalText = z.exactOptional(z.nullable(z.string()));
export const optionalNumber = z.exactOptional(z.nullable(z.number()));
export const optionalBoolean = z.exactOptional(z.nullable(z.boolean()));
export const optionalChainId = z.exactOptional(z.nullable(chainIdSchema));

/**
 * A price or rate as decimal text. Some descriptions have a JSON number, which is written out. Not for
 * amounts in smallest units: a JSON number has lost their last digits already.
 */
export const decimalText = z.union([z.string(), z.pipe(z.number(), z.transform(writtenOut))]);
export const optionalDecimalText = z.exactOptional(z.nullable(decimalText));

/** Without exponent: `1e-7` is no decimal string. */
function writtenOut(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
