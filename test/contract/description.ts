import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import openApi from "../../api/openapi.json" with { type: "json" };
import type { OpenApiDocument, OperationObject } from "../../scripts/openapi.ts";
import type { Operation } from "../../src/wire/operation.ts";

/** The OpenAPI document, with checks for requests and answers. */
export interface Description {
  readonly document: OpenApiDocument;
  /** The problems of a value under the schema at a JSON pointer's segments; empty if it matches. */
  problems(segments: readonly string[], value: unknown): string[];
  /** Whether the document describes an answer of the operation with this status. */
  describesAnswer(operation: Operation<unknown>, status: number): boolean;
  /** The problems of an answer. An answer that the document does not describe is a problem as well. */
  answerProblems(operation: Operation<unknown>, status: number, body: unknown): string[];
  /** The problems of a request's query and body. */
  requestProblems(operation: Operation<unknown>, request: Sent): string[];
}

interface Sent {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** @param formats Whether to check formats such as timestamps and UUIDs. */
export function describeService({ formats }: { formats: boolean }): Description {
  const document = openApi as unknown as OpenApiDocument;
  // Strict: a misspelt keyword is an error, not a check that never fails.
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    validateFormats: formats,
  });
  addFormats.default(ajv);
  // The whole document is registered as a schema, so that references within it resolve.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, "service");

  function problems(segments: readonly string[], value: unknown): string[] {
    const pointer = segments.map(escaped).join("/");
    const validate = ajv.getSchema(`service#/${pointer}`);
    if (validate === undefined) throw new Error(`The document has nothing at /${pointer}.`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || "/"} ${message}`,
    );
  }

  function placeOf({ method, path }: Operation<unknown>, status: number): string[] {
    return ["paths", path, method.toLowerCase(), "responses", String(status)];
  }

  function answerProblems(operation: Operation<unknown>, status: number, body: unknown) {
    const place = placeOf(operation, status);
    const answer = objectAt(document, place);
    if (answer === undefined) return [`The document describes no ${status} of ${operation.name}.`];
    // Errors are defined once, and referenced.
    const actual =
      typeof answer.$ref === "string" ? answer.$ref.slice("#/".length).split("/") : place;
    return problems([...actual, "content", "application/json", "schema"], body);
  }

  function requestProblems({ method, path }: Operation<unknown>, { query = {}, body }: Sent) {
    const place = ["paths", path, method.toLowerCase()];
    const { parameters = [] } = objectAt(document, place) as unknown as OperationObject;
    const known = parameters as readonly { readonly name: string; readonly in: string }[];
    const inQuery = Object.entries(query).flatMap(([name, value]) => {
      const index = known.findIndex((it) => it.in === "query" && it.name === name);
      if (index < 0) return [`The document has no parameter ${name} of ${method} ${path}.`];
      return problems([...place, "parameters", String(index), "schema"], value);
    });
    if (body === undefined) return inQuery;
    const schema = [...place, "requestBody", "content", "application/json", "schema"];
    return [...inQuery, ...problems(schema, body)];
  }

  return {
    document,
    problems,
    describesAnswer: (operation, status) =>
      objectAt(document, placeOf(operation, status)) !== undefined,
    answerProblems,
    requestProblems,
  };
}

function objectAt(
  root: unknown,
  segments: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  return segments.reduce(
    (at, name) => at?.[name] as Record<string, unknown> | undefined,
    root as Record<string, unknown> | undefined,
  );
}

/** A segment of a JSON pointer within a URL. */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}
