import { isRecord, misfit, type Schema } from "./schema.ts";

/** Where a value is not as its schema describes it. */
interface Misfit {
  readonly path: readonly (string | number)[];
  /** What should have been there. */
  readonly schema: Schema<unknown>;
}

/** Every place in a value that does not fit, in the order of the schema's fields. */
export function misfitsIn(schema: Schema<unknown>, value: unknown): Misfit[] {
  return schema.read(value) === misfit ? locate(schema, value, []) : [];
}

function locate(schema: Schema<unknown>, value: unknown, path: Misfit["path"]): Misfit[] {
  const { form } = schema;
  const within = (inner: Schema<unknown>, at: unknown, key: string | number) =>
    inner.read(at) === misfit ? locate(inner, at, [...path, key]) : [];
  if (form.kind === "nullable") return locate(form.schema, value, path);
  if (form.kind === "list" && Array.isArray(value)) {
    return value.flatMap((item, index) => within(form.item, item, index));
  }
  if (form.kind === "object" && isRecord(value)) {
    return form.fields.flatMap(({ name, schema, isOptional }) =>
      isOptional && value[name] === undefined ? [] : within(schema, value[name], name),
    );
  }
  return [{ path, schema }];
}
