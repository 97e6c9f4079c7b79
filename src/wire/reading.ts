import * as z from "zod/mini";
import { openObject, type Schema } from "./fields.ts";

/** An answer as its schema reads it. */
interface Reading<T> {
  readonly value: T;
  /** Where the answer differs from its schema, such as `quotes.0.chainId`; empty when it fits. */
  readonly drift: readonly string[];
}

/**
 * Reads an answer that may differ from its schema. What does not fit comes as it was sent, and everything
 * else is converted as usual: one odd field changes nothing about the others.
 */
export function readTolerantly<T>(schema: Schema<T>, answer: unknown): Reading<T> {
  const { success, data, error } = schema.safeParse(answer);
  if (success) return { value: data, drift: [] };
  const paths = error.issues.map(({ path }) => path.join("."));
  const value = z.parse(tolerant(schema), answer) as T;
  return { value, drift: [...new Set(paths)] };
}

const tolerantSchemas = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The same schema, except that each value in it that does not fit is kept. */
function tolerant(schema: z.core.$ZodType): z.core.$ZodType {
  const known = tolerantSchemas.get(schema);
  if (known) return known;
  const innerType = withTolerantParts(schema);
  // `z.catch` does the same, but keeps 10 kB of zod in every bundle.
  const made = new z.ZodMiniCatch({ type: "catch", innerType, catchValue: ({ value }) => value });
  tolerantSchemas.set(schema, made);
  return made;
}

function withTolerantParts(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return openObject(
        Object.fromEntries(Object.entries(def.shape).map(([name, it]) => [name, tolerant(it)])),
      );
    case "array":
      return z.array(tolerant(def.element));
    case "nullable":
      return z.nullable(withTolerantParts(def.innerType));
    case "optional":
      return z.exactOptional(withTolerantParts(def.innerType));
    default:
      return schema;
  }
}
