// The schemas of the OpenAPI document: from zod, with descriptions from the docstrings of the interfaces in src/wire.

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import * as z from "zod/mini";
import * as fields from "../src/wire/fields.ts";
import * as pagination from "../src/wire/pagination.ts";
import * as payment from "../src/wire/payment.ts";
import * as quote from "../src/wire/quote.ts";
import * as receipt from "../src/wire/receipt.ts";
import * as token from "../src/wire/token.ts";
import * as webhookEvent from "../src/wire/webhook-event.ts";
import * as withdrawal from "../src/wire/withdrawal.ts";

/** A schema in an OpenAPI 3.1 document. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The documented envelope. Clients read errors of any form, so the wire has no schema for it. */
const errorDetailsSchema = fields.openObject({
  type: fields.openEnum("invalid_request_error", "authentication_error"),
  message: z.string(),
  code: fields.openEnum(
    ..."invalid_amount invalid_api_key invalid_request unauthorized".split(" "),
    ..."idempotency_conflict validation_error rate_limited server_error".split(" "),
  ),
  param: z.exactOptional(z.string()),
});

/** The docstrings of interfaces, fields and operations, and the defaults that they mention. */
export const { docs, defaults } = readDocstrings();
const components = namedSchemas();
const registry = z.registry<{ id: string }>();
for (const [id, schema] of components) registry.add(schema, { id });

/** Every object schema of the wire by the name of its interface: `paymentSchema` is Payment. */
function namedSchemas(): Map<string, fields.Schema<unknown>> {
  const modules = {
    ...pagination,
    ...payment,
    ...receipt,
    ...quote,
    ...token,
    ...webhookEvent,
    ...withdrawal,
  };
  const named = Object.entries(modules).flatMap(([name, schema]) => {
    const [, first = "", rest = ""] = /^(.)(.*)Schema$/.exec(name) ?? [];
    const id = first.toUpperCase() + rest;
    return docs.has(id) && !id.endsWith("Query")
      ? [[id, schema as fields.Schema<unknown>] as const]
      : [];
  });
  const envelope = fields.openObject({ error: errorDetailsSchema });
  return new Map([...named, ["ErrorEnvelope", envelope], ["ErrorDetails", errorDetailsSchema]]);
}

/** The docstrings of the wire's interfaces by name, of their fields by `Interface.field`, and of the operations. */
function readDocstrings() {
  const docs = new Map<string, string>([
    ["ErrorEnvelope", "Every error (interface section 7)."],
    ["ErrorDetails", "What went wrong (interface section 7)."],
    ["error", "What went wrong."],
    ["ErrorDetails.type", "The category."],
    ["type", "`payment` or `deposit`."],
    ["status", "The current status, such as `pending` or `completed`."],
    ["tokenType", "Whether the price is stable: `stablecoin` or `volatile`."],
    ["id", "Identifier."],
    ["message", "Text for people. It may change."],
    ["code", "What went wrong, for programs."],
    ["param", "The field at fault, where there is one."],
  ]);
  const defaults = new Map<string, string | number>();
  const bases = new Map<string, string>();
  const folder = resolve(import.meta.dirname, "../src/wire");
  for (const file of readdirSync(folder)) {
    const text = readFileSync(resolve(folder, file), "utf8");
    for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
      if (file === "operations.ts" && ts.isVariableStatement(node)) {
        for (const { name } of node.declarationList.declarations) {
          docs.set(`operations.${name.getText()}`, textOf(node));
        }
      }
      if (!ts.isInterfaceDeclaration(node)) continue;
      const name = node.name.text;
      docs.set(name, textOf(node));
      const extended = node.heritageClauses?.[0]?.types[0];
      // `AllNullish<Token>` has the fields of Token.
      const base = (extended?.typeArguments?.[0] ?? extended?.expression)?.getText();
      if (base !== undefined) bases.set(name, base);
      for (const member of node.members) {
        const field = member.name?.getText() ?? "";
        const description = textOf(member);
        if (description === "") continue;
        docs.set(`${name}.${field}`, description);
        // Filters and operations have fields of the same names, but with other meanings.
        if (!docs.has(field) && !/Query$|^Operation$/.test(name)) docs.set(field, description);
        const [, value] = /[Dd]efault `?(\w+)`?/.exec(description) ?? [];
        if (value) defaults.set(`${name}.${field}`, /^\d+$/.test(value) ? Number(value) : value);
      }
    }
  }
  for (const [name, base] of bases) {
    inherit(docs, name, base);
    inherit(defaults, name, base);
  }
  return { docs, defaults };
}

/** Copies the values of a base's fields to an interface that extends it. */
function inherit<Value>(said: Map<string, Value>, name: string, base: string): void {
  for (const [key, value] of [...said]) {
    const [owner, field] = key.split(".");
    if (owner === base && field && !said.has(`${name}.${field}`))
      said.set(`${name}.${field}`, value);
  }
}

function textOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? "").replaceAll(/\s*\n\s*/g, " ").trim();
}

export function referenceTo(id: string): string {
  return `#/components/schemas/${id}`;
}

function converted(schema: fields.Schema<unknown>) {
  const json = z.toJSONSchema(schema, {
    metadata: registry,
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === fields.identifier) Object.assign(jsonSchema, { format: "uuid" });
      if (zodSchema === fields.timestamp) Object.assign(jsonSchema, { format: "date-time" });
      const isUnion = zodSchema._zod.def.type === "union";
      const known = isUnion ? fields.knownValues(zodSchema) : undefined;
      if (known === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: "string", examples: known });
    },
  });
  const text = JSON.stringify({ $defs: {}, ...json });
  return JSON.parse(text.replaceAll('"#/$defs/', `"${referenceTo("")}`)) as JsonSchema & {
    readonly $defs: Readonly<Record<string, JsonSchema>>;
  };
}

/** Bounds that schemas leave to the service: documented (interface section 8), for a deposit assumed. */
const bounds: Readonly<Record<string, object>> = {
  "CreatePaymentBody.amount": { maximum: payment.maxAmountInCents },
  "CreateQuoteInput.forceDepositAmount": { maximum: payment.maxAmountInCents },
  "CreateWithdrawalBody.amountInCents": { minimum: 100, maximum: payment.maxAmountInCents },
};

function described(json: JsonSchema, owner: string): JsonSchema {
  if (json.properties === undefined) return json;
  const properties = Object.entries(json.properties).map(([field, schema]) => {
    const description = docs.get(`${owner}.${field}`) ?? docs.get(field);
    return [
      field,
      { ...schema, ...bounds[`${owner}.${field}`], ...(description && { description }) },
    ];
  });
  return { ...json, properties: Object.fromEntries(properties) };
}

/** The JSON Schema of the input that a schema accepts; a reference if the schema has a name. */
export function jsonSchemaOf(schema: fields.Schema<unknown>): JsonSchema {
  const { $schema, $defs, ...json } = converted(schema);
  return described(json, "PageBody");
}

export function componentSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    [...components].map(([name, schema]) => {
      const { [name]: json = {} } = converted(schema).$defs;
      return [name, { description: docs.get(name) ?? "", ...described(json, name) }];
    }),
  );
}
