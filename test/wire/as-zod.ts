import * as z from "zod/mini";
import type { Schema, ValueKeywords } from "../../src/wire/schema.ts";

/** A schema as zod has it, which checks everything in its own way, and copies what it reads. */
export function asZod(schema: Schema<unknown>): z.ZodMiniType {
  const { form } = schema;
  switch (form.kind) {
    case "value":
      // Only conversion is left to the schema itself: what fits is zod's to say.
      return z.pipe(valueAsZod(form.json), z.transform(schema.read)) as unknown as z.ZodMiniType;
    case "nullable":
      return z.nullable(asZod(form.schema));
    case "either":
      return z.union(form.options.map(asZod));
    case "list":
      return z.array(asZod(form.item));
    case "object": {
      const fields = form.fields.map(({ name, schema, isOptional }) => [
        name,
        isOptional ? z.exactOptional(asZod(schema)) : asZod(schema),
      ]);
      return (form.isOpen ? z.looseObject : z.object)(Object.fromEntries(fields));
    }
  }
}

function valueAsZod(json: ValueKeywords): z.ZodMiniType {
  switch (json.type) {
    case "string":
      return textAsZod(json);
    case "number":
      return z.number();
    case "integer":
      return z.int().check(z.gte(json.minimum ?? Number.NaN), z.lte(json.maximum ?? Number.NaN));
    case "boolean":
      return z.boolean();
    default:
      return z.unknown();
  }
}

function textAsZod(json: ValueKeywords): z.ZodMiniType {
  if (json.const !== undefined) return z.literal(json.const);
  if (json.enum !== undefined) return z.enum([...json.enum]);
  const text = z.string();
  if (json.pattern !== undefined) return text.check(z.regex(new RegExp(json.pattern)));
  if (json.maxLength === undefined) return text;
  return text.check(z.minLength(json.minLength ?? 0), z.maxLength(json.maxLength));
}
