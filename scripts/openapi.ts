/**
 * Generates the OpenAPI document of the service from src/wire: paths and schemas from the operations, descriptions from
 * their docstrings and those of the interfaces. api/openapi.json stores it, and the sandbox serves it.
 *
 * Run with `npm run api`.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { operationEvidence } from "../src/sandbox/service/answers.ts";
import {
  credentialHeader,
  defaultHeaderPrefix,
  defaultRequestIdHeader,
  idempotencyKeyHeader,
} from "../src/wire/credential.ts";
import type { Credential, Evidence, Operation, Replay } from "../src/wire/operation.ts";
import { operationTable } from "../src/wire/operations.ts";
import {
  paymentEventDataSchema,
  type WebhookEvents,
  webhookEventNames,
  withdrawalEventDataSchema,
} from "../src/wire/webhook-event.ts";
import {
  componentSchemas,
  defaults,
  docs,
  type JsonSchema,
  jsonSchemaOf,
  referenceTo,
} from "./openapi-schemas.ts";

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string | undefined;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  /** The source of the assumptions about this operation. */
  readonly "x-evidence": Evidence;
  /** Whether it may be repeated when its outcome is unknown. */
  readonly "x-replay": Replay;
}

/** The parts of an OpenAPI 3.1 document that this project reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Partial<Record<"get" | "post", OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [kind: string]: unknown;
  };
}

/** Interface section 7; 403 and 404 are assumed. */
const errors = {
  400: "A parameter is missing or malformed.",
  401: "The credential is missing or wrong.",
  403: "The credential is valid, but does not allow this (assumed).",
  404: "No object has this id (assumed).",
  409: "The Idempotency-Key was used before, with other parameters or in a request still in progress.",
  422: "The parameters are well-formed, but a value is not accepted.",
  429: "Too many requests. Repeat later, with backoff.",
  500: "The service failed. Repeat later, with backoff, if the request may be repeated.",
} as const;

type ErrorStatus = keyof typeof errors;

const credentials: Readonly<Record<Credential, string>> = {
  secretKey: "The merchant secret key. For the merchant's server only.",
  paymentSecret: "The `secret` in the response that created the payment.",
  accessToken: "A dashboard's token. The interface document does not show how to obtain it.",
};

/** By the first part of the operations' names. */
const tags: Readonly<Record<string, string>> = {
  payments: "Payments and deposits, from the merchant's server.",
  withdrawals: "Money sent out, from the merchant's server.",
  wallet: "The merchant's wallet.",
  checkout: "The customer's operations, with the payment secret.",
  dashboard: "The dashboard's operations, with a bearer token.",
  chains: "The supported chains; public.",
  tokens: "The supported tokens with their prices; public.",
};

const headers = {
  "Idempotency-Key":
    "Identifies the creation: the same for every attempt, a new one for the next creation.",
  "X-Request-Id": "Identifies the request to the service's support (assumed).",
  "Retry-After": "Seconds to wait, or the date to wait for (assumed).",
  Signature:
    "Hex HMAC-SHA256 of the timestamp, a dot and the raw body, keyed with the webhook secret.",
  Timestamp: "The timestamp in the signed text. The interface document does not show its form.",
} as const;

const webhooks: Readonly<Record<keyof WebhookEvents, string>> = {
  "payment.created": "A payment was created",
  "payment.updated": "A payment's status changed",
  "withdrawal.created": "A withdrawal was created",
  "withdrawal.updated": "A withdrawal's status changed",
};

function paths(): OpenApiDocument["paths"] {
  const items: Record<string, Partial<Record<"get" | "post", OperationObject>>> = {};
  for (const [id, operation] of Object.entries(operationTable)) {
    const method = operation.method === "GET" ? "get" : "post";
    const object = operationObject(id, operation);
    items[operation.path] = { ...items[operation.path], [method]: object };
  }
  return items;
}

