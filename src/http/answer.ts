import type { Operation } from "../wire/operations.ts";

export type ReadAnswer<T> =
  | {
      readonly kind: "value";
      readonly value: T;
      /** Where the answer differs from its schema; empty when it fits. */
      readonly drift: readonly string[];
    }
  /** A success that lacks what a caller cannot do without. */
  | { readonly kind: "incomplete"; readonly missing: readonly string[]; readonly body: unknown }
  | { readonly kind: "unreadable" };

/**
 * Reads the body of a success. A value that does not fit its schema is still a success: throwing it
 * away would lose what the service created.
 */
export function readAnswer<T>(operation: Operation<T>, text: string): ReadAnswer<T> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: "unreadable" };
  }
  const { essential } = operation;
  const isList = Array.isArray(body);
  if (typeof body !== "object" || body === null || isList !== (essential === "a list")) {
    return { kind: "unreadable" };
  }
  if (essential !== "a list") {
    const fields = body as Record<string, unknown>;
    const missing = essential.filter((name) => !isPresent(fields[name]));
    if (missing.length > 0) return { kind: "incomplete", missing, body };
  }
  const result = operation.response.safeParse(body);
  if (result.success) return { kind: "value", value: result.data, drift: [] };
  const drift = [...new Set(result.error.issues.map(({ path }) => path.join(".")))];
  return { kind: "value", value: body as T, drift };
}

function isPresent(value: unknown): boolean {
  return typeof value === "string" ? value !== "" : Array.isArray(value);
}
