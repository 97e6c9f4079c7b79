import type { Schema } from "../../wire/fields.ts";
import type { Operation } from "../../wire/operations.ts";
import { invalidRequest } from "./refusal.ts";
import { maxBodyBytes } from "./request-body.ts";
import { checked, checkKnownValues } from "./validation.ts";

/** The query parameters of any operation that are numbers; all others are texts. */
const numericParameters: ReadonlySet<string> = new Set(["limit", "offset"]);

/**
 * The query of a URL as its operation's schema reads it.
 *
 * @throws {Refusal} naming the parameter.
 */
export function parseQuery({ query }: Operation<unknown>, url: URL): unknown {
  if (query === undefined) return {};
  // Parameters that the operation does not have are no business of its schema, which is strict.
  const given = [...url.searchParams].filter(([name]) => Object.hasOwn(query.shape, name));
  const values = given.map(([name, text]) => [name, typedValue(name, text)]);
  const read = checked(query, Object.fromEntries(values));
  checkKnownValues(query, read);
  return read;
}

/** Text that is no whole number stays text, which the schema then refuses as one. */
function typedValue(name: string, text: string): string | number {
  return numericParameters.has(name) && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text;
}

/**
 * A body as a JSON object. An empty one is an object without fields, where its schema requires none.
 *
 * @param bodyText `undefined` for a body that was too large to be read.
 * @throws {Refusal} 413 or 400.
 */
export function parseObject(
  bodyText: string | undefined,
  schema: Schema<unknown>,
): Record<string, unknown> {
  if (bodyText === undefined) {
    throw invalidRequest(413, {
      code: "body_too_large",
      message: `The body is larger than ${maxBodyBytes} bytes. Send the documented fields only.`,
    });
  }
  if (bodyText === "" && schema.safeParse({}).success) return {};
  const value = parseJson(bodyText);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidRequest(400, {
    code: "invalid_request",
    message: "The body is JSON, but no object. Send an object of the documented fields.",
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest(400, {
      code: "invalid_request",
      message: text === "" ? "The body is empty. Send a JSON object." : "The body is not JSON.",
    });
  }
}
