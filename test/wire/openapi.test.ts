import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../scripts/openapi.ts";
import { credentialHeader } from "../../src/wire/credential.ts";
import type { Schema } from "../../src/wire/fields.ts";
import { operationTable } from "../../src/wire/operations.ts";
import {
  createdPaymentSchema,
  createPaymentBodySchema,
  paymentSchema,
} from "../../src/wire/payment.ts";
import {
  createWithdrawalBodySchema,
  withdrawalConfigSchema,
  withdrawalSchema,
} from "../../src/wire/withdrawal.ts";
import { describeService } from "../contract/description.ts";
import { alter, oddValue, placesIn } from "./alterations.ts";
import { createdPayment, payment, withdrawal, withdrawalConfig } from "./examples.ts";

const document = openApiDocument();
const table = Object.entries(operationTable).map(([id, operation]) => ({ id, ...operation }));

function objectOf({ path, method }: (typeof table)[number]) {
  const object = document.paths[path]?.[method === "GET" ? "get" : "post"];
  if (object === undefined) throw new Error(`${method} ${path} is missing.`);
  return object;
}

describe("the OpenAPI document", () => {
  test("is a valid OpenAPI 3.1 document whose references all resolve", async () => {
    const validator = new Validator();
    const plain = JSON.parse(JSON.stringify(document));
    expect(await validator.validate(plain)).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");

    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, pointer = ""] of references) {
      const found = pointer.split("/").reduce((at, name) => at?.[name], plain);
      expect(found, pointer).toBeTypeOf("object");
    }
  });

  test("is the same every time", () => {
    expect(openApiDocument()).toEqual(document);
  });

  test("has the operations of the table and no others", () => {
    const paths = Object.entries(document.paths);
    const described = paths.flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    );
    expect(described.toSorted()).toEqual(
      table.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).toSorted(),
    );
  });

  test.each(table)("has the credential, success status and replay rule of $name", (operation) => {
    const { security, responses, "x-replay": replay } = objectOf(operation);
    const isPublic = operation.credential === "none";
    expect(security).toEqual(isPublic ? [] : [{ [operation.credential]: [] }]);
    expect(Object.keys(responses).filter((status) => status.startsWith("2"))).toEqual([
      String(operation.successStatus ?? 200),
    ]);
    expect(replay).toBe(operation.replay);
  });

  test.each(table)("has the ledger's evidence for $name", async (operation) => {
    const ledger = await readFile(resolve(import.meta.dirname, "../../docs/wire.md"), "utf8");
    const row = ledger.split("\n").find((line) => line.startsWith(`| \`${operation.name}\` |`));
    const [, , , evidence = ""] = row?.split("|") ?? [];
    expect(evidence.trim().split(/[ ;]/)[0]).toBe(objectOf(operation)["x-evidence"]);
  });

  test("has the placeholders of each path as its parameters", () => {
    for (const operation of table) {
      const parameters = (objectOf(operation).parameters ?? []) as { in: string; name: string }[];
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(operation.path.match(/\{\w+\}/g) ?? []);
    }
  });

  test("has the documented bounds and the known values of a list's parameters", () => {
    expect(document.paths["/v1/external/secretkey-auth/payments"]?.get?.parameters).toContainEqual({
      name: "limit",
      in: "query",
      required: false,
      description: "Items per page, 1 to 1000; default 100.",
      schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
    });
    expect(
      document.paths["/v1/external/secretkey-auth/withdrawals"]?.get?.parameters,
    ).toContainEqual(
      expect.objectContaining({
        name: "status",
        schema: {
          type: "string",
          examples: ["pending", "processing", "completed", "failed", "cancelled"],
        },
      }),
    );
  });

  test("asks for an Idempotency-Key where a retry matters", () => {
    const asking = table.filter((operation) =>
      JSON.stringify(objectOf(operation).parameters ?? []).includes('"Idempotency-Key"'),
    );
    expect(asking.map(({ name }) => name)).toEqual([
      "payments.create",
      "withdrawals.create",
      "dashboard.withdrawals.create",
    ]);
  });

  test("names the header of each credential", () => {
    expect(document.components.securitySchemes).toMatchObject({
      secretKey: { type: "apiKey", in: "header", name: "X-Service-Secret-Key" },
      paymentSecret: { type: "apiKey", in: "header", name: "X-Service-Payment-Secret" },
      accessToken: { type: "http", scheme: "bearer" },
    });
    expect(credentialHeader("accessToken", "X-Service").name).toBe("Authorization");
  });

  test("describes the four webhooks", () => {
    expect(Object.keys(document.webhooks)).toEqual([
      "payment.created",
      "payment.updated",
      "withdrawal.created",
      "withdrawal.updated",
    ]);
  });

  test("describes every object and every field", () => {
    const objects = Object.entries(document.components.schemas);
    const silent = objects.flatMap(([name, { description, properties = {} }]) => [
      ...(description ? [] : [name]),
      ...Object.entries(properties)
        .filter(([, { description }]) => !description)
        .map(([field]) => `${name}.${field}`),
    ]);
    expect(silent).toEqual([]);
    expect(document.components.schemas.Quote?.properties?.expectedAmountAsset?.description).toBe(
      "The amount that settles the payment, in the token's smallest unit, as a decimal string.",
    );
  });

  test("matches api/openapi.json, which `npm run api` writes", async () => {
    const kept = await readFile(resolve(import.meta.dirname, "../../api/openapi.json"), "utf8");
    expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe("the document's schemas", () => {
  const { problems } = describeService({ formats: false });
  const accepts = (component: string, value: unknown) =>
    problems(["components", "schemas", component], value).length === 0;

  const samples: [string, Schema<unknown>, object][] = [
    ["Payment", paymentSchema, payment],
    ["CreatedPayment", createdPaymentSchema, createdPayment],
    ["Withdrawal", withdrawalSchema, withdrawal],
    ["WithdrawalConfig", withdrawalConfigSchema, withdrawalConfig],
    ["CreatePaymentBody", createPaymentBodySchema, { amount: 1, currency: "USD", orderId: "a" }],
    [
      "CreateWithdrawalBody",
      createWithdrawalBodySchema,
      { amountInCents: 100, chainId: 8453, recipientAddress: "0x", currency: "USD", orderId: "a" },
    ],
  ];

  test.each(samples)(
    "accept and refuse the same values as the wire schemas: %s",
    (name, schema, sample) => {
      expect(accepts(name, sample)).toBe(true);
      let refused = 0;
      // The document states the bounds of an amount, but only the service enforces them.
      const places = placesIn(sample).filter(
        (place) => !(name.endsWith("Body") && /^amount/.test(place[0] ?? "")),
      );
      fc.assert(
        fc.property(fc.constantFrom(...places), oddValue, (place, value) => {
          const altered = structuredClone(sample);
          alter(altered, place, value);
          const fits = schema.safeParse(altered).success;
          if (!fits) refused++;
          expect(accepts(name, altered)).toBe(fits);
        }),
        { numRuns: 300 },
      );
      expect(refused).toBeGreaterThan(0);
    },
  );

  test("leave a status open", () => {
    expect(accepts("Payment", { ...payment, status: "settled_soon" })).toBe(true);
    expect(document.components.schemas.Payment?.properties?.status?.examples).toContain("expired");
  });

  test("check that timestamps and identifiers have their documented format", () => {
    const strict = describeService({ formats: true });
    const judged = (value: unknown) => strict.problems(["components", "schemas", "Payment"], value);
    expect(judged(payment)).toEqual([]);
    expect(judged({ ...payment, createdAt: "yesterday" })).toEqual([
      '/createdAt must match format "date-time"',
    ]);
    expect(judged({ ...payment, id: "1" })).toEqual(['/id must match format "uuid"']);
  });
});
