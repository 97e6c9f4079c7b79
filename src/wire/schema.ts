/**
 * What the service is believed to send and take. A schema is written once and read three ways: its type
 * must equal a plain interface, its `read` checks an answer, and its `form` is what documents and messages
 * are made of. Reading copies nothing unless a value has to be converted, and builds no code at run time.
 */
export interface Schema<T> {
  /** The value as `T`: itself, unless something in it was converted; `misfit` when it is no `T`. */
  read(value: unknown): T | typeof misfit;
  readonly form: Form;
}

/** What `read` gives for a value that is not as described. `misfitsIn` tells where. */
export const misfit: unique symbol = /* @__PURE__ */ Symbol("misfit");

/** How a schema is made. */
export type Form =
  | { readonly kind: "value"; readonly json: ValueKeywords }
  | { readonly kind: "nullable"; readonly schema: Schema<unknown> }
  | { readonly kind: "either"; readonly options: readonly Schema<unknown>[] }
  | { readonly kind: "list"; readonly item: Schema<unknown> }
  | { readonly kind: "object"; readonly fields: readonly Field[]; readonly isOpen: boolean };

/** A single value, in the words of JSON Schema. */
export interface ValueKeywords {
  readonly type?: "string" | "number" | "integer" | "boolean";
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A field of an object. */
export interface Field {
  readonly name: string;
  readonly schema: Schema<unknown>;
  readonly isOptional: boolean;
}

/** A field that may be missing. */
export interface Optional<T> {
  readonly optional: Schema<T>;
}

type Shape = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

/** What a schema reads. */
export type Output<S> = S extends Schema<infer T> ? T : S extends Optional<infer T> ? T : never;

type OptionalNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends Optional<unknown> ? Name : never;
}[keyof S];

type Flat<T> = { [Name in keyof T]: T[Name] };

type ObjectOf<S extends Shape> = Flat<
  { -readonly [Name in Exclude<keyof S, OptionalNames<S>>]: Output<S[Name]> } & {
    -readonly [Name in OptionalNames<S>]?: Output<S[Name]>;
  }
>;

type QueryOf<S extends Shape> = { -readonly [Name in keyof S]?: Output<S[Name]> | undefined };

/**
 * `true` when two types are the same in both directions, so that
 * `true satisfies Same<Quote, Output<typeof quoteSchema>>` fails to compile when they part.
 */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A single value, which `read` checks, and converts where it comes in another form. */
// @__NO_SIDE_EFFECTS__
export function value<T>(json: ValueKeywords, read: Schema<T>["read"]): Schema<T> {
  return { form: { kind: "value", json }, read };
}

export const anything: Schema<unknown> = value({}, (it) => it);

export const text: Schema<string> = value({ type: "string" }, (it) =>
  typeof it === "string" ? it : misfit,
);

/** JSON can write numbers that are infinite when read; nothing on this wire is. */
export const number: Schema<number> = value({ type: "number" }, (it) =>
  Number.isFinite(it) ? (it as number) : misfit,
);

export const boolean: Schema<boolean> = value({ type: "boolean" }, (it) =>
  typeof it === "boolean" ? it : misfit,
);

/** Text of a length in characters. */
// @__NO_SIDE_EFFECTS__
export function textOfLength(least: number, most: number): Schema<string> {
  const bounds = { ...(least > 0 && { minLength: least }), maxLength: most };
  return value({ type: "string", ...bounds }, (it) =>
    typeof it === "string" && it.length >= least && it.length <= most ? it : misfit,
  );
}

// @__NO_SIDE_EFFECTS__
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return value({ type: "integer", minimum: least, maximum: most }, (it) =>
    Number.isInteger(it) && (it as number) >= least && (it as number) <= most
      ? (it as number)
      : misfit,
  );
}

