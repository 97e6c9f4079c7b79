import type { Schema, SchemaIssue } from "../wire/schema.ts";
import { invalidRequest, type Refusal } from "./refusal.ts";

/** What the schemas' library tells about an issue beyond the part that the wire promises. */
interface IssueDetails extends SchemaIssue {
  readonly code?: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly origin?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The fields whose errors carry the code `invalid_amount` (interface section 7, rule 1). */
const amountFields: ReadonlySet<string> = new Set(["amount", "amountInCents"]);

/**
 * The input as its schema reads it.
 *
 * @throws {Refusal} 400 when a field is missing or of the wrong type, 422 when its value is one that
 * is not accepted (assumed from the meanings in interface section 7).
 */
export function checked(schema: Schema<unknown>, input: Record<string, unknown>): unknown {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = String(issue?.path[0] ?? "");
  throw refusalFor(issue ?? { path: [], message: "" }, param, input[param]);
}

/** A refusal of one field's value. */
export function refuseField(status: 400 | 422, param: string, problem: string): Refusal {
  const code = amountFields.has(param) ? "invalid_amount" : "invalid_request";
  return invalidRequest(status, { code, param, message: `${param} ${problem}` });
}

function refusalFor(issue: IssueDetails, param: string, value: unknown): Refusal {
  const expectation = expected(issue);
  if (value === undefined) return refuseField(400, param, `is missing. It must be ${expectation}.`);
  const status = isIllTyped(issue, value) ? 400 : 422;
  return refuseField(status, param, `must be ${expectation}, but is ${describe(value)}.`);
}

function isIllTyped({ code, expected }: IssueDetails, value: unknown): boolean {
  // Every closed set of values on this wire is one of strings.
  if (code === "invalid_value") return typeof value !== "string";
  // Infinity, as JSON's 1e999 reads, and fractions are numbers, if not acceptable ones.
  const isNumber = typeof value === "number" && (expected === "number" || expected === "int");
  return code === "invalid_type" && !isNumber;
}

function expected({ code, expected, values, origin, minimum, maximum }: IssueDetails): string {
  const unit = origin === "string" ? " characters long" : "";
  if (code === "invalid_value") {
    return (values ?? []).map((value) => JSON.stringify(value)).join(" or ");
  }
  if (code === "too_small") return `at least ${minimum}${unit}`;
  if (code === "too_big") return `at most ${maximum}${unit}`;
  return expected === "int" ? "a whole number" : `a ${expected ?? "valid value"}`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}… (${text.length} characters)` : text;
}
