import { text } from "@optique/core/message";
import type { NonEmptyString } from "@optique/core/nonempty";
import type { Parser } from "@optique/core/parser";
import { choice, float, integer, type ValueParser } from "@optique/core/valueparser";
import {
  componentSchemas,
  factsOf,
  type JsonSchema,
  jsonSchemaOf,
} from "../wire/openapi-schemas.ts";
import type { Operation } from "../wire/operations.ts";
import { readBy, setting, word } from "./options.ts";

// What an operation of the table takes and gives, as the command line has it.

/** An option for each filter, or for each field of the body. */
export function optionsOf(
  { query, body }: Operation<unknown>,
  alsoRequired: readonly string[] = [],
): Record<string, Parser<"sync", unknown, unknown>> {
  const schema = query ?? body;
  const { properties = {}, required = [] } = schema ? resolved(jsonSchemaOf(schema)) : {};
  const options: Record<string, Parser<"sync", unknown, unknown>> = {};
  for (const [name, field] of Object.entries(properties)) {
    // Only one value is possible, and the client sends it.
    if ("const" in field) continue;
    const { description = "" } = query ? factsOf("query", name) : field;
    const option = setting(`--${kebab(name)}`, valueParserOf(name, field), [text(description)]);
    const isRequired = [...required, ...alsoRequired].includes(name);
    options[name] = isRequired ? option : option.optional();
  }
  return options;
}

function valueParserOf(name: string, field: JsonSchema): ValueParser<"sync", unknown> {
  const metavar = kebab(name).replaceAll("-", "_").toUpperCase() as NonEmptyString;
  const { type, enum: values, minimum: min, maximum: max } = field;
  const bounds = {
    metavar,
    ...(typeof min === "number" && { min }),
    ...(typeof max === "number" && { max }),
  };
  if (type === "integer") return integer(bounds);
  if (type === "number") return float(bounds);
  // A chain id, for example.
  if (JSON.stringify(type ?? field.anyOf ?? "").includes('"number"')) {
    const read = (input: string) => (/^\d{1,15}$/.test(input) ? Number(input) : input);
    return readBy<string | number>(metavar, "", read);
  }
  if (type === "boolean") return choice(["true", "false"], { metavar });
  if (Array.isArray(values)) return choice(values.map(String), { metavar });
  const { examples } = field;
  if (!Array.isArray(examples)) return word(metavar);
  // The service may know more than these.
  const suggest = function* (prefix: string) {
    for (const known of examples.map(String)) {
      if (known.startsWith(prefix)) yield { kind: "literal" as const, text: known };
    }
  };
  return { ...word(metavar), suggest };
}

export function kebab(name: string) {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) as NonEmptyString;
}

/** The placeholders of the path, such as `paymentId`. */
export function placeholdersOf({ path }: Operation<unknown>): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
}

/** The fields of the result, or of each item of a list, that hold neither objects nor lists. */
export function columnsOf(operation: Operation<unknown>): string[] {
  const { properties = {} } = itemOf(operation);
  return Object.entries(properties)
    .filter(([, field]) => !/"\$ref"|"type":"(?:object|array)"/.test(JSON.stringify(field)))
    .map(([name]) => name);
}

/** Whether the result is a list, or a page of one. */
export function isList(operation: Operation<unknown>): boolean {
  const schema = resolved(jsonSchemaOf(operation.response));
  return schema.type === "array" || schema.properties?.data?.type === "array";
}

function itemOf({ response }: Operation<unknown>): JsonSchema {
  const schema = resolved(jsonSchemaOf(response));
  const list = schema.properties?.data ?? schema;
  return list.type === "array" ? resolved(list.items as JsonSchema) : schema;
}

function resolved(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1);
  const components: Readonly<Record<string, JsonSchema>> = componentSchemas();
  return name === undefined ? schema : (components[name] ?? schema);
}
