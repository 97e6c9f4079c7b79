import {
  credentialHeader,
  defaultHeaderPrefix,
  defaultRequestIdHeader,
  idempotencyKeyHeader,
} from "./credential.ts";
import type { Schema } from "./fields.ts";
import {
  credentialProse,
  type ErrorStatus,
  type Evidence,
  errorProse,
  headerProse,
  operationProse,
  tagProse,
  webhookProse,
} from "./openapi-prose.ts";
import {
  componentSchemas,
  factsOf,
  type JsonSchema,
  jsonSchemaOf,
  referenceTo,
} from "./openapi-schemas.ts";
import {
  type Credential,
  type Operation,
  type OperationId,
  operationTable,
  type Replay,
} from "./operations.ts";

import { webhookEventNames, webhookEventSchemas } from "./webhook-event.ts";

/** An OpenAPI 3.1 document, as far as it is read in this project. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [kind: string]: unknown;
  };
}

type PathItem = Readonly<Partial<Record<"get" | "post", OperationObject>>>;

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  /** Where the belief that there is this operation comes from. */
  readonly "x-evidence": Evidence;
  /** Whether it may be repeated when nobody knows what became of it. */
  readonly "x-replay": Replay;
}

const table = Object.entries(operationTable) as [OperationId, Operation<unknown>][];

/**
 * The interface of the service, as it is believed to be, generated from the operations and their
 * schemas. Its server is whoever serves it.
 */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Crypto Payment Service, merchant interface",
      version: "v1",
      description:
        "Payments, deposits and withdrawals, as settlekit believes the service to speak. `x-evidence` " +
        "says where the belief in an operation comes from: the service's interface document " +
        "(`documented`), other published descriptions (`published`), or nobody (`assumed`). Sections " +
        "are those of the interface document.",
    },
    servers: [{ url: "/" }],
    tags: Object.entries(tagProse).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: componentSchemas(),
      responses: errorResponses(),
      headers: {
        RequestId: { description: headerProse["X-Request-Id"], schema: { type: "string" } },
        RetryAfter: { description: headerProse["Retry-After"], schema: { type: "string" } },
      },
      securitySchemes: securitySchemes(),
    },
  };
}

function paths(): Record<string, PathItem> {
  const items: Record<string, PathItem> = {};
  for (const [id, operation] of table) {
    const method = operation.method === "GET" ? "get" : "post";
    items[operation.path] = {
      ...items[operation.path],
      [method]: operationObject(id, operation),
    };
  }
  return items;
}

function operationObject(id: OperationId, operation: Operation<unknown>): OperationObject {
  const { name, credential, replay, body, successStatus, response } = operation;
  const { summary, description, evidence } = operationProse[id];
  const [tag = ""] = name.split(".");
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: [{ [credential]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBodyOf(body) }),
    responses: {
      [successStatus]: {
        description: "Done.",
        headers: requestIdHeader,
        content: json(jsonSchemaOf(response)),
      },
      ...Object.fromEntries(
        errorStatuses(operation).map((status) => [status, { $ref: errorReference(status) }]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
    "x-evidence": evidence,
    "x-replay": replay,
  };
}

function requestBodyOf(body: Schema<unknown>) {
  // A body without required fields may be left out.
  return { required: !body.safeParse({}).success, content: json(jsonSchemaOf(body)) };
}

/** Which errors an operation can give, by what there is in its requests to be wrong. */
function errorStatuses({ path, query, body, replay }: Operation<unknown>): ErrorStatus[] {
  const takesInput = query !== undefined || body !== undefined;
  return [
    ...(takesInput ? ([400] as const) : []),
    401,
    403,
    ...(path.includes("{") ? ([404] as const) : []),
    ...(replay === "safe" ? [] : ([409] as const)),
    ...(takesInput ? ([422] as const) : []),
    429,
    500,
  ];
}

function parametersOf({ path, query, replay }: Operation<unknown>) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const { description, ...facts } = factsOf("path", name);
    const schema = { type: "string", ...facts };
    return { name, in: "path", required: true, description, schema };
  });
  const inQuery = Object.entries(query ? (jsonSchemaOf(query).properties ?? {}) : {}).map(
    ([name, { description: _, ...schema }]) => {
      const { description, ...facts } = factsOf("query", name);
      return { name, in: "query", required: false, description, schema: { ...schema, ...facts } };
    },
  );
  const idempotencyKey = {
    name: idempotencyKeyHeader,
    in: "header",
    required: false,
    description: headerProse[idempotencyKeyHeader],
    schema: { type: "string" },
  };
  return [...inPath, ...inQuery, ...(replay === "safe" ? [] : [idempotencyKey])];
}

const requestIdHeader = { [defaultRequestIdHeader]: { $ref: "#/components/headers/RequestId" } };
const retryAfterHeader = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

function json(schema: JsonSchema) {
  return { "application/json": { schema } };
}

function errorReference(status: ErrorStatus): string {
  return `#/components/responses/Error${status}`;
}

function errorResponses() {
  const content = json({ $ref: referenceTo("ErrorEnvelope") });
  const statuses = Object.entries(errorProse).map(([status, description]) => {
    const mayWait = status === "429" || status === "500";
    const headers = { ...requestIdHeader, ...(mayWait && retryAfterHeader) };
    return [`Error${status}`, { description, headers, content }];
  });
  const other = { description: "Any other error.", headers: requestIdHeader, content };
  return { ...Object.fromEntries(statuses), Error: other };
}

function securitySchemes() {
  const credentials = Object.entries(credentialProse) as [Credential, string][];
  return Object.fromEntries(
    credentials.map(([credential, description]) => {
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
function webhooks() {
  const header = (name: "Signature" | "Timestamp") => ({
    name: `${defaultHeaderPrefix}-${name}`,
    in: "header",
    required: true,
    description: headerProse[name],
    schema: { type: "string" },
  });
  return Object.fromEntries(
    webhookEventNames.map((event) => {
      const body: JsonSchema = {
        type: "object",
        required: ["event", "data"],
        properties: { event: { const: event }, data: jsonSchemaOf(webhookEventSchemas[event]) },
      };
      const post = {
        summary: webhookProse[event],
        parameters: [header("Signature"), header("Timestamp")],
        requestBody: { required: true, content: json(body) },
        responses: {
          "200": { description: "Received." },
          "401": { description: "The signature is not the webhook secret's." },
        },
      };
      return [event, { post }];
    }),
  );
}
