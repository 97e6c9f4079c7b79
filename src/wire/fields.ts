import { chainIdSchema } from "./chain-id.ts";
import {
  boolean,
  either,
  misfit,
  nullable,
  number,
  optional,
  type Schema,
  text,
  value,
} from "./schema.ts";

// Fields that one description of the service always has, and another leaves out or sets to null.

export const optionalText = optional(nullable(text));
export const optionalNumber = optional(nullable(number));
export const optionalBoolean = optional(nullable(boolean));
export const optionalChainId = optional(nullable(chainIdSchema));

const writtenNumber: Schema<string> = value({ type: "number" }, (it) => {
  const price = number.read(it);
  return price === misfit ? misfit : writtenOut(price);
});

/**
 * A price or rate as decimal text. Some descriptions have a JSON number, which is written out. Not for
 * amounts in smallest units: a JSON number has lost their last digits already.
 */
export const decimalText = either(text, writtenNumber);
export const optionalDecimalText = optional(nullable(decimalText));

/** Without exponent: `1e-7` is no decimal string. */
function writtenOut(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  return value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}
