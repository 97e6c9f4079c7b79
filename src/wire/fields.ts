import * as z from "zod/mini";
import { ConfigurationError } from "../errors.ts";
import { isRecord, show, unknownOptionText, withoutSecrets } from "../values.ts";

// The building blocks of the wire's schemas.

/** A schema, whatever it is made of. */
export type Schema<T> = z.ZodMiniType<T>;

// Named for their content. Their form is documented (interface section 2), but a deviation is no reason to refuse a
// response.
export const identifier = z.string();
export const timestamp = z.string();

/**
 * `true` when two types are the same in both directions, so that
 * `true satisfies Same<Quote, z.output<typeof quoteSchema>>` fails to compile when they differ.
 */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/**
 * An object in a response. Unknown fields are kept but not typed: the service may add fields at any time, and a caller
 * may need one that settlekit does not know yet.
 */
// @__NO_SIDE_EFFECTS__
export function openObject<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.looseObject(shape) as unknown as z.ZodMiniObject<Shape, z.core.$strip>;
}

/** Offers the known values for completion, and accepts any other string. */
export type OpenEnum<Known extends string> = Known | (string & {});

/** A value that the service defines: known ones are typed, and new ones are accepted. */
// @__NO_SIDE_EFFECTS__
export function openEnum<const Known extends string>(
  ...known: readonly Known[]
): Schema<OpenEnum<Known>> {
  return z.union([z.enum(known), z.string()]);
}

/** The known values of a schema made by `openEnum`. */
export function knownValues(schema: z.core.$ZodType): readonly string[] | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "nullable") return knownValues(def.innerType);
  const [first, second] = def.type === "union" ? def.options : [];
  const known = (first as z.core.$ZodTypes | undefined)?._zod.def;
  const isOpen = known?.type === "enum" && second?._zod.def.type === "string";
  return isOpen ? Object.values(known.entries).map(String) : undefined;
}

// @__NO_SIDE_EFFECTS__
export function textOfLength(least: number, most: number) {
  const text = z.string().check(z.maxLength(most));
  return least > 0 ? text.check(z.minLength(least)) : text;
}

// @__NO_SIDE_EFFECTS__
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.int().check(z.gte(least), z.lte(most));
}

/**
 * A field that may be missing. `z.exactOptional` would have this type, but parses each missing field and builds an
 * error for it, which doubles the time to parse a page.
 */
// @__NO_SIDE_EFFECTS__
export function optional<Inner extends z.core.$ZodType>(schema: Inner) {
  return z.optional(schema) as unknown as z.ZodMiniExactOptional<Inner>;
}

/** A field that is always present in one description of the service, but missing or null in another. */
// @__NO_SIDE_EFFECTS__
export function nullish<Inner extends z.core.$ZodType>(schema: Inner) {
  return optional(z.nullable(schema));
}

/** The same fields, each of which may be missing or null. */
export type AllNullish<Fields> = { [Name in keyof Fields]?: Fields[Name] | null };

// @__NO_SIDE_EFFECTS__
export function allNullish<Shape extends z.core.$ZodShape>({ shape }: z.ZodMiniObject<Shape>) {
  const fields = Object.entries(shape).map(([name, field]) => {
    const { def } = (field as z.core.$ZodTypes)._zod;
    return [name, nullish(def.type === "nullable" ? def.innerType : field)];
  });
  return openObject(
    Object.fromEntries(fields) as {
      [Name in keyof Shape]: z.ZodMiniExactOptional<z.ZodMiniNullable<Shape[Name]>>;
    },
  );
}

export const optionalText = nullish(z.string());
export const optionalNumber = nullish(z.number());

// Conversions end in a schema: without it, their output would have no JSON Schema.

/**
 * A price or rate as decimal text. Some descriptions have a JSON number, which is written out. Not for amounts in
 * smallest units: a JSON number has already lost their last digits.
 */
export const decimalText: Schema<string> = z.union([
  z.string(),
  z.pipe(z.number(), z.pipe(z.transform(writtenOut), z.string())),
]);

/** Every digit, without an exponent: `1e-7` is not a decimal string. */
function writtenOut(value: number): string {
  const text = String(value);
  const [, sign, whole = "", fraction = "", power] = /^(-?)(\d)\.?(\d*)e(.+)$/.exec(text) ?? [];
  const digits = whole + fraction;
  if (power === undefined) return text;
  const shift = Number(power);
  if (shift > 0) return sign + digits.padEnd(shift + 1, "0");
  return `${sign}0.${"0".repeat(-shift - 1)}${digits}`;
}

/** A chain of any namespace as CAIP-2 text, such as `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp`. */
export type Caip2 = `${string}:${string}`;

