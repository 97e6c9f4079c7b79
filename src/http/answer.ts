import type { Operation } from "../wire/operations.ts";
import { readTolerantly } from "../wire/reading.ts";
import type { Failure } from "./policy.ts";
import type { Answer } from "./send.ts";

/** A success, understood as far as it can be. */
export type ReadAnswer<T> =
  | {
      readonly kind: "value";
      readonly answer: Answer;
      readonly value: T;
      /** Where the answer differs from its schema; empty when it fits. */
      readonly drift: readonly string[];
    }
  /** A success that lacks what a caller cannot do without. */
  | {
      readonly kind: "incomplete";
      readonly answer: Answer;
      readonly missing: readonly string[];
      readonly body: unknown;
    };

/**
 * Reads the body of a success. A value that does not fit its schema is still a success: throwing it
 * away would lose what the service created.
 */
export function readAnswer<T>(operation: Operation<T>, answer: Answer): ReadAnswer<T> | Failure {
  const { status, text, requestId } = answer;
  const unreadable: Failure = { kind: "unreadable", status, text, requestId };
  const { essential } = operation;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (essential !== "anything") return unreadable;
    // The caller of an operation that is not known decides what text, or nothing, means.
    return { kind: "value", answer, value: (text || undefined) as T, drift: [] };
  }
  if (essential !== "anything") {
    const isList = Array.isArray(body);
    if (typeof body !== "object" || body === null || isList !== (essential === "a list")) {
      return unreadable;
    }
    const missing = missingFields(body, essential);
    if (missing.length > 0) return { kind: "incomplete", answer, missing, body };
  }
  const { value, drift } = readTolerantly(operation.response, body);
  return { kind: "value", answer, value, drift };
}

function missingFields(body: object, essential: readonly string[] | "a list"): string[] {
  if (essential === "a list") return [];
  return essential.filter((name) => !isPresent((body as Record<string, unknown>)[name]));
}

function isPresent(value: unknown): boolean {
  return typeof value === "string" ? value !== "" : Array.isArray(value);
}
