import * as z from "zod/mini";
import { chainIdSchema } from "./chain-id.ts";

// Fields that one description of the service always has, and another leaves out or sets to null.

export const optionalText = z.exactOptional(z.nullable(z.string()));
export const optionalNumber = z.exactOptional(z.nullable(z.number()));
export const optionalBoolean = z.exactOptional(z.nullable(z.boolean()));
export const optionalChainId = z.exactOptional(z.nullable(chainIdSchema));

/** A decimal number as text. Some descriptions have a JSON number, which is exposed as its text. */
export const decimalText = z.union([z.string(), z.pipe(z.number(), z.transform(String))]);
export const optionalDecimalText = z.exactOptional(z.nullable(decimalText));
