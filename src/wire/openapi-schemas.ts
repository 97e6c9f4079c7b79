import { openEnum } from "./fields.ts";
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

import { type Field, type Form, openObject, optional, type Schema, text } from "./schema.ts";
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
  message: text,
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
  param: optional(text),
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

const names = new Map(
  Object.entries(components).map(([name, schema]) => [schema, name as ComponentName]),
);

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Every named schema. */
export function componentSchemas(): Record<ComponentName, JsonSchema> {
  const entries = Object.entries(components) as [ComponentName, Schema<unknown>][];
  return Object.fromEntries(
    entries.map(([name, { form }]) => [
      name,
      { description: componentProse[name], ...inFull(form, name) },
    ]),
  ) as Record<ComponentName, JsonSchema>;
}

/** What a schema accepts, before any of it is converted; a reference where the schema has a name. */
export function jsonSchemaOf(schema: Schema<unknown>): JsonSchema {
  const name = names.get(schema);
  return name === undefined ? inFull(schema.form) : { $ref: referenceTo(name) };
}

function inFull(form: Form, name = ""): JsonSchema {
  switch (form.kind) {
    case "value":
      return { ...form.json };
    case "nullable":
      return anyOf([jsonSchemaOf(form.schema), { type: "null" }]);
    case "either":
      return anyOf(form.options.map(jsonSchemaOf));
    case "list":
      return { type: "array", items: jsonSchemaOf(form.item) };
    case "object":
      return objectSchema(form.fields, form.isOpen, name);
  }
}

function objectSchema(fields: readonly Field[], isOpen: boolean, owner: string): JsonSchema {
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const properties = fields.map(({ name, schema }) => [
    name,
    { ...jsonSchemaOf(schema), ...factsOf(owner, name) },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(isOpen && { additionalProperties: {} }),
  };
}

/** In one word where only the types differ. */
function anyOf(options: readonly JsonSchema[]): JsonSchema {
  const isPlain = options.every((option) => Object.keys(option).join() === "type");
  return isPlain ? { type: options.flatMap(({ type }) => type) } : { anyOf: options };
}

/** What is to be said of a field. */
export function factsOf(owner: string, field: string): Partial<FieldFacts> {
  const prose = fieldProse[`${owner}.${field}`] ?? fieldProse[field] ?? {};
  return typeof prose === "string" ? { description: prose } : prose;
}
