import { misfit, type Schema, value } from "./schema.ts";

/** Completes the known values in an editor and accepts any other string. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A value that the service owns: the known ones are typed, new ones are no reason to fail. */
// @__NO_SIDE_EFFECTS__
export function openEnum<const Known extends string>(
  ...known: readonly Known[]
): Schema<OpenEnum<Known>> {
  return value({ type: "string", examples: known }, (it) => (typeof it === "string" ? it : misfit));
}