/** An EVM chain id as its number, such as 8453; a chain of another namespace as CAIP-2 text. */
export type ChainId = number | Caip2;

// @__NO_SIDE_EFFECTS__
function text(form: RegExp) {
  return z.string().check(z.regex(form));
}

const evmChainId = [
  z.number(),
  z.pipe(
    text(/^eip155:[1-9][0-9]{0,14}$/),
    z.pipe(
      z.transform((caip2: string) => Number(caip2.slice("eip155:".length))),
      z.number(),
    ),
  ),
] as const;

/**
 * The chain id of an EVM chain. A number in the interface document; CAIP-2 text such as `eip155:8453` in newer
 * descriptions, from which the number is read.
 */
export const evmChainIdSchema: Schema<number> = z.union(evmChainId);

/** The chain id of any chain: newer descriptions also list non-EVM chains. */
export const chainIdSchema: Schema<ChainId> = z.union([
  ...evmChainId,
  text(/^(?!eip155:)[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/) as unknown as Schema<Caip2>,
]);

/** A rule for an option. The message contains the option's name and value. */
export function must(rule: string, cure = "") {
  return {
    error: ({ path = [], input }: z.core.$ZodRawIssue) =>
      `${path.join(".")} must be ${rule}, got ${show(input)}.${cure}`,
  };
}

/**
 * Returns the options as parsed by the schema.
 *
 * @throws {ConfigurationError} naming the option in `param`.
 */
export function checkOptions<Options>(
  schema: z.ZodMiniObject & z.ZodMiniType<Options>,
  options: unknown,
): Options {
  const { success, data, error } = schema.safeParse(options, { error: optionMessage });
  if (success) return data;
  const unknown = error.issues.find((issue) => issue.code === "unrecognized_keys");
  const issue = unknown ?? (error.issues[0] as z.core.$ZodIssue);
  const ownCode = issue.code === "custom" ? issue.params?.code : undefined;
  const code = unknown ? "unknown_option" : (ownCode ?? "invalid_option");
  const param = optionPath(issue).join(".") || undefined;
  throw new ConfigurationError(issue.message, { code, param });
}

/** The path of the option that an issue is about: the first if there are several. */
function optionPath(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): string[] {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  return [...(issue.path ?? []), ...unknown].map((part) => withoutSecrets(String(part)));
}

/** The message for an unknown option, or one that should be an object. */
function optionMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const param = optionPath(issue).join(".");
  const { shape = {} } = (issue.inst as z.ZodMiniObject)._zod.def;
  const names = Object.keys(shape);
  if (issue.code === "unrecognized_keys") return unknownOptionText(param, names);
  const isObject = issue.code === "invalid_type" && issue.expected === "object";
  // The options may be a key, so they are not shown.
  return isObject
    ? `${param || "The options"} must be an object, such as { ${names[0]} }.`
    : undefined;
}

/**
 * Reads a response that may differ from its schema. `drift` lists the differing paths, such as `quotes.*.chainId`.
 * Their values are kept as they are; all others are converted as usual.
 */
export function readTolerantly<T>(
  schema: Schema<T>,
  answer: unknown,
): { readonly value: T; readonly drift: readonly string[] } {
  try {
    const { success, data } = z.safeParse(schema, answer);
    if (success) return { value: data, drift: [] };
  } catch {
    // zod cannot collect the issues of a page in which every item differs.
  }
  const drift = new Set<string>();
  return { value: readPart(schema, answer, [], drift) as T, drift: [...drift] };
}

/** Reads each part separately, so that a mismatch in one does not affect the others. */
function readPart(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  drift: Set<string>,
): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const read = (part: z.core.$ZodType, inner: unknown, key: PropertyKey) =>
    readPart(part, inner, [...path, key], drift);
  if (def.type === "object" && isRecord(value)) {
    const parts = Object.entries(def.shape).map(([name, part]) => [
      name,
      read(part, value[name], name),
    ]);
    return { ...value, ...Object.fromEntries(parts.filter(([, part]) => part !== undefined)) };
  }
  if (def.type === "array" && Array.isArray(value)) {
    return value.map((item) => read(def.element, item, "*"));
  }
  if (def.type === "nullable" || def.type === "optional") {
    const isEmpty = value === (def.type === "nullable" ? null : undefined);
    return isEmpty ? value : readPart(def.innerType, value, path, drift);
  }
  const isObject = ({ _zod }: z.core.$ZodType) => _zod.def.type === "object";
  const object = def.type === "union" && isRecord(value) && def.options.find(isObject);
  if (object) return readPart(object, value, path, drift);
  const { success, data, error } = z.safeParse(schema, value);
  if (success) return data;
  for (const issue of error.issues) drift.add([...path, ...issue.path].join("."));
  return value;
}