function operationObject(id: string, operation: Operation<unknown>): OperationObject {
  const { name, credential, replay, body, successStatus = 200, response } = operation;
  // The first sentence is the summary.
  const [, summary = "", description] =
    /^(.+?)\.(?: (.+))?$/.exec(docs.get(`operations.${id}`) ?? "") ?? [];
  const access = credential === "none" ? "Public: no credential is sent." : undefined;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [name.split(".")[0] ?? ""],
    summary,
    description: [description, access].filter(Boolean).join(" ") || undefined,
    security: credential === "none" ? [] : [{ [credential]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      // A body without required fields may be left out.
      requestBody: {
        required: !body.safeParse({}).success,
        content: jsonContent(jsonSchemaOf(body)),
      },
    }),
    responses: {
      [successStatus]: {
        description: "Success.",
        headers: requestIdHeader,
        content: jsonContent(jsonSchemaOf(response)),
      },
      ...Object.fromEntries(
        errorStatuses(operation).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
    "x-evidence": operationEvidence(name),
    "x-replay": replay,
  };
}

/** The errors that an operation can return, depending on the parts of its request. */
function errorStatuses(operation: Operation<unknown>): ErrorStatus[] {
  const { path, query, body, replay, credential } = operation;
  const takesInput = query !== undefined || body !== undefined;
  return [
    ...(takesInput ? ([400] as const) : []),
    ...(credential === "none" ? [] : ([401, 403] as const)),
    ...(path.includes("{") ? ([404] as const) : []),
    ...(replay === "safe" ? [] : ([409] as const)),
    ...(takesInput ? ([422] as const) : []),
    429,
    500,
  ];
}

function parametersOf({ path, query, replay }: Operation<unknown>) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    // A chain's id is a number, or CAIP-2 text.
    const schema = { type: "string", ...(name !== "chainId" && { format: "uuid" }) };
    const subject = name.replace(/Id$/, "");
    return { name, in: "path", required: true, description: `Id of the ${subject}.`, schema };
  });
  const owner = queryOwner(path);
  const properties = Object.entries(query ? (jsonSchemaOf(query).properties ?? {}) : {});
  const inQuery = properties.map(([name, { description: _, ...schema }]) => {
    const description = docs.get(`${owner}.${name}`) ?? docs.get(name);
    const fallback = defaults.get(`${owner}.${name}`);
    const json = { ...schema, ...(fallback !== undefined && { default: fallback }) };
    return { name, in: "query", required: false, description, schema: json };
  });
  const idempotencyKey = {
    name: idempotencyKeyHeader,
    in: "header",
    required: false,
    description: headers[idempotencyKeyHeader],
    schema: { type: "string" },
  };
  return [...inPath, ...inQuery, ...(replay === "safe" ? [] : [idempotencyKey])];
}

/** The interface of a list's query. */
function queryOwner(path: string): string {
  const [, list = ""] = /\/(\w+)s$/.exec(path) ?? [];
  return `${list.charAt(0).toUpperCase()}${list.slice(1)}ListQuery`;
}

const requestIdHeader = { [defaultRequestIdHeader]: { $ref: "#/components/headers/RequestId" } };
const retryAfterHeader = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

function jsonContent(schema: JsonSchema) {
  return { "application/json": { schema } };
}

function errorResponses() {
  const content = jsonContent({ $ref: referenceTo("ErrorEnvelope") });
  const statuses = Object.entries(errors).map(([status, description]) => {
    const mayWait = status === "429" || status === "500";
    const sent = { ...requestIdHeader, ...(mayWait && retryAfterHeader) };
    return [`Error${status}`, { description, headers: sent, content }];
  });
  const other = { description: "Any other error.", headers: requestIdHeader, content };
  return { ...Object.fromEntries(statuses), Error: other };
}

function securitySchemes() {
  return Object.fromEntries(
    (Object.entries(credentials) as [Credential, string][]).map(([credential, description]) => {
      const { name, scheme } = credentialHeader(credential, defaultHeaderPrefix);
      return [
        credential,
        scheme === ""
          ? { type: "apiKey", in: "header", name, description }
          : { type: "http", scheme: "bearer", bearerFormat: "JWT", description },
      ];
    }),
  );
}

/** Interface section 6. */
function webhookObjects() {
  const parameters = (["Signature", "Timestamp"] as const).map((name) => ({
    name: `${defaultHeaderPrefix}-${name}`,
    in: "header",
    required: true,
    description: headers[name],
    schema: { type: "string" },
  }));
  return Object.fromEntries(
    webhookEventNames.map((event) => {
      const isPayment = event.startsWith("payment.");
      const data = jsonSchemaOf(isPayment ? paymentEventDataSchema : withdrawalEventDataSchema);
      const body: JsonSchema = {
        type: "object",
        required: ["event", "data"],
        properties: { event: { const: event }, data },
      };
      const post = {
        summary: webhooks[event],
        parameters,
        requestBody: { required: true, content: jsonContent(body) },
        responses: {
          "200": { description: "Received." },
          "401": { description: "The signature was not made with the webhook secret." },
        },
      };
      return [event, { post }];
    }),
  );
}

/** The service's interface, as settlekit assumes it. The server is the one that serves the document. */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Crypto Payment Service, merchant interface",
      version: "v1",
      description:
        "Payments, deposits and withdrawals, as settlekit assumes the service to work. `x-evidence` " +
        "gives the source of the assumptions about an operation: the service's interface document " +
        "(`documented`), other published descriptions (`published`), or settlekit's choice (`assumed`); " +
        "docs/wire.md has the details. Sections are those of the interface document.",
    },
    servers: [{ url: "/" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: webhookObjects(),
    components: {
      schemas: componentSchemas(),
      responses: errorResponses(),
      headers: {
        RequestId: { description: headers["X-Request-Id"], schema: { type: "string" } },
        RetryAfter: { description: headers["Retry-After"], schema: { type: "string" } },
      },
      securitySchemes: securitySchemes(),
    },
  } as OpenApiDocument;
}

if (import.meta.main) {
  const file = resolve(import.meta.dirname, "../api/openapi.json");
  writeFileSync(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
}
