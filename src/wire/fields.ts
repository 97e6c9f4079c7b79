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

const caip2Pattern = /^eip155:[1-9][0-9]{0,14}$/;

const caip2: Schema<number> = value({ type: "string", pattern: caip2Pattern.source }, (it) =>
  typeof it === "string" && caip2Pattern.test(it) ? Number(it.slice("eip155:".length)) : misfit,
);

/**
 * An EVM chain id. The interface document has a number; newer descriptions have a CAIP-2 string such
 * as `eip155:8453`, which is read as its number. Other namespaces are passed through as drift.
 */
export const chainIdSchema: Schema<number> = either(number, caip2);

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

/** Completes the known values in an editor and accepts any other string. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A value that the service owns: the known ones are typed, new ones are no reason to fail. */
// @__NO_SIDE_EFFECTS__
export function openEnum<const Known extends string>(
  ...known: readonly Known[]
): Schema<OpenEnum<Known>> {
  return value({ type: "string", examples: known }, (it) => (typeof it === "string" ? it : misfit));
}
