import * as z from "zod/mini";

/** Completes the known values in an editor and accepts any other string. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A value that the service owns: the known ones are typed, new ones are no reason to fail. */
// @__NO_SIDE_EFFECTS__
export function openEnum<const Known extends string>(
  ..._known: Known[]
): z.ZodMiniType<OpenEnum<Known>> {
  return z.string();
}
