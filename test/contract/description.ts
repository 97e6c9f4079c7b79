import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type OpenApiDocument, openApiDocument } from "../../src/wire/openapi.ts";

/** The OpenAPI document, able to judge values by its schemas. */
export interface Description {
  readonly document: OpenApiDocument;
  /** What is wrong with a value by the schema at a JSON pointer's segments; empty when it fits. */
  problems(segments: readonly string[], value: unknown): string[];
}

/** @param formats Whether texts such as timestamps and UUIDs are looked at. */
export function describeService({ formats }: { formats: boolean }): Description {
  const document = openApiDocument();
  // Strict: a misspelt keyword is an error, not a check that never fails.
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    validateFormats: formats,
  });
  addFormats.default(ajv);
  // The document itself is held as a schema, so that references within it are found.
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

  return { document, problems };
}

/** A segment of a JSON pointer within a URL. */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}