/** One of some texts and no other. */
// @__NO_SIDE_EFFECTS__
export function oneOf<const Known extends string>(...known: readonly Known[]): Schema<Known> {
  const [only, ...others] = known;
  const json = only !== undefined && others.length === 0 ? { const: only } : { enum: known };
  return value({ type: "string", ...json }, (it) =>
    known.includes(it as Known) ? (it as Known) : misfit,
  );
}

/** The first of some schemas that a value fits. */
// @__NO_SIDE_EFFECTS__
export function either<A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> {
  return {
    form: { kind: "either", options: [first, second] },
    read(it) {
      const read = first.read(it);
      return read === misfit ? second.read(it) : read;
    },
  };
}

// @__NO_SIDE_EFFECTS__
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return {
    form: { kind: "nullable", schema },
    read: (it) => (it === null ? it : schema.read(it)),
  };
}

/** For a field that may be missing. */
// @__NO_SIDE_EFFECTS__
export function optional<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema };
}

// @__NO_SIDE_EFFECTS__
export function listOf<T>(item: Schema<T>): Schema<T[]> {
  return {
    form: { kind: "list", item },
    read(it) {
      if (!Array.isArray(it)) return misfit;
      let converted: unknown[] | undefined;
      for (let index = 0; index < it.length; index++) {
        const read = item.read(it[index]);
        if (read === misfit) return misfit;
        if (read !== it[index]) {
          converted ??= [...it];
          converted[index] = read;
        }
      }
      return (converted ?? it) as T[];
    },
  };
}

/**
 * An object whose unknown fields are kept but not typed: the service may add fields at any time, and
 * a caller may need one before settlekit knows it.
 */
// @__NO_SIDE_EFFECTS__
export function openObject<const S extends Shape>(shape: S): Schema<ObjectOf<S>> {
  const fields = fieldsOf(shape);
  return {
    form: { kind: "object", fields, isOpen: true },
    read: (it) => readFields(fields, it) as ObjectOf<S> | typeof misfit,
  };
}

/** An object of these fields: what else a caller sends is left out. */
// @__NO_SIDE_EFFECTS__
export function closedObject<const S extends Shape>(shape: S): Schema<ObjectOf<S>> {
  const fields = fieldsOf(shape);
  return {
    form: { kind: "object", fields, isOpen: false },
    read(it) {
      const object = readFields(fields, it);
      if (object === misfit) return misfit;
      const known = Object.entries(object).filter(([name]) => Object.hasOwn(shape, name));
      return Object.fromEntries(known) as ObjectOf<S>;
    },
  };
}

/** Query parameters: each may be missing, or undefined where a caller passes its own options on. */
// @__NO_SIDE_EFFECTS__
export function queryOf<const S extends Readonly<Record<string, Schema<unknown>>>>(
  shape: S,
): Schema<QueryOf<S>> {
  const parameters = Object.entries(shape).map(([name, schema]) => [name, optional(schema)]);
  return closedObject(Object.fromEntries(parameters)) as Schema<unknown> as Schema<QueryOf<S>>;
}

function fieldsOf(shape: Shape): Field[] {
  return Object.entries(shape).map(([name, field]) =>
    "optional" in field
      ? { name, schema: field.optional, isOptional: true }
      : { name, schema: field, isOptional: false },
  );
}

/** The object itself unless a field had to be converted. */
function readFields(fields: readonly Field[], it: unknown): object | typeof misfit {
  if (!isRecord(it)) return misfit;
  let converted: Record<string, unknown> | undefined;
  for (const { name, schema, isOptional } of fields) {
    const inner = it[name];
    if (inner === undefined && isOptional) continue;
    const read = schema.read(inner);
    if (read === misfit) return misfit;
    if (read !== inner) {
      converted ??= { ...it };
      converted[name] = read;
    }
  }
  return converted ?? it;
}

export function isRecord(it: unknown): it is Record<string, unknown> {
  return typeof it === "object" && it !== null && !Array.isArray(it);
}
