import type { Parser } from "@optique/core/parser";
import { integer, type ValueParser } from "@optique/core/valueparser";
import openApi from "../../api/openapi.json" with { type: "json" };
import type { Operation } from "../wire/operation.ts";
import { operand, readBy, setting } from "./command.ts";
import { centsFrom, oneOf, textSuchAs } from "./options.ts";

// Options and columns of an operation, read from the OpenAPI document.

interface JsonSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: JsonSchema } };
}

interface OperationObject {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const { paths, components } = openApi as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

/** An operation in the OpenAPI document. */
export function describedIn({ path, method }: Operation<unknown>): OperationObject {
  const object = paths[path]?.[method.toLowerCase()];
  if (object === undefined) throw new Error(`The OpenAPI document has no ${method} ${path}.`);
  return object;
}

/** An option for each filter, or for each field of the body. */
export function optionsOf(
  operation: Operation<unknown>,
  alsoRequired: readonly string[],
): Record<string, Parser<"sync", unknown, unknown>> {
  const { parameters = [], requestBody } = describedIn(operation);
  const filters = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, description, schema }) => [name, { ...schema, description }] as const);
  const { properties = {}, required = [] } = resolved(schemaOf(requestBody));
  const options: Record<string, Parser<"sync", unknown, unknown>> = {};
  for (const [name, field] of [...filters, ...Object.entries(properties)]) {
    // The client sends the only possible value.
    if ("const" in field) continue;
    const description = field.description?.replaceAll("`", "") ?? "";
    const flag = `--${kebab(name)} ${metavarOf(name)}` as const;
    const option = setting(flag, description, valueParserOf(field));
    const isRequired = [...required, ...alsoRequired].includes(name);
    options[name] = isRequired ? option : option.optional();
  }
  return options;
}

/** The operands for a path's placeholders: ids are text, but an EVM chain's id is a number. */
export function operandsOf(operation: Operation<unknown>) {
  const { parameters = [] } = describedIn(operation);
  const placeholders = parameters.filter((parameter) => parameter.in === "path");
  const operands = placeholders.map(({ name, description }) => {
    const parser = name === "chainId" ? numberOrText : undefined;
    return [name, operand<string | number>(metavarOf(name), description, parser)] as const;
  });
  return Object.fromEntries(operands);
}

/** Undefined for a field that accepts any text. */
function valueParserOf(field: JsonSchema): ValueParser<"sync", unknown> | undefined {
  const { type, enum: values, examples, minimum: min, maximum: max } = field;
  const bounds = {
    ...(typeof min === "number" && { min }),
    ...(typeof max === "number" && { max }),
  };
  if (field.description?.includes("cents")) return centsFrom(bounds);
  if (type === "integer" || type === "number") return integer(bounds);
  // A chain id, for example.
  if (JSON.stringify(type ?? field.anyOf ?? "").includes('"number"')) return numberOrText;
  if (Array.isArray(values)) return oneOf(values.map(String));
  if (!Array.isArray(examples)) return undefined;
  // The service may accept others.
  return textSuchAs(examples.map(String));
}

/** Converts an EVM chain to its number, the only form that withdrawals accept. */
const numberOrText = readBy((input) =>
  /^(?:eip155:)?\d{1,15}$/.test(input) ? Number(input.replace("eip155:", "")) : input,
);

export function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function metavarOf(name: string): string {
  return kebab(name).replaceAll("-", "_").toUpperCase();
}

/**
 * The columns of a result that is a list, a page, or an object that holds only a list; undefined for others. Fields of
 * nested objects are named like `token.symbol`; lists have no column.
 */
export function columnsOf(operation: Operation<unknown>): string[] | undefined {
  const { successStatus = 200 } = operation;
  const result = resolved(schemaOf(describedIn(operation).responses[successStatus]));
  const [only, ...others] = Object.values(result.properties ?? {});
  const list = result.properties?.data ?? (others.length === 0 ? only : undefined) ?? result;
  if (list.type !== "array") return undefined;
  const { properties = {} } = resolved(list.items as JsonSchema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const { properties: inner } = resolved(field);
    if (inner === undefined) return isFlat(field) ? [name] : [];
    const below = Object.entries(inner).filter(([, innerField]) => isFlat(innerField));
    return below.map(([innerName]) => `${name}.${innerName}`);
  });
}

function isFlat(field: JsonSchema): boolean {
  return !/"\$ref"|"type":"(?:object|array)"/.test(JSON.stringify(field));
}

function schemaOf(content: Content | undefined): JsonSchema {
  return content?.content["application/json"].schema ?? {};
}

/** The schema behind a `$ref`, whether or not it may also be null. */
function resolved(schema: JsonSchema): JsonSchema {
  const name = (schema.anyOf?.[0] ?? schema).$ref?.split("/").at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? schema);
}
