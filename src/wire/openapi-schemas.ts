import * as z from "zod/mini";
import { knownValues, openEnum, openObject, type Schema } from "./fields.ts";
import {
  type ComponentName,
  componentProse,
  type FieldFacts,
  fieldProse,
} from "./openapi-field-prose.ts";
import { paginationSchema } from "./pagination.ts";
import {
  createdPaymentSchema,
  createPaymentBodySchema,
  paymentReceiptSchema,
  paymentSchema,
  paymentStateSchema,
  refreshStatusBodySchema,
} from "./payment.ts";
import { createQuoteBodySchema, depositAddressSchema, quoteSchema } from "./quote.ts";

import { settledChainSchema, settledTokenSchema, tokenChainSchema, tokenSchema } from "./token.ts";

import { paymentEventDataSchema, withdrawalEventDataSchema } from "./webhook-event.ts";
import {
  createWithdrawalBodySchema,
  withdrawalConfigSchema,
  withdrawalLimitsSchema,
  withdrawalReceiptSchema,
  withdrawalSchema,
} from "./withdrawal.ts";

/** A schema as an OpenAPI 3.1 document holds it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The documented envelope. Clients read errors of any form, so they have no schema for it. */
const errorDetailsSchema = openObject({
  type: openEnum("invalid_request_error", "authentication_error"),
  message: z.string(),
  code: openEnum(
    "invalid_amount",
    "invalid_api_key",
    "invalid_request",
    "unauthorized",
    "idempotency_conflict",
    "validation_error",
    "rate_limited",
    "server_error",
  ),
  param: z.exactOptional(z.string()),
});

const components: Readonly<Record<ComponentName, Schema<unknown>>> = {
  Payment: paymentSchema,
  PaymentReceipt: paymentReceiptSchema,
  DepositAddress: depositAddressSchema,
  Quote: quoteSchema,
  Token: tokenSchema,
  TokenChain: tokenChainSchema,
  SettledToken: settledTokenSchema,
  SettledChain: settledChainSchema,
  CreatePaymentBody: createPaymentBodySchema,
  CreatedPayment: createdPaymentSchema,
  Withdrawal: withdrawalSchema,
  WithdrawalReceipt: withdrawalReceiptSchema,
  CreateWithdrawalBody: createWithdrawalBodySchema,
  WithdrawalConfig: withdrawalConfigSchema,
  WithdrawalLimits: withdrawalLimitsSchema,
  PaymentState: paymentStateSchema,
  CreateQuoteBody: createQuoteBodySchema,
  RefreshStatusBody: refreshStatusBodySchema,
  Pagination: paginationSchema,
  PaymentEventData: paymentEventDataSchema,
  WithdrawalEventData: withdrawalEventDataSchema,
  ErrorEnvelope: openObject({ error: errorDetailsSchema }),
  ErrorDetails: errorDetailsSchema,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Every named schema. */
export function componentSchemas(): Record<ComponentName, JsonSchema> {
  const entries = Object.entries(components) as [ComponentName, Schema<unknown>][];
  return Object.fromEntries(
    entries.map(([name, schema]) => {
      const { [name]: json = {} } = converted(schema).$defs;
      return [name, { description: componentProse[name], ...withProse(json, name) }];
    }),
  ) as Record<ComponentName, JsonSchema>;
}

/** What a schema accepts, before any of it is converted; a reference where the schema has a name. */
export function jsonSchemaOf(schema: Schema<unknown>): JsonSchema {
  const { $schema, $defs, ...json } = converted(schema);
  return withProse(json);
}

function withProse(json: JsonSchema, owner = ""): JsonSchema {
  if (json.properties === undefined) return json;
  const described = Object.entries(json.properties).map(([field, schema]) => [
    field,
    { ...schema, ...factsOf(owner, field) },
  ]);
  return { ...json, properties: Object.fromEntries(described) };
}

function converted(schema: Schema<unknown>): JsonSchema & { $defs: Record<string, JsonSchema> } {
  const json = z.toJSONSchema(schema, {
    metadata: registry,
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const known = zodSchema._zod.def.type === "union" ? knownValues(zodSchema) : undefined;
      if (known === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: "string", examples: known });
    },
  });
  const text = JSON.stringify({ $defs: {}, ...json });
  return JSON.parse(text.replaceAll('"#/$defs/', `"${referenceTo("")}`));
}

/** What is to be said of a field. */
export function factsOf(owner: string, field: string): Partial<FieldFacts> {
  const prose = fieldProse[`${owner}.${field}`] ?? fieldProse[field] ?? {};
  return typeof prose === "string" ? { description: prose } : prose;
}
