import * as z from "zod/mini";
import { createQuoteBodySchema, paymentStateSchema, refreshStatusBodySchema } from "./checkout.ts";
import { depositAddressSchema } from "./deposit-address.ts";
import { knownValues, openEnum } from "./open-enum.ts";
import {
  type ComponentName,
  componentProse,
  type FieldFacts,
  fieldProse,
} from "./openapi-field-prose.ts";
import { paginationSchema } from "./pagination.ts";
import { paymentSchema } from "./payment.ts";
import { createdPaymentSchema, createPaymentBodySchema } from "./payment-creation.ts";
import { paymentReceiptSchema } from "./payment-receipt.ts";
import { quoteSchema } from "./quote.ts";
import { openObject, type Schema } from "./schema.ts";
import { settledChainSchema, settledTokenSchema } from "./settlement.ts";
import { tokenChainSchema, tokenSchema } from "./token.ts";
import { paymentEventDataSchema, withdrawalEventDataSchema } from "./webhook-event.ts";
import { withdrawalReceiptSchema, withdrawalSchema } from "./withdrawal.ts";
import { withdrawalConfigSchema, withdrawalLimitsSchema } from "./withdrawal-config.ts";
import { createWithdrawalBodySchema } from "./withdrawal-creation.ts";

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

const components: Readonly<Record<ComponentName, z.core.$ZodType>> = {
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

export interface JsonSchemas {
  /** Every named schema. */
  readonly components: Readonly<Record<ComponentName, JsonSchema>>;
  /** A reference to a named schema, or the schema itself where it has no name. */
  of(schema: Schema<unknown>): JsonSchema;
}

export function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/**
 * The wire's schemas as JSON Schema: what is accepted, before any of it is transformed.
 *
 * @param used Every schema that `of` will be asked for.
 */
export function jsonSchemas(used: readonly Schema<unknown>[]): JsonSchemas {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) names.add(schema, { id });
  // The operations hide which library their schemas are of.
  const unnamed = (used as unknown as readonly z.core.$ZodType[]).filter((it) => !names.has(it));
  unnamed.forEach((schema, index) => {
    names.add(schema, { id: `unnamed ${index}` });
  });

  const { schemas } = z.toJSONSchema(names, {
    io: "input",
    uri: referenceTo,
    override: ({ zodSchema, jsonSchema }) => {
      const examples = knownValues(zodSchema);
      if (examples) jsonSchema.examples = [...examples];
    },
  });
  const described = (id: string, description?: string): JsonSchema => {
    // Every schema comes as a document of its own, with a dialect and an address.
    const { $schema: _, $id: __, ...schema } = schemas[id] as JsonSchema;
    return withProse(id, { ...(description && { description }), ...schema });
  };

  return {
    components: Object.fromEntries(
      Object.entries(componentProse).map(([id, prose]) => [id, described(id, prose)]),
    ) as Record<ComponentName, JsonSchema>,
    of(schema) {
      const { id = "" } = names.get(schema as unknown as z.core.$ZodType) ?? {};
      return id in components ? { $ref: referenceTo(id) } : described(id);
    },
  };
}

/** The schema with what is to be said of its fields. */
function withProse(name: string, schema: JsonSchema): JsonSchema {
  if (schema.properties === undefined) return schema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([field, property]) => [
      field,
      { ...property, ...factsOf(name, field) },
    ]),
  );
  return { ...schema, properties };
}

/** What is to be said of a field. */
export function factsOf(owner: string, field: string): Partial<FieldFacts> {
  const prose = fieldProse[`${owner}.${field}`] ?? fieldProse[field] ?? {};
  return typeof prose === "string" ? { description: prose } : prose;
}
