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
  // The caller of an operation that is not known decides what nothing means.
  if (text === "" && operation.essential === "anything") {
    return { kind: "value", value: undefined as T, drift: [] };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: "unreadable" };
  }
  const { essential } = operation;
  if (essential !== "anything") {
    const isList = Array.isArray(body);
    if (typeof body !== "object" || body === null || isList !== (essential === "a list")) {
      return { kind: "unreadable" };
    }
    const missing = missingFields(body, essential);
    if (missing.length > 0) return { kind: "incomplete", missing, body };
  }
  const result = operation.response.safeParse(body);
  if (result.success) return { kind: "value", value: result.data, drift: [] };
  const drift = [...new Set(result.error.issues.map(({ path }) => path.join(".")))];
  return { kind: "value", value: body as T, drift };
}

function missingFields(body: object, essential: readonly string[] | "a list"): string[] {
  if (essential === "a list") return [];
  return essential.filter((name) => !isPresent((body as Record<string, unknown>)[name]));
}

function isPresent(value: unknown): boolean {
  return typeof value === "string" ? value !== "" : Array.isArray(value);
}
