import * as z from "zod/mini";

/** Completes the known values in an editor and accepts any other string. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** What is known of each open enum: the schemas accept any text, so they cannot tell it. */
const known = new WeakMap<object, readonly string[]>();

/** A value that the service owns: the known ones are typed, new ones are no reason to fail. */
// @__NO_SIDE_EFFECTS__
export function openEnum<const Known extends string>(
  ...values: Known[]
): z.ZodMiniType<OpenEnum<Known>> {
  const schema = z.string();
  known.set(schema, values);
  return schema;
}

/** The values that an open enum was made with; `undefined` for any other schema. */
export function knownValues(schema: object): readonly string[] | undefined {
  return known.get(schema);
}
